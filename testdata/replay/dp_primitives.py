"""Primitives of differential privacy that can be recorded and replayed.

A mechanism is a function of a Noise and an input that draws all its noise by the methods of the Noise:

    from dp_primitives import serve

    def count(noise, records):
        return noise.laplace(len(records), scale=2, sensitivity=1)

    serve(count)

serve answers the requests of dpverify, one JSON object a line. Every call says what it is given, before any noise, and
the sensitivity that its scale is made for: of a whole vector, in the norm of the primitive. Scalars and lists are
taken; a list is released as one value. Needs nothing beyond the standard library.
"""

import json
import math
import random
import sys


class Noise:
    """What one release draws from. random is for coins that have nothing to do with the data."""

    def __init__(self, seed=None, replay=()):
        self._draws = random.Random(seed)
        self.random = random.Random(None if seed is None else seed + 1)
        self._replay = list(replay)
        self.calls = []

    def _place(self):
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        return "%s:%d" % (frame.f_code.co_filename.replace("\\", "/").rsplit("/", 1)[-1], frame.f_lineno)

    def _call(self, primitive, value, scale, sensitivity, draw, norm=None):
        released = self._replay.pop(0) if self._replay else None
        released = _read(released)
        if released is None or _size(released) != self._expected(primitive, value):
            self._replay = []  # another call than the one that was recorded
            released = draw()
        call = {"primitive": primitive, "value": _written(value), "scale": scale, "sensitivity": sensitivity,
                "released": _written(released), "place": self._place()}
        if norm is not None:
            call["norm"] = norm
        self.calls.append(call)
        return released

    def _expected(self, primitive, value):
        if primitive in ("poisson", "permutation"):
            return value
        if primitive in ("exponential", "noisy-max", "uniform"):
            return 1
        return _size(value)

    def _added(self, primitive, value, scale, sensitivity, unit):
        if isinstance(value, (list, tuple)):
            value = list(value)
            return _listed(self._call(primitive, value, scale, sensitivity, lambda: [v + unit() for v in value]))
        return self._call(primitive, value, scale, sensitivity, lambda: value + unit())

    def laplace(self, value, scale, sensitivity):
        """value with Laplace noise of the scale; sensitivity in l1."""
        return self._added("laplace", value, scale, sensitivity, lambda: scale * self._laplace())

    def gaussian(self, value, sigma, sensitivity):
        """value with noise N(0, sigma^2); sensitivity in l2."""
        return self._added("gaussian", value, sigma, sensitivity, lambda: self._draws.gauss(0, sigma))

    def discrete_laplace(self, value, scale, sensitivity):
        """Whole numbers with noise of probability proportional to exp(-|k|/scale); sensitivity in l1."""
        def unit():
            return self._geometric(scale) - self._geometric(scale)
        return self._added("discrete-laplace", value, scale, sensitivity, unit)

    def exponential(self, scores, epsilon, sensitivity):
        """An index of scores with probability proportional to exp(epsilon * score / (2 * sensitivity))."""
        scale = 2 * sensitivity / epsilon

        def draw():
            top = max(scores)
            weights = [math.exp((s - top) / scale) for s in scores]
            return self._draws.choices(range(len(scores)), weights)[0]
        return int(self._call("exponential", list(scores), scale, sensitivity, draw))

    def noisy_max(self, scores, scale, sensitivity):
        """The index of the largest of scores with Laplace noise of the scale."""
        def draw():
            noisy = [s + scale * self._laplace() for s in scores]
            return noisy.index(max(noisy))
        return int(self._call("noisy-max", list(scores), scale, sensitivity, draw))

    def randomized_response(self, value, k, epsilon):
        """value in 0..k-1, or, with odds of 1 to e^epsilon each, another one."""
        def draw():
            if self._draws.random() * (math.exp(epsilon) + k - 1) < math.exp(epsilon):
                return value
            other = self._draws.randrange(k - 1)
            return other + (other >= value)
        return int(self._call("randomized-response", value, 1 / epsilon, 1, draw))

    def pure(self, value, epsilon, sensitivity, norm, draw):
        """Any other release that is epsilon-private for values of the sensitivity; draw() makes it, as numbers."""
        return self._call("pure", value, sensitivity / epsilon, sensitivity, draw, norm)

    def poisson(self, records, rate):
        """The indices of a sample of records 0..records-1, each there by a coin of its own."""
        taken = self._call("poisson", records, rate, 0,
                           lambda: [int(self._draws.random() < rate) for _ in range(records)])
        return [i for i, t in enumerate(_listed(taken)) if t]

    def permutation(self, n):
        """0..n-1 in a uniformly random order."""
        def draw():
            order = list(range(n))
            self._draws.shuffle(order)
            return order
        return [int(i) for i in _listed(self._call("permutation", n, 0, 0, draw))]

    def uniform(self):
        """A raw number of [0, 1): what is made of it, no replay can judge."""
        return self._call("uniform", 0, 0, 0, self._draws.random)

    def _laplace(self):
        return self._draws.expovariate(1) * self._draws.choice((-1, 1))

    def _geometric(self, scale):
        return int(self._draws.expovariate(1) * scale)


def _size(value):
    return len(value) if isinstance(value, (list, tuple)) else 1


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _read(value):
    if isinstance(value, list):
        return [_read(v) for v in value]
    return float(value) if isinstance(value, str) else value


def _written(value):
    if isinstance(value, (list, tuple)):
        return [_written(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def serve(mechanism, lines=sys.stdin, out=sys.stdout):
    """Answers requests until they end. mechanism(noise, input) is one release."""
    for line in lines:
        request = json.loads(line)
        reply = {"outputs": [], "calls": []}
        for i in range(request["n"]):
            seed = request.get("seed")
            noise = Noise(None if seed is None else seed * 4096 + 2 * i, request.get("replay", ()))
            reply["outputs"].append(_written(mechanism(noise, request["input"])))
            reply["calls"].append(noise.calls)
        if "record" not in request and "replay" not in request:
            del reply["calls"]
        print(json.dumps(reply), file=out, flush=True)
