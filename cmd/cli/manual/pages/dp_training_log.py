"""A log of one private training. "dpverify audit --training-log" checks the premises of its account in the log.

    log = TrainingLog("run.jsonl", records=len(data), coordinates=16)
    for each step:
        ...                                            # sample, clip, sum, add noise, divide
        log.step(batch, contributions, noise, released, divisor)

batch         positions of the records in this step's batch, from 0, the same position for a record in all steps
contributions the clipped gradient of each record of the batch, one row a record
noise         the noise that was added to the sum of the contributions
released      the vector that the training used: (sum + noise) / divisor
divisor       the number by which the noisy sum was divided; 1 if it was not divided

A vector has one number for each parameter of the model: a list, a NumPy or JAX array, or a tensor. Give the vectors that
the training computed, not copies that you compute again for the log: a copy does not have the fault of the training. For an
empty batch, batch and contributions are empty, and the step is logged like all others. Leave out records that only pad a
batch.

The log computes the norms from whole contributions. It writes the contributions, the noise and the released vector only at
a few random coordinates, the same in all steps. Each step is flushed to the file before step returns. An interrupt during a
write can cut the last line, which the audit rejects. The log contains the batches and gradients of single records: it is as
secret as the data. TrainingLog needs only the standard library, and uses no random numbers of the training. watch_opacus
also needs PyTorch.

One log cannot show whether the divisor depends on the number of records. Run the same training on a data set without one
record, log it to a second file, and give both: --training-log run.jsonl --neighbor-log other.jsonl. Both runs need the
same number of steps.

PyTorch with Opacus. The loader must also return the position of each record. Call watch_opacus once, after make_private:

    seen = []                                          # positions in the current batch
    watch_opacus(log, optimizer, seen)
    for x, y, position in loader:
        seen[:] = position.tolist()
        ...                                            # backward and optimizer.step() as before

JAX. Gradients per record come from vmap, and ravel_pytree makes them flat:

    from jax.flatten_util import ravel_pytree
    gradients = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, x[batch], y[batch])
    flat = jax.vmap(lambda g: ravel_pytree(g)[0])(gradients)
    clipped = flat / jnp.maximum(1, jnp.linalg.norm(flat, axis=1, keepdims=True) / C)
    noise = sigma * C * jax.random.normal(key, clipped.shape[1:])
    update = (clipped.sum(0) + noise) / divisor
    log.step(batch, clipped, noise, update, divisor)
"""

import json
import math
import random


class TrainingLog:
    """Log of one run. coordinates is a number of random coordinates, or a list of coordinates from 0."""

    def __init__(self, path, records, coordinates=16, seed=None):
        self._choice, self._seed = coordinates, seed
        self._size = None if isinstance(coordinates, int) else 0
        self.coordinates = None if isinstance(coordinates, int) else [int(k) for k in coordinates]
        self.records, self.steps = int(records), 0
        self._out = open(path, "w", encoding="utf-8", newline="\n")
        self._line({"records": self.records})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._out.close()

    def step(self, batch, contributions, noise, released, divisor):
        """Writes one step."""
        batch = [int(k) for k in _list(batch)]
        released, noise = _wide(released), _wide(noise)
        rows = [_wide(c) for c in contributions]
        if len(rows) != len(batch):
            raise ValueError("%d contributions of %d records: want one for each record" % (len(rows), len(batch)))
        self._choose(len(released))
        for name, vector in [("noise", noise), *(("contribution", row) for row in rows)]:
            if len(vector) != self._size:
                raise ValueError("%s of %d numbers, released vector of %d: want the same" % (name, len(vector), self._size))
        self._line({"step": self.steps + 1, "batch": batch, "norms": [_norm(row) for row in rows],
                    "contributions": [self._at(row) for row in rows], "noise": self._at(noise),
                    "released": self._at(released), "divisor": float(divisor)})
        self.steps += 1

    def _choose(self, size):
        """Chooses the coordinates in the first step, and checks that all steps have vectors of one size."""
        if self.coordinates is None:
            self.coordinates = sorted(random.Random(self._seed).sample(range(size), min(self._choice, size)))
        if self._size and self._size != size:
            raise ValueError("released vector of %d numbers: want %d, as in the first step" % (size, self._size))
        if not self.coordinates or not 0 <= min(self.coordinates) <= max(self.coordinates) < size:
            raise ValueError("coordinates %r: want at least one, from 0 to %d" % (self.coordinates, size - 1))
        self._size = size

    def _at(self, vector):
        return [float(vector[k]) for k in self.coordinates]

    def _line(self, values):
        self._out.write(json.dumps(values, allow_nan=False) + "\n")
        self._out.flush()


def _list(values):
    return values.tolist() if hasattr(values, "tolist") else values


def _wide(vector):
    """Flattens an array or a tensor in double precision, and converts anything else to a list of numbers."""
    if hasattr(vector, "detach"):  # PyTorch
        return vector.detach().double().cpu().reshape(-1)
    if hasattr(vector, "__array__"):  # NumPy and JAX
        return vector.__array__().astype("float64").reshape(-1)
    return [float(x) for x in _list(vector)]


def _norm(vector):
    if hasattr(vector, "dot"):
        return math.sqrt(float(vector.dot(vector)))
    return math.sqrt(math.fsum(x * x for x in vector))


def watch_opacus(log, optimizer, seen):
    """Logs each step of an Opacus DPOptimizer that uses flat clipping.

    Before each backward pass, set seen to the positions of the records in the current physical batch. The contributions are
    computed again as p.grad_sample times the clipping factor. The check of the update compares their sum with the released
    vector. Physical batches that are summed before one
    step are logged as one step.
    """
    import torch

    batch, rows = [], []
    clip_and_accumulate, scale_grad = optimizer.clip_and_accumulate, optimizer.scale_grad

    def flat(vectors):
        return torch.cat([v.detach().double().reshape(-1) for v in vectors])

    def clip():
        pairs = zip(optimizer.params, optimizer.grad_samples)
        gradients = torch.cat([g.detach().double().reshape(len(g), p.numel()) for p, g in pairs], dim=1)
        factors = (optimizer.max_grad_norm / (gradients.norm(2, dim=1) + 1e-6)).clamp(max=1)
        batch.extend(seen)
        rows.extend(gradients * factors[:, None])
        clip_and_accumulate()

    def scale():
        noise = flat(p.grad for p in optimizer.params) - flat(p.summed_grad for p in optimizer.params)
        mean = optimizer.loss_reduction == "mean"
        divisor = optimizer.expected_batch_size * optimizer.accumulated_iterations if mean else 1
        scale_grad()
        log.step(batch, rows, noise, flat(p.grad for p in optimizer.params), divisor)
        batch.clear()
        rows.clear()

    optimizer.clip_and_accumulate, optimizer.scale_grad = clip, scale
