"""A mechanism that dpverify audits. Change the first part; the second part answers the requests of dpverify.

    dpverify audit claims.yaml

It needs only Python 3.6. If numpy is installed, it is seeded and its values are converted.
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
    """Return a count with two-sided geometric noise. CHANGE: your release for one input.

    data is an input of claims.yaml, parsed as JSON. Draw from the module random, from numpy.random, or from your own
    generator that this function creates with a seed drawn from one of these. Other sources (os.urandom, secrets,
    numpy.random.default_rng() without a seed, a generator created once for all releases) do not repeat: seed them in
    seed_all below, or set "seeded: false" in claims.yaml.

    To audit a library in another directory, with a parameter rng:

        sys.path.insert(0, "../src")  # relative to the directory of claims.yaml
        from mylibrary import release
        return release(data, rng=random.Random(random.getrandbits(64)))  # or numpy.random.default_rng(…)

    If it is installed in a virtual environment, set "exec: [../venv/bin/python, mechanism.py]" in claims.yaml.
    """
    return sum(data) + int(random.expovariate(EPSILON)) - int(random.expovariate(EPSILON))


# The rest answers requests, one JSON object per line, and needs no changes.


def seed_all(seed):
    """Seed all generators. A seed is a whole number below 2**64; each generator gets the part that it accepts."""
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed([seed % 2**32, seed >> 32])  # two 32-bit words, because a larger number is rejected
    # CHANGE: other generators, as in torch.manual_seed(seed % 2**63) or tensorflow.random.set_seed(seed % 2**31).


def plain(value):
    """Convert a value to numbers, strings, booleans, None, and lists and dicts of them, for JSON."""
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
    raise TypeError("mechanism returned a %s without a JSON form: return numbers, strings or lists" % type(value).__name__)


def serve(release):
    """Answer requests until the input ends. Replies use standard output, output of the mechanism standard error."""
    replies, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin.buffer:
        request = json.loads(line.decode("utf-8"))
        if "seed" in request:
            seed_all(request["seed"])
        outputs = [plain(released(release, request["input"])) for _ in range(request["n"])]
        print(json.dumps({"outputs": outputs}), file=replies, flush=True)


def released(release, data):
    """Return an output of the mechanism. A function without return gives None, which would be private."""
    output = release(data)
    if output is None:
        raise TypeError('mechanism returned None: is a return missing? Return "none" if no answer is an output')
    return output


if __name__ == "__main__":
    serve(mechanism)
