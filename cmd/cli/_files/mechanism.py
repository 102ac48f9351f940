"""A mechanism that dpverify audits: the first part is yours to change, the second answers its requests.

    dpverify audit claims.yaml

Needs Python 3.6 and nothing else; numpy is seeded, and its values are converted, where it is installed.
"""
import json
import math
import random
import sys

try:
    import numpy
except ImportError:
    numpy = None

EPSILON = 1.0


def mechanism(data):
    """One release of a count, with two-sided geometric noise. CHANGE: what you release, of one input.

    data is an input of claims.yaml as Python reads JSON. Draw from the module random, from numpy.random, or from
    a generator of your own that is made here, with a seed drawn from one of these. What draws elsewhere (os.urandom,
    secrets, numpy.random.default_rng() without a seed, a generator made once for all releases) does not repeat:
    seed it in seed_all below, or say "seeded: false" in claims.yaml.
    """
    return sum(data) + int(random.expovariate(EPSILON)) - int(random.expovariate(EPSILON))


# What follows answers requests, one JSON object a line, and need not be changed.


def seed_all(seed):
    """Seeds all that draws. A seed is a whole number below 2**64; each generator gets what it takes of it."""
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed([seed % 2**32, seed >> 32])  # words of 32 bits: one number above that is refused
    # CHANGE: other generators, as in torch.manual_seed(seed % 2**63) or tensorflow.random.set_seed(seed % 2**31).


def plain(value):
    """A value as JSON has it: numbers, strings, booleans, None, and lists and dicts of them."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if hasattr(value, "tolist"):  # scalars and arrays of numpy, series of pandas, tensors
        value = value.tolist()
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        return float(value) if math.isfinite(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=lambda item: (type(item).__name__, str(item)))
    raise TypeError("mechanism returned a %s, which JSON has not: make it numbers, strings or lists" % type(value).__name__)


def serve(release):
    """Answers requests until they end. What the mechanism prints goes to standard error: replies have the other."""
    replies, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin.buffer:
        request = json.loads(line.decode("utf-8"))
        if "seed" in request:
            seed_all(request["seed"])
        outputs = [plain(release(request["input"])) for _ in range(request["n"])]
        print(json.dumps({"outputs": outputs}), file=replies, flush=True)


if __name__ == "__main__":
    serve(mechanism)
