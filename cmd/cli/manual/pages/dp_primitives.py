"""Noise primitives that dpverify records and replays.

A mechanism is a function of a Noise and an input. It draws all its noise by the methods of the Noise:

    from dp_primitives import serve

    def count(noise, records):
        return noise.laplace(len(records), scale=2, sensitivity=1)

    serve(count)

serve answers the requests of dpverify, one JSON object a line. Each call reports its value before noise, and the sensitivity
that its scale is made for. The sensitivity is for a whole vector, in the norm of the primitive. A value is a number or a
list, and a list is released as one value. The module needs only the standard library.

dpverify can also record a program that draws from the modules random and numpy.random:

    import dp_primitives
    dp_primitives.patch()            # before the program imports what it draws from
    import numpy as np
    rng = np.random.default_rng()

    def count(records):
        with dp_primitives.sensitivity(1):
            return len(records) + rng.laplace(0, 2)

    dp_primitives.serve_patched(count)

The program draws the same numbers as before, from its own generators. Generators without a seed follow the seed of the
request. A Gaussian or Laplace draw becomes a call if it is added to a value or has a value as its location. The contexts are

    with sensitivity(s):  declares the sensitivity of such calls; without it, their sensitivity is not checked
    with sampling():      marks draws that belong to records: shuffles, permutations, samples without replacement, vectors of
                          uniform numbers that are compared with a rate, and binomial draws of one trial
    with public():        marks draws that are independent of the data, such as a start value or a random projection

All other draws are raw, and replay decides nothing after them. The same is true for noise that is rounded or added to a
constant before the data, and for noise that declares no sensitivity and has the same value in both runs.
"""

import contextlib
import functools
import json
import math
import operator
import random
import sys
import threading

_current = None  # the Noise of the release that runs, for patches
_MOST_CALLS = 1000000


class Noise:
    """Source of all randomness of one release."""

    def __init__(self, seed=None, replay=(), recording=True):
        self._draws = random.Random(seed)
        self.declared, self.coins = None, "raw"  # of patched draws: their sensitivity, and what coins are
        self._replay, self._recording = list(reversed(replay)), recording
        self._thread = None  # that makes the calls
        self.calls = []

    def _place(self):
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        return "%s:%d" % (frame.f_code.co_filename.replace("\\", "/").rsplit("/", 1)[-1], frame.f_lineno)

    def _call(self, primitive, value, scale, sensitivity, draw, norm=None, bare=False):
        if not self._recording:
            return draw()
        if len(self.calls) >= _MOST_CALLS:
            raise RuntimeError("the release makes more than %d calls of primitives: record a smaller one" % _MOST_CALLS)
        released = _read(self._replay.pop() if self._replay else None)
        if released is None or _size(released) != self._expected(primitive, value):
            self._replay = []  # another call than the one that was recorded
            released = draw()
        call = {"primitive": primitive, "value": _written(value), "scale": _written(scale), "sensitivity": sensitivity,
                "released": _written(released), "place": self._place()}
        if norm is not None:
            call["norm"] = norm
        if bare:
            call["bare"] = True
        self._thread = self._thread or threading.current_thread()
        if self._thread is not threading.current_thread():  # the numbers of threads that have ended are given anew
            call["concurrent"] = True
        self.calls.append(call)
        return released

    def _expected(self, primitive, value):
        if primitive in ("poisson", "permutation", "public"):
            return value
        if primitive in ("exponential", "noisy-max", "uniform"):
            return 1
        return _size(value)

    def _added(self, primitive, value, scale, sensitivity, unit):
        flat, shape = _flat(value)
        if shape is None:
            return _like(value, self._call(primitive, value, scale, sensitivity, lambda: value + unit()))
        released = _listed(self._call(primitive, flat, scale, sensitivity, lambda: [v + unit() for v in flat]))
        return released if isinstance(value, (list, tuple)) else _shaped(released, shape)

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
        """Index of a score, with probability proportional to exp(epsilon * score / (2 * sensitivity))."""
        scale = 2 * sensitivity / epsilon

        def draw():
            top = max(scores)
            weights = [math.exp((s - top) / scale) if s < top and scale else float(s == top) for s in scores]
            return self._draws.choices(range(len(scores)), weights)[0]
        return int(self._call("exponential", list(scores), scale, sensitivity, draw))

    def noisy_max(self, scores, scale, sensitivity):
        """Index of the largest score after Laplace noise of the scale."""
        def draw():
            noisy = [s + scale * self._laplace() for s in scores]
            return noisy.index(max(noisy))
        return int(self._call("noisy-max", list(scores), scale, sensitivity, draw))

    def randomized_response(self, value, k, epsilon):
        """value, in 0..k-1, with odds of e^epsilon to 1 against each other one."""
        def draw():
            if self._draws.random() * (math.exp(epsilon) + k - 1) < math.exp(epsilon):
                return value
            other = self._draws.randrange(k - 1)
            return other + (other >= value)
        return int(self._call("randomized-response", value, 1 / epsilon, 1, draw))

    def pure(self, value, epsilon, sensitivity, norm, draw):
        """Any other release that is epsilon-private for this sensitivity; draw() returns it as numbers."""
        return self._call("pure", value, sensitivity / epsilon, sensitivity, draw, norm)

    def poisson(self, records, rate):
        """Indices of a sample of records 0..records-1. Each has an independent inclusion bit."""
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
        """List of n numbers that draw(generator) returns. The numbers and n are independent of the data."""
        return _listed(self._call("public", n, 0, 0, lambda: draw(self._draws)))

    def uniform(self):
        """Raw number in [0, 1). Replay decides nothing after it."""
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
    if isinstance(value, _Pending):
        value = value._number(bare=False)  # it is told as it is
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
        recording = "record" in request or "replay" in request
        reply = {"outputs": [], "calls": []}
        for i in range(request["n"]):
            seed = request.get("seed")
            if seed is not None:
                seed = seed * 4096 + 2 * i
                _seed(seed)
            _current = noise = Noise(seed, request.get("replay", ()), recording)
            try:
                reply["outputs"].append(_written(mechanism(noise, request["input"])))
            finally:
                _current = None
            reply["calls"].append(noise.calls)
        if not recording:
            del reply["calls"]
        print(json.dumps(reply), file=out, flush=True)


def serve_patched(mechanism, lines=sys.stdin, out=sys.stdout):
    """Answers requests until they end. mechanism(input) is one release that draws from patched modules."""
    serve(lambda noise, given: mechanism(given), lines, out)


@contextlib.contextmanager
def _within(name, value):
    noise = _current
    if noise is None:  # no release runs
        yield
        return
    before = getattr(noise, name)
    setattr(noise, name, value)
    try:
        yield
    finally:
        setattr(noise, name, before)


def sensitivity(bound):
    """Declares that a value inside, to which patched noise is added, moves by at most this between neighbours: in l1 for
    Laplace and in l2 for Gaussian noise."""
    return _within("declared", bound)


def sampling():
    """Marks patched draws inside as belonging to records, one to each: a sample of records, or their order."""
    return _within("coins", "sampling")


def public():
    """Marks draws inside as independent of the data, in their distribution and their number."""
    return _within("coins", "public")


class _Pending:
    """Noise that was drawn and not added yet: base + draw, each a number or an array of one shape.

    What is neither added nor scaled becomes a call that was given the base alone, and is bare: it may meet the data
    later, unseen.
    """

    def __init__(self, primitive, base, scale, draw):
        self._primitive, self._base, self._scale, self._draw = primitive, base, scale, draw
        self._known = None  # a function that returns its value, once that is known
        self._declared = _current.declared

    def _release(self, value, bare=None):
        (flat, shape), (noise, _) = _flat(value), _flat(self._draw)
        declared = _current.declared if self._declared is None else self._declared
        if bare is None:  # without a declared sensitivity, the noise may have been added to a constant and not to the data
            bare = declared is None
        if shape is None:
            noisy = flat[0] + noise[0]
            return _like(noisy, float(_current._call(self._primitive, flat[0], abs(self._scale), declared, lambda: noisy, bare=bare)))
        return _shaped(_current._call(self._primitive, flat, abs(self._scale), declared,
                                      lambda: [v + z for v, z in zip(flat, noise)], bare=bare), shape)

    def _number(self, bare=True):
        if self._known is None:
            released = self._release(self._base, bare)
            self._known = lambda: released
        return self._known()

    def _plus(self, other):
        other = _plain(other)
        if self._known is not None:  # it was used before, and is a number now
            return other + self._known()
        value = other + self._base
        flat, shape = _flat(value)
        noise, base = _flat(self._draw)[0], self._base
        if len(flat) == len(noise):
            released = self._release(value)
            self._known = lambda: released - other
            return released
        if flat and len(noise) == 1:  # one draw for many values: the first has it, and the others are as far from it as before
            first = self._release(flat[0])
            self._known = lambda: first - flat[0] + base
            return value - flat[0] + first
        return value + (self._number() - base)

    def _times(self, factor):
        factor = _plain(factor)
        if self._known is not None or _flat(factor)[1] is not None or factor == 0:
            return self._number() * factor
        return self._as(_Pending(self._primitive, self._base * factor, self._scale * factor, self._draw * factor),
                        lambda number: number / factor)

    def _as(self, other, back):
        """other, which is this one in another form; back brings its value into this one."""
        other._declared, self._known = self._declared, lambda: back(other._number())
        return other

    __add__ = __radd__ = _plus
    __mul__ = __rmul__ = _times

    def __neg__(self):
        return self._times(-1)

    def __sub__(self, other):
        return self._plus(-_plain(other))

    def __rsub__(self, other):
        return self._times(-1)._plus(other)

    def __truediv__(self, divisor):
        return self._times(1 / _plain(divisor))

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **more):
        name, result = ufunc.__name__, None
        if method == "__call__" and len(inputs) == 2 and not more:
            x, y = inputs
            if name == "add":
                result = self._plus(y if x is self else x)
            elif name == "subtract":
                result = self - y if x is self else self._times(-1)._plus(x)
            elif name == "multiply":
                result = self._times(y if x is self else x)
            elif name in ("divide", "true_divide") and x is self:
                result = self / y
        if result is None:
            result = getattr(ufunc, method)(*[_plain(v) for v in inputs], **more)
        if out is not None:
            out[0][...] = _plain(result)
            return out[0]
        return result

    def __array__(self, *of, **more):
        import numpy
        return numpy.asarray(self._number(), *of, **more)

    def __len__(self):
        return len(self._draw)

    def reshape(self, *shape, **more):
        if self._known is not None:
            return self._known().reshape(*shape, **more)
        was = self._draw.shape
        return self._as(_Pending(self._primitive, self._base.reshape(*shape, **more), self._scale,
                                 self._draw.reshape(*shape, **more)), lambda number: number.reshape(was))

    def __getattr__(self, name):  # all else is what a number or an array has
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._draw if name in ("shape", "ndim", "size", "dtype") else self._number(), name)


def _as_number(name):
    def method(self, *args):
        return getattr(_plain(self), name)(*[_plain(a) for a in args])
    return method


for _name in ("float int bool index round trunc floor ceil abs pos lt le gt ge eq ne hash iter getitem str repr format pow rpow "
              "rtruediv mod rmod floordiv rfloordiv divmod complex matmul rmatmul").split():
    setattr(_Pending, "__%s__" % _name, _as_number("__%s__" % _name))


class _Uniforms:
    """Vector of uniforms, one for each record: compared with a rate, a sample of them."""

    def __init__(self, draws):
        self._draws, self._rate, self._raw = draws, None, False

    def __lt__(self, rate):
        rate = _plain(rate)
        if self._raw or self._rate is not None and self._rate != rate or _flat(rate)[1] is not None or not 0 <= rate <= 1:
            return self._number() < rate
        if self._rate is None:
            import numpy
            self._rate, draws, below = rate, self._draws, self._draws < rate
            taken = numpy.asarray(_sampled(len(draws), rate, lambda: [int(b) for b in below])) == 1
            # What is replayed comes to numbers on that side of the rate.
            self._draws = numpy.where(taken == below, draws, numpy.where(taken, rate * draws, rate + (1 - rate) * draws))
        return self._draws < rate

    __le__ = __lt__

    def _number(self):
        if not self._raw:
            self._raw = True
            _current.uniform()
        return self._draws

    def __array_ufunc__(self, ufunc, method, *inputs, **more):
        if method == "__call__" and ufunc.__name__ in ("less", "less_equal") and inputs[0] is self and not more:
            return self < inputs[1]
        return getattr(ufunc, method)(*[_plain(v) for v in inputs], **more)

    def __array__(self, *of, **more):
        import numpy
        return numpy.asarray(self._number(), *of, **more)

    def __len__(self):
        return len(self._draws)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._draws if name in ("shape", "ndim", "size", "dtype") else self._number(), name)


for _name in "iter getitem gt ge eq ne add radd sub rsub mul rmul truediv rtruediv neg pow".split():
    setattr(_Uniforms, "__%s__" % _name, _as_number("__%s__" % _name))


def _plain(value):
    return value._number() if isinstance(value, (_Pending, _Uniforms)) else value


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


def _like(value, released):
    """released, as a number of numpy where value is one."""
    return _array(released)[()] if hasattr(value, "dtype") else released


def _array(values):
    numpy = sys.modules.get("numpy")
    return values if numpy is None else numpy.asarray(values)


def _coin(own, *args, **more):
    """A draw of any other kind: raw, unless it is public."""
    if _current.coins != "public":
        _current.uniform()
        return own(*[_plain(a) for a in args], **{k: _plain(v) for k, v in more.items()})
    value = own(*args, **more)
    flat, shape = _flat(value.tolist() if _flat(value)[1] is None and hasattr(value, "tolist") else value)
    if not all(isinstance(v, (int, float)) for v in flat):
        _current.uniform()  # an order, or letters
        return value
    kind = int if all(isinstance(v, int) for v in flat) else float
    return _shaped([kind(v) for v in _current.public(len(flat), lambda _: flat)], shape)


def _additive(primitive, unit, own, args, more, loc=0.0, scale=1.0, size=None):
    """Noise around loc; unit draws that of the scale 1, of a shape."""
    loc, scale = _plain(loc), _plain(scale)
    if _current.coins == "public" or _flat(scale)[1] is not None:
        return _coin(own, *args, **more)
    shape = _flat(loc)[1] if size is None else tuple(size) if hasattr(size, "__len__") else (operator.index(size),)
    noise = scale * unit(shape)
    return _Pending(primitive, loc if shape is None else loc + 0 * noise, scale, noise)


def _normal(own, *args, **more):
    return _additive("gaussian", lambda shape: own(0.0, 1.0, shape), own, args, more, *args, **more)


def _laplace(own, *args, **more):
    return _additive("laplace", lambda shape: own(0.0, 1.0, shape), own, args, more, *args, **more)


def _standard_normal(own, size=None, *args, **more):
    if args or more:  # into an array that is given, or in singles
        return _coin(own, size, *args, **more)
    return _additive("gaussian", own, own, (size,), {}, size=size)


def _randn(own, *shape):
    return _additive("gaussian", lambda of: own(*of or ()), own, shape, {}, size=shape or None)


def _gauss(own, mu=0.0, sigma=1.0):
    return _additive("gaussian", lambda _: own(0.0, 1.0), own, (mu, sigma), {}, mu, sigma)


def _sampled(n, rate, draw):
    return [int(t) for t in _listed(_current._call("poisson", n, rate, 0, draw))]


def _random(own, size=None, *args, **more):
    if _current.coins != "sampling" or args or more or size is None or len(_flat(size)[0]) > 1:
        return _coin(own, size, *args, **more)
    return _Uniforms(own(size))


def _rand(own, *shape):
    return _random(lambda size: own(*_flat(size)[0]), shape[0]) if len(shape) == 1 else _coin(own, *shape)


def _binomial(own, n, p, size=None):
    if _current.coins != "sampling" or _flat(n)[0] != [1] or _flat(p)[1] is not None or size is None or len(_flat(size)[0]) > 1:
        return _coin(own, n, p, size)
    drawn = own(n, p, size)
    return _array(_sampled(len(drawn), p, lambda: drawn.tolist()))


def _order(n, own):
    """An order of n things; own draws one."""
    released = _current._call("permutation", n, 0, 0, lambda: [int(i) for i in own(n)])
    return [int(i) for i in _listed(released)]


def _permutation(own, x, **more):
    if _current.coins != "sampling" or more:
        return _coin(own, x, **more)
    if hasattr(x, "__len__"):
        return _array(x)[_order(len(x), own)]
    return _array(_order(operator.index(x), own))


def _shuffled(permutation):
    """In place of shuffle; permutation draws an order."""
    def shuffle(own, x, *args, **more):
        if _current.coins != "sampling" or args or more:
            return _coin(own, x, *args, **more)
        order = _order(len(x), permutation)
        x[:] = [x[i] for i in order] if isinstance(x, list) else x[order]
    return shuffle


def _chosen(permutation):
    """In place of numpy's choice, without replacement."""
    def choice(own, a, size=None, replace=True, p=None, *args, **more):
        if _current.coins != "sampling" or replace or p is not None or args or set(more) - {"shuffle"}:
            return _coin(own, a, size, replace, p, *args, **more)
        values = _array(a) if hasattr(a, "__len__") else _array(range(operator.index(a)))
        n = 1 if size is None else math.prod(_flat(size)[0])
        if n > len(values):
            raise ValueError("Cannot take a larger sample than population when replace is False")
        taken = values[_order(len(values), permutation)[:n]]
        return taken[0] if size is None else taken.reshape(tuple(_flat(size)[0]) + values.shape[1:])
    return choice


def _sample(own, population, k, **more):
    values = list(population)
    if _current.coins != "sampling" or more or not 0 <= k <= len(values):
        return _coin(own, population, k, **more)
    return [values[i] for i in _order(len(values), lambda n: own(range(n), n))[:k]]


_ADDITIVE = {"laplace": _laplace, "normal": _normal, "standard_normal": _standard_normal, "randn": _randn, "random": _random,
             "random_sample": _random, "ranf": _random, "sample": _random, "rand": _rand, "binomial": _binomial,
             "permutation": _permutation}
_STATES = ("seed", "get_state", "set_state", "bit_generator", "get_bit_generator", "set_bit_generator")


def _watched(name, own, ours):
    @functools.wraps(own)
    def draw(*args, **more):
        if _current is None:  # no release runs
            return own(*args, **more)
        return (ours or _coin)(own, *args, **more)
    return draw


def _numpys(name, permutation):
    """What stands in place of a function of numpy."""
    return {"shuffle": _shuffled, "choice": _chosen}[name](permutation) if name in ("shuffle", "choice") else _ADDITIVE.get(name)


class _Drawing:
    """In place of a generator of numpy.random. One that was made without a seed has that of the release that runs."""

    def __init__(self, *args, **more):
        self._given, self._seeded, self._of = self._make(*args, **more), bool(args or more), None

    def _own(self):
        if self._seeded or _current is None:
            return self._given
        if self._of is not _current:
            self._of, self._fresh = _current, self._make(_current._draws.getrandbits(32))
        return self._fresh

    def spawn(self, n):
        return [_own_generator(child) for child in self._own().spawn(n)]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        own = getattr(self._own(), name)
        return own if name in _STATES or not callable(own) else _watched(name, own, _numpys(name, self._own().permutation))


def _patch_numpy(module):
    global _own_generator
    default, generator, state, seed = module.default_rng, module.Generator, module.RandomState, module.seed

    class Generator(_Drawing):
        _make = staticmethod(lambda *args: generator(*args) if args and hasattr(args[0], "capsule") else default(*args))

    class RandomState(_Drawing):
        _make = staticmethod(state)

    def _own_generator(own):
        drawing = Generator(0)
        drawing._given = own
        return drawing

    for name in dir(state) + ["ranf", "sample"]:
        if not name.startswith("_") and hasattr(module, name) and name not in _STATES:
            setattr(module, name, _watched(name, getattr(module, name), _numpys(name, module.mtrand._rand.permutation)))
    module.default_rng = lambda seed=None: seed if isinstance(seed, Generator) else Generator() if seed is None else (
        Generator(seed._given) if isinstance(seed, _Drawing) else Generator(seed))
    module.Generator, module.RandomState = Generator, RandomState
    _seeds.append(lambda n: seed(n % 2**32))


_seeds = []  # of the generators that modules have


def _seed(n):
    for seed in _seeds:
        seed(n)


def patch():
    """Watches draws from the modules random and, if it is installed, numpy.random, from now on."""
    if _seeds:
        return
    _seeds.append(random.seed)
    shuffle = random.shuffle

    def permutation(n):
        order = list(range(n))
        shuffle(order)
        return order
    ours = {"gauss": _gauss, "normalvariate": _gauss, "shuffle": _shuffled(permutation), "sample": _sample}
    for name in ("gauss normalvariate random shuffle sample expovariate uniform randint randrange choice choices getrandbits "
                 "triangular betavariate gammavariate lognormvariate vonmisesvariate paretovariate weibullvariate "
                 "randbytes").split():
        if hasattr(random, name):
            setattr(random, name, _watched(name, getattr(random, name), ours.get(name)))
    try:
        import numpy.random
    except ImportError:
        return
    _patch_numpy(numpy.random)
