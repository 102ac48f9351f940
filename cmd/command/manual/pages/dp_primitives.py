"""Primitives of differential privacy that can be recorded and replayed.

A mechanism is a function of a Noise and an input that draws all its noise by the methods of the Noise:

    from dp_primitives import serve

    def count(noise, records):
        return noise.laplace(len(records), scale=2, sensitivity=1)

    serve(count)

serve answers the requests of dpverify, one JSON object a line. Every call says what it is given, before any noise, and
the sensitivity that its scale is made for: of a whole vector, in the norm of the primitive. Scalars and lists are
taken; a list is released as one value. Needs nothing beyond the standard library.

A program that draws from the modules random and numpy.random is watched as it is:

    import dp_primitives
    dp_primitives.patch()            # before the imports of what draws
    import numpy as np
    rng = np.random.default_rng()

    def count(records):
        with dp_primitives.sensitivity(1):
            return len(records) + rng.laplace(0, 2)

    dp_primitives.serve_patched(count)

There, Gaussian and Laplace draws become calls where they are added to a value, or given one as their location; what stands
in "with sensitivity(...)" declares that sensitivity, and the rest none, which leaves only that part open. Shuffles, samples
without replacement, and vectors of uniforms that are compared with a rate are coins of records. All other draws are raw
coins, after which nothing is concluded.
"""

import contextlib
import functools
import json
import math
import random
import sys

_current = None  # the Noise of the release that runs, for patches


class Noise:
    """What one release draws from."""

    def __init__(self, seed=None, replay=()):
        self._draws = random.Random(seed)
        self.declared = None  # the sensitivity of patched draws
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
        call = {"primitive": primitive, "value": _written(value), "scale": _written(scale), "sensitivity": sensitivity,
                "released": _written(released), "place": self._place()}
        if norm is not None:
            call["norm"] = norm
        self.calls.append(call)
        return released

    def _expected(self, primitive, value):
        if primitive in ("poisson", "permutation", "public"):
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

    def public(self, n, draw):
        """n numbers that have nothing to do with the data, nor has n: draw(generator) makes a list of them."""
        return _listed(self._call("public", n, 0, 0, lambda: draw(self._draws)))

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
    value = _plain(value)
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_written(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def serve(mechanism, lines=sys.stdin, out=sys.stdout):
    """Answers requests until they end. mechanism(noise, input) is one release."""
    global _current
    for line in lines:
        request = json.loads(line)
        reply = {"outputs": [], "calls": []}
        for i in range(request["n"]):
            seed = request.get("seed")
            _current = noise = Noise(None if seed is None else seed * 4096 + 2 * i, request.get("replay", ()))
            reply["outputs"].append(_written(mechanism(noise, request["input"])))
            reply["calls"].append(noise.calls)
        if "record" not in request and "replay" not in request:
            del reply["calls"]
        print(json.dumps(reply), file=out, flush=True)


def serve_patched(mechanism, lines=sys.stdin, out=sys.stdout):
    """serve for mechanism(input), which draws from what patch has patched."""
    serve(lambda noise, given: mechanism(given), lines, out)


@contextlib.contextmanager
def sensitivity(bound):
    """What patched noise that is drawn or added within is given moves by at most this between neighbours, in l1 for Laplace
    and in l2 for Gaussian noise."""
    before, _current.declared = _current.declared, bound
    try:
        yield
    finally:
        _current.declared = before


class _Pending:
    """Noise that was drawn and not added yet: base + draw, each a number or an array of one shape.

    What is neither added nor scaled becomes a call that was given the base alone.
    """

    def __init__(self, primitive, base, scale, draw):
        self._primitive, self._base, self._scale, self._draw = primitive, base, scale, draw
        self._value, self._declared = None, _current.declared

    def _released(self, value=None):
        if value is None:
            if self._value is None:
                self._value = self._released(self._base)
            return self._value
        flat, shape = _flat(value)
        noise, _ = _flat(self._draw)
        if len(flat) != len(noise):  # one draw for many values
            return value + (self._released() - self._base)
        given = flat if shape is not None else flat[0]
        declared = _current.declared if self._declared is None else self._declared
        call = _current._call(self._primitive, given, abs(self._scale), declared,
                              lambda: [v + z for v, z in zip(flat, noise)] if shape is not None else flat[0] + noise[0])
        return _shaped(call, shape)

    def _plus(self, other):
        if isinstance(other, _Pending):
            other = other._released()
        if self._value is not None:  # it was used before, and is a number now
            return other + self._value
        released = self._released(other + self._base)
        self._value = released - other
        return released

    def _times(self, factor):
        if self._value is not None or _flat(factor)[1] is not None:
            return self._released() * factor
        scaled = _Pending(self._primitive, self._base * factor, self._scale * factor, self._draw * factor)
        self._value = _Later(scaled, factor)
        return scaled

    __add__ = __radd__ = _plus
    __mul__ = __rmul__ = _times

    def __neg__(self):
        return self._times(-1)

    def __sub__(self, other):
        return self._plus(-other)

    def __rsub__(self, other):
        return self._times(-1)._plus(other)

    def __truediv__(self, divisor):
        return self._times(1 / divisor)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **more):
        name, result = ufunc.__name__, None
        if method == "__call__" and len(inputs) == 2:
            x, y = inputs
            if name == "add":
                result = self._plus(y if x is self else x)
            elif name == "subtract":
                result = self._plus(-y) if x is self else self._times(-1)._plus(x)
            elif name == "multiply":
                result = self._times(y if x is self else x)
            elif name in ("divide", "true_divide") and x is self:
                result = self._times(1 / y)
        if result is None:
            result = getattr(ufunc, method)(*[_plain(v) for v in inputs], **more)
        if out is not None:
            out[0][...] = _plain(result)
            return out[0]
        return result

    def __array__(self, *of, **more):
        import numpy
        return numpy.asarray(self._released(), *of, **more)

    def __getattr__(self, name):  # all else is what a number or an array has
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._released(), name)


class _Later:
    """The value of noise that was scaled: what its scaled form comes to."""

    def __init__(self, scaled, factor):
        self._scaled, self._factor = scaled, factor

    def __radd__(self, other):
        return other + self._scaled._released() / self._factor

    def __mul__(self, factor):
        return self._scaled._released() / self._factor * factor


def _as_released(name):
    def method(self, *args):
        return getattr(_plain(self), name)(*[_plain(a) for a in args])
    return method


for _name in ("float int bool index round trunc floor ceil abs pos lt le gt ge eq ne hash len iter getitem str repr format pow rpow "
              "rtruediv mod floordiv complex").split():
    setattr(_Pending, "__%s__" % _name, _as_released("__%s__" % _name))


class _Uniforms:
    """Vector of uniforms: compared with a rate, a sample of as many records."""

    def __init__(self, n):
        self._n, self._value = n, None

    def __lt__(self, rate):
        if self._value is None and not hasattr(rate, "__len__") and 0 <= rate <= 1:
            taken = _current._call("poisson", self._n, rate, 0,
                                   lambda: [int(_current._draws.random() < rate) for _ in range(self._n)])
            return _array([bool(t) for t in _listed(taken)])
        return _plain(self) < rate

    __le__ = __lt__

    def _released(self):
        if self._value is None:
            self._value = _array([_current.uniform() for _ in range(self._n)])
        return self._value

    def __array_ufunc__(self, ufunc, method, *inputs, **more):
        if method == "__call__" and ufunc.__name__ in ("less", "less_equal") and inputs[0] is self:
            return self < inputs[1]
        return getattr(ufunc, method)(*[_plain(v) for v in inputs], **more)

    def __array__(self, *of, **more):
        import numpy
        return numpy.asarray(self._released(), *of, **more)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._released(), name)


for _name in "len iter getitem gt ge eq ne add radd sub rsub mul rmul truediv rtruediv neg pow".split():
    setattr(_Uniforms, "__%s__" % _name, _as_released("__%s__" % _name))


def _plain(value):
    return value._released() if isinstance(value, (_Pending, _Uniforms)) else value


def _flat(value):
    """The numbers of a scalar or an array, with its shape, which a scalar has none of."""
    if isinstance(value, (list, tuple)):
        return list(value), (len(value),)
    shape = getattr(value, "shape", ())
    return ([value], None) if shape == () else ([v for v in value.reshape(-1).tolist()], shape)


def _shaped(value, shape):
    if shape is None:
        return value[0] if isinstance(value, list) else value
    array = _array(_listed(value))
    return array.reshape(shape) if hasattr(array, "reshape") else array


def _array(values):
    numpy = sys.modules.get("numpy")
    return values if numpy is None else numpy.asarray(values)


def _count(size):
    if size is None:
        return None
    return math.prod(size) if isinstance(size, (list, tuple)) else int(size)


def _additive(primitive, unit):
    def draw(loc=0.0, scale=1.0, size=None):
        shape = _flat(loc)[1] if size is None else (tuple(size) if isinstance(size, (list, tuple)) else (int(size),))
        if shape is None:
            return _Pending(primitive, loc, scale, scale * unit())
        noise = _shaped([scale * unit() for _ in range(math.prod(shape))], shape)
        return _Pending(primitive, loc + 0 * noise, scale, noise)
    return draw


_laplace = _additive("laplace", lambda: _current._laplace())
_normal = _additive("gaussian", lambda: _current._draws.gauss(0, 1))


def _shuffle(x, *_):
    order = _current.permutation(len(x))
    x[:] = [x[i] for i in order] if isinstance(x, list) else x[order]


def _sample(population, k, **_):
    values = list(population)
    return [values[i] for i in _current.permutation(len(values))[:k]]


class _Generator:
    """In place of the generators of numpy.random: draws are those of the release that runs, whatever the seed."""

    def __init__(self, *_, **__):
        pass

    laplace, normal = staticmethod(_laplace), staticmethod(_normal)

    def standard_normal(self, size=None, *_, **__):
        return _normal(0.0, 1.0, size)

    def randn(self, *shape):
        return _normal(0.0, 1.0, shape or None)

    def random(self, size=None, *_, **__):
        n = _count(size)
        return _current.uniform() if n is None else _Uniforms(n)

    random_sample = random

    def rand(self, *shape):
        return self.random(shape or None)

    def permutation(self, x, *_, **__):
        n = x if isinstance(x, int) else len(x)
        order = _array(_current.permutation(n))
        return order if isinstance(x, int) else _array(x)[order]

    def shuffle(self, x, *_, **__):
        _shuffle(x)

    def choice(self, a, size=None, replace=True, p=None, *_, **__):
        n = _count(size)
        if replace or p is not None or n is None:
            return self.__getattr__("choice")(a, size, replace, p)
        values = list(range(a)) if isinstance(a, int) else list(a)
        return _array([values[i] for i in _current.permutation(len(values))[:n]])

    def seed(self, *_):
        pass

    def __getattr__(self, name):  # raw coins
        import numpy

        def draw(*args, **more):
            _current.uniform()
            own = numpy.random._dp_default_rng(_current._draws.getrandbits(64))
            return getattr(own, name)(*args, **more)
        return draw


def _raw(method):
    @functools.wraps(getattr(random.Random, method))
    def draw(*args, **more):
        _current.uniform()
        return getattr(_current._draws, method)(*args, **more)
    return draw


def _patch_numpy(module):
    module._dp_default_rng = module.default_rng
    generator = _Generator()
    module.default_rng = module.RandomState = _Generator
    for name in ("laplace normal standard_normal randn random random_sample rand permutation shuffle choice seed uniform "
                 "exponential gamma gumbel geometric poisson binomial integers randint logistic multivariate_normal").split():
        setattr(module, name, getattr(generator, name))


def patch():
    """Watches what is drawn from the modules random and, where it is there, numpy.random, from now on."""
    random.gauss = random.normalvariate = lambda mu=0.0, sigma=1.0: _normal(mu, sigma)
    random.random = lambda: _current.uniform()
    random.shuffle, random.sample, random.seed = _shuffle, _sample, lambda *_, **__: None
    for name in ("expovariate uniform randint randrange choice choices getrandbits triangular betavariate gammavariate "
                 "lognormvariate vonmisesvariate paretovariate weibullvariate").split():
        setattr(random, name, _raw(name))
    try:
        import numpy.random
    except ImportError:
        return
    _patch_numpy(numpy.random)
