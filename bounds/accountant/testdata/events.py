"""Writes events.tsv: figures of events that are known by their dominating pair.

Exact ones are closed forms, or enumerations and integrals of one or two runs with 40 digits (python -m pip install
mpmath). Of instances, marked so in the column quantity, the event's δ is at least theirs: they are mechanisms of
the kind on one pair of neighbouring inputs, enumerated. Rows "literature" are quoted: see the reason.
"""

import itertools
import json
import math

from mpmath import erfc, exp, log, mp, mpf, quad, sqrt, inf, pi

mp.dps = 40
rows = []


def row(reason, quantity, at, value, adjacency="add-remove", **event):
    rows.append("\t".join([reason, adjacency, quantity, repr(float(at)), mp.nstr(mpf(value), 25), json.dumps(event)]))


def phi(x):
    return erfc(-x / sqrt(2)) / 2


def gaussian(mu, eps):
    return phi(mu / 2 - eps / mu) - exp(eps) * phi(-mu / 2 - eps / mu)


def worst(pairs, eps):
    """The larger hockey-stick divergence of both orders."""
    return max(sum(max(mpf(0), p - exp(eps) * q) for p, q in pairs), sum(max(mpf(0), q - exp(eps) * p) for p, q in pairs))


def twice(pairs):
    return [(a * c, b * d) for (a, b), (c, d) in itertools.product(pairs, pairs)]


EPS = [mpf(0), mpf(1) / 4, mpf(1)]

for sigma, batch, records in [(1, 10, 100), (2, 1, 1000)]:
    for eps in EPS:
        q = mpf(batch) / records
        value = q * gaussian(mpf(2) / sigma, log(1 + (exp(eps) - 1) / q))
        for adjacency in ["add-remove", "replace-one"]:
            row("without replacement: q·δ(log(1+(e^ε−1)/q)) of a shift of 2 (Balle, Barthe & Gaboardi 2018)", "delta", eps,
                value, adjacency, mechanism="gaussian", sigma=sigma, sampling="without-replacement", records=records,
                batch=batch)


def discrete_gaussian(sigma, d):
    weights = {k: exp(-mpf(k * k) / (2 * mpf(sigma) ** 2)) for k in range(-60 * sigma, 60 * sigma + 1)}
    total = sum(weights.values())
    return [(weights.get(k - d, mpf(0)) / total, w / total) for k, w in weights.items()]


for sigma, d in [(1, 1), (2, 1), (2, 3)]:
    pairs = discrete_gaussian(sigma, d)
    for eps in EPS:
        row("discrete Gaussian, enumerated", "delta", eps, worst(pairs, eps), mechanism="discrete-gaussian", sigma=sigma,
            sensitivity=d)
for eps in EPS:
    row("discrete Gaussian, two runs enumerated", "delta", eps,
        worst(twice([x for x in discrete_gaussian(1, 1) if max(x) > mpf(10) ** -30]), eps), mechanism="discrete-gaussian",
        sigma=1, count=2)

for scale, bound, s in [(1, 4, 1), (2, 3, 2)]:
    b, r, d = mpf(scale), mpf(bound), mpf(s)
    norm = 2 * b * (1 - exp(-r / b))
    density = lambda z: exp(-abs(z) / b) / norm if abs(z) <= r else mpf(0)
    for eps in EPS:
        kink = (d + eps * b) / 2
        points = sorted({d - r, mpf(0), min(max(kink, mpf(0)), d), d, r})
        inside = quad(lambda y: max(mpf(0), density(y - d) - exp(eps) * density(y)), points)
        lost = quad(lambda y: density(y - d), [r, d + r])
        row("truncated Laplace, integrated", "delta", eps, inside + lost, mechanism="truncated-laplace", scale=scale,
            bound=bound, sensitivity=s)

for bound in [10, 1000]:
    for count in [1, 3]:
        row("uniform: 1 − (1 − 1/2R)ⁿ", "delta", 1, 1 - (1 - mpf(1) / (2 * bound)) ** count, mechanism="uniform", bound=bound,
            count=count)

for sigma, shifts, weights in [(1, [0, 1, 2], [0.81, 0.18, 0.01]), (2, [1, 3], [0.5, 0.5])]:
    w = [mpf(repr(x)) for x in weights]
    norm = lambda y, s: exp(-((y - s) ** 2) / (2 * mpf(sigma) ** 2)) / (sigma * sqrt(2 * pi))
    ratio = lambda y: sum(x * exp((2 * y * s - s * s) / (2 * mpf(sigma) ** 2)) for x, s in zip(w, shifts))
    for eps in EPS:
        lo, hi = mpf(-200), mpf(200)
        for _ in range(140):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if ratio(mid) < exp(eps) else (lo, mid)
        tail = lambda s: phi((s - lo) / sigma)
        forth = sum(x * tail(s) for x, s in zip(w, shifts)) - exp(eps) * tail(0)
        back = mpf(0)
        if eps < 40:
            lo, hi = mpf(-200), mpf(200)
            if ratio(lo) < exp(-eps):
                for _ in range(140):
                    mid = (lo + hi) / 2
                    lo, hi = (mid, hi) if ratio(mid) < exp(-eps) else (lo, mid)
                below = lambda s: phi((lo - s) / sigma)
                back = below(0) - exp(eps) * sum(x * below(s) for x, s in zip(w, shifts))
        row("mixture of Gaussians: its ratio rises, so that tails are the worst events", "delta", eps, max(forth, back),
            mechanism="gaussian-mixture", sigma=sigma, shifts=shifts, weights=weights)

table = [[0.5, 0.25], [0.25, 0.5], [0.125, 0.25], [0.125, 0]]
pairs = [(mpf(p), mpf(q)) for p, q in table]
for eps in EPS:
    row("a table", "delta", eps, worst(pairs, eps), mechanism="table", outputs=table)
    row("a table, twice", "delta", eps, worst(twice(pairs), eps), mechanism="table", outputs=table, count=2)

for nodes, times, separation, square in [(1024, 1, 1, 11), (1024, 4, 256, 60), (8, 8, 1, 64 + 32 + 16 + 8)]:
    for eps in EPS:
        row("tree: the counts of all nodes, squared", "delta", eps, gaussian(sqrt(mpf(square)) / 20, eps), mechanism="matrix",
            strategy="tree", steps=nodes, **{"noise-multiplier": 20, "participation": {"times": times, "separation": separation}})
for eps in EPS:
    row("prefix sums: the first column is all ones", "delta", eps, gaussian(mpf(1) / 2, eps), mechanism="matrix",
        strategy="prefix", steps=100, **{"noise-multiplier": 20})
    row("allocation to one step of one", "delta", eps, gaussian(mpf(1), eps), mechanism="gaussian", sigma=1,
        sampling="allocation", steps=1)
    row("allocation to all steps", "delta", eps, gaussian(sqrt(mpf(3)) / 2, eps), mechanism="gaussian", sigma=2,
        sampling="allocation", steps=3, picks=3)


def two_steps(sigma, eps):
    """Of two steps and one pick: Q(y) integrated in the second output beyond its threshold."""
    m = mpf(1) / sigma
    normal = lambda y: exp(-y * y / 2) / sqrt(2 * pi)

    def given(y):
        rest = 2 * exp(eps) - exp(m * y - m * m / 2)  # the second ratio above which the mean exceeds e^ε
        z = -inf if rest <= 0 else log(rest) / m + m / 2
        q, p = (mpf(1), mpf(1)) if z == -inf else (phi(-z), phi(m - z))
        return normal(y) * ((exp(m * y - m * m / 2) * q + p) / 2 - exp(eps) * q)

    kink = log(2 * exp(eps)) / m + m / 2
    return quad(given, [-14, -6, -2, 0, kink / 2, kink - mpf(1) / 8, kink, kink + 2, kink + 14])


mp.dps = 25
for eps in EPS:
    row("allocation to one step of two, integrated: adding", "instance-delta", eps, two_steps(1, eps) * (1 - mpf(10) ** -9),
        mechanism="gaussian", sigma=1, sampling="allocation", steps=2)
mp.dps = 40
row("allocation: at least .58 (Feldman & Shenfeld 2025, arXiv 2502.08202)", "instance-epsilon", 1e-5, "0.58",
    mechanism="gaussian", sigma=1, sampling="allocation", steps=100)
row("allocation: at most 1.03 (Feldman & Shenfeld 2025, arXiv 2502.08202)", "most-epsilon", 1e-5, "1.03",
    mechanism="gaussian", sigma=1, sampling="allocation", steps=100)

# Instances.


def permute_and_flip(scores, eps0):
    """Probabilities of the candidates: orders, and coins e^{ε₀(q−q*)/2}."""
    accept = [exp(mpf(eps0) * (s - max(scores)) / 2) for s in scores]
    total = [mpf(0)] * len(scores)
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        left = mpf(1)
        for i in order:
            total[i] += left * accept[i] / len(orders)
            left *= 1 - accept[i]
    return total


def top(scores, eps0, k):
    """Probabilities of ordered choices of k candidates, one exponential mechanism after another, e^{ε₀q/2}."""
    out = {}
    for chosen in itertools.permutations(range(len(scores)), k):
        p, left = mpf(1), list(range(len(scores)))
        for i in chosen:
            p *= exp(mpf(eps0) * scores[i] / 2) / sum(exp(mpf(eps0) * scores[j] / 2) for j in left)
            left.remove(i)
        out[chosen] = p
    return out


for eps in EPS:
    for a, b in [((0, 0), (1, -1)), ((0, 0, 0), (1, 1, -1)), ((1, 0, 0, 2), (0, 1, -1, 1))]:
        row("permute-and-flip, enumerated", "instance-delta", eps,
            worst(zip(permute_and_flip(a, 1), permute_and_flip(b, 1)), eps), mechanism="permute-and-flip", epsilon0=1)
    a, b = top((0, 0, 0, 0), 1, 2), top((1, 1, -1, -1), 1, 2)
    row("two best of four, enumerated", "instance-delta", eps, worst([(a[c], b[c]) for c in a], eps), mechanism="top-k",
        epsilon0=1, k=2)
    far = phi(-1 / sqrt(mpf(2)) / 2)
    row("two classes of nearly equal votes", "instance-delta", eps, worst([(far, 1 - far), (1 - far, far)], eps),
        mechanism="noisy-argmax", sigma=2)
    row("a new partition", "instance-delta", eps, exp(-mpf(9)) / 2, mechanism="threshold", threshold=10, scale=1)
    row("an old partition", "instance-delta", eps, max(mpf(0), 1 - exp((eps - 1) / 2)), mechanism="threshold", threshold=10,
        scale=1)
    # Randomized response, the larger answer of K runs: P(all low) = f(p), f the generating function of K.
    for eta, gamma in [(1, 0.1), (0, 0.3), (2, 0.5)]:
        g = mpf(repr(gamma))
        f = (lambda x: log(1 - (1 - g) * x) / log(g)) if eta == 0 else (
            lambda x: ((1 - (1 - g) * x) ** -eta - 1) / (g ** -eta - 1))
        high = exp(mpf(1)) / (1 + exp(mpf(1)))
        pairs = [(f(high), f(1 - high)), (1 - f(high), 1 - f(1 - high))]
        row("the larger answer of some runs", "instance-delta", eps, worst(pairs, eps), mechanism="repeat-and-select", eta=eta,
            gamma=gamma, events=[{"mechanism": "rr", "epsilon0": 1, "categories": 2}])


def sparse(values, eps1, eps2, cutoff):
    """Probabilities of answers to queries of these values above the threshold 0."""
    a, b = 1 / mpf(eps1), 2 * cutoff / mpf(eps2)
    tail = lambda x: exp(-x / b) / 2 if x > 0 else 1 - exp(x / b) / 2  # P(noise ≥ x)
    answers = set()
    for word in itertools.product([0, 1], repeat=len(values)):
        kept = []
        for w in word:
            kept.append(w)
            if sum(kept) == cutoff:
                break
        answers.add(tuple(kept))

    def chance(word):
        def given(z):
            p = exp(-abs(z) / a) / (2 * a)
            for w, v in zip(word, values):
                above = tail(z - v)
                p *= above if w else 1 - above
            return p
        return quad(given, [-60 * a, -10 * a, -3 * a] + sorted({mpf(v) for v in values} | {mpf(0)}) + [3 * a, 10 * a, 60 * a])
    return {word: chance(word) for word in sorted(answers)}


mp.dps = 20
a, b = sparse((-1, -1, 0), 0.5, 1, 1), sparse((0, 0, -1), 0.5, 1, 1)
for eps in EPS:
    row("three queries, integrated", "instance-delta", eps, worst([(a[c], b[c]) for c in a], eps) * (1 - mpf(10) ** -6),
        mechanism="sparse-vector", epsilon1=0.5, epsilon2=1)


def truncated(rate, most, records, present):
    """Weights of sums of sampled contributions: the record +1, all others −1, of a sample cut to most at random."""
    law = {}
    for n in range(records):
        p = math.comb(records - 1, n) * mpf(rate) ** n * (1 - mpf(rate)) ** (records - 1 - n)
        keep = lambda s, w: law.__setitem__(s, law.get(s, mpf(0)) + w)
        if not present:
            keep(-min(n, most), p)
            continue
        keep(-min(n, most), p * (1 - mpf(rate)))
        kept = mpf(min(n + 1, most)) / (n + 1)
        keep(1 - (min(n + 1, most) - 1), p * rate * kept)
        keep(-min(n, most), p * rate * (1 - kept))
    return law


for eps in EPS:
    p, q = truncated(0.5, 2, 5, True), truncated(0.5, 2, 5, False)
    density = lambda law, y: sum(w * exp(-((y - s) ** 2) / 2) for s, w in law.items()) / sqrt(2 * pi)
    grid = [mpf(i) / 2 for i in range(-30, 31)]
    forth = quad(lambda y: max(mpf(0), density(p, y) - exp(eps) * density(q, y)), grid)
    back = quad(lambda y: max(mpf(0), density(q, y) - exp(eps) * density(p, y)), grid)
    row("samples of at most two of five, integrated", "instance-delta", eps, max(forth, back) * (1 - mpf(10) ** -3),
        mechanism="sgm", sampling="truncated-poisson", records=5, batch=2, **{"sampling-rate": 0.5, "noise-multiplier": 1})

with open("events.tsv", "w") as f:
    f.write("reason\tadjacency\tquantity\tat\tvalue\tevent\n" + "\n".join(rows) + "\n")
