#!/usr/bin/env python3
"""Writes extremes.tsv: exact privacy at the ends of the accountant's domain.

    python3 extremes.py > extremes.tsv        (mpmath 1.3, 120 digits, some minutes)

Columns: reason, adjacency, quantity (epsilon, delta, renyi), the δ, ε or order it is at,
the value to 25 digits, the event as the accountant reads it (JSON). Parameters are the
doubles that Go reads. Everything is a closed form evaluated straight from the definition
of the hockey-stick or Rényi divergence; none of it shares code or method with the package:

  gaussian      δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), any real ε   (Balle & Wang 2018)
  laplace       δ(ε) = 1 − e^((ε−ε₀)/2) for |ε| < ε₀, 1 − e^ε below
  finite pairs  Σ P(x)(1 − e^(ε−L(x)))⁺, compositions by enumeration of the sums
  sampling      {P′/Q > e^ε} is {P/Q > e^x}, e^x = (e^ε − 1 + q)/q, so that δ′(ε) = q·δ(x); in the
                other direction δ′(ε) = (1 − (1−q)e^ε)·δ(x), e^x = qe^ε/(1 − (1−q)e^ε)
  opposed       {P/Q > e^ε} is a half-line whose end solves a quadratic in e^(μy)
  Rényi         binomial sums at integer orders, quadrature at others
"""
import json, re, sys
from mpmath import mp, mpf, exp, log, log1p, expm1, sqrt, erfc, pi, inf, binomial, quad, asinh, sinh, loggamma, floor

mp.dps = 120


def Phi(z):
    return erfc(-z / sqrt(2)) / 2


def gaussian(mu):
    return lambda e: Phi(mu / 2 - e / mu) - exp(e) * Phi(-mu / 2 - e / mu)


def laplace(e0):
    def d(e):
        if e >= e0:
            return mpf(0)
        return -expm1(e) if e <= -e0 else -expm1((e - e0) / 2)
    return d


def atoms(pairs):
    """δ of a finite pair given as (loss, mass under P)."""
    return lambda e: sum(p * -expm1(e - l) for l, p in pairs if l > e)


def response(e0, k=2):
    z = exp(e0) + k - 1
    pairs = [(e0, exp(e0) / z), (-e0, 1 / z)]
    return pairs + ([(mpf(0), (k - 2) / z)] if k > 2 else [])


def discrete_laplace(a, d):
    c = (1 - exp(-a)) / (1 + exp(-a))
    pairs = [(a * d, 1 / (1 + exp(-a))), (-a * d, exp(-a * d) / (1 + exp(-a)))]
    return pairs + [(a * (2 * k - d), c * exp(-a * (d - k))) for k in range(1, d)]


def power(pairs, n):
    """n-fold composition of a finite pair by squaring, equal sums merged."""
    def times(x, y):
        out = {}
        for l1, p1 in x.items():
            for l2, p2 in y.items():
                out[l1 + l2] = out.get(l1 + l2, 0) + p1 * p2
        return out
    result, base = {mpf(0): mpf(1)}, dict(pairs)
    while n:
        if n & 1:
            result = times(result, base)
        base, n = times(base, base) if n > 1 else base, n >> 1
    return list(result.items())


def binomial_response(e0, n):
    """δ of n responses, the sum cut where terms vanish to all digits."""
    p, q = 1 / (1 + exp(-e0)), 1 / (1 + exp(e0))

    def d(e):
        last = int(min(n, floor((n - e / e0) / 2)))
        start = max(0, min(last, int(n * q)))
        term = lambda l: exp(loggamma(n + 1) - loggamma(l + 1) - loggamma(n - l + 1) + (n - l) * log(p) + l * log(q))
        gain = lambda l: max(mpf(0), -expm1(e - (n - 2 * l) * e0))
        first = term(start)
        total, t, l = first * gain(start), first, start
        while l > 0 and t > first * mpf(10) ** -60:
            t = t * l / (n - l + 1) * p / q
            l -= 1
            total += t * gain(l)
        t, l = first, start
        while l < last and t > first * mpf(10) ** -60:
            t = t * (n - l) / (l + 1) * q / p
            l += 1
            total += t * gain(l)
        return total
    return d


def sampled(q, delta):
    def d(e):
        there = q * delta(log((expm1(e) + q) / q))
        rest = 1 - (1 - q) * exp(e)
        return max(there, rest * delta(log(q * exp(e) / rest)) if rest > 0 else 0)
    return d


def opposed(q, mu):
    def d(e):
        if e == 0:
            y = mpf(0)
        else:
            y = (e / 2 + asinh((1 - q) * sinh(e / 2) / (q * exp(-mu * mu / 2)))) / mu
        return (1 - q) * Phi(-y) + q * Phi(mu - y) - exp(e) * ((1 - q) * Phi(-y) + q * Phi(-mu - y))
    return d


def with_atoms(delta, pairs):
    return lambda e: sum(p * delta(e - l) for l, p in pairs)


def lossy(delta, lost):
    return lambda e: lost + (1 - lost) * delta(e)


def two_laplace(e0):
    one = laplace(e0)

    def d(e):
        ends = sorted(x for x in {-e0, e0, e - e0, e + e0} if -e0 <= x <= e0)
        inner = quad(lambda x: exp((x - e0) / 2) / 4 * one(e - x), ends)
        return one(e - e0) / 2 + exp(-e0) / 2 * one(e + e0) + inner
    return d


def epsilon_at(delta, target, hi):
    """The least ε ≥ 0 with δ(ε) ≤ target, by bisection to 50 digits."""
    lo, hi = mpf(0), mpf(hi)
    if delta(lo) <= target:
        return lo
    for _ in range(400):
        if hi - lo < hi * mpf(10) ** -45:
            break
        mid = (lo + hi) / 2
        if delta(mid) <= target:
            hi = mid
        else:
            lo = mid
    return hi


def row(reason, adjacency, quantity, at, value, event):
    numbers = re.sub(r'(?<![\d.])(\d+)e', r'\1.0e', json.dumps(event))  # to YAML 1e-07 is a word
    print('\t'.join([reason, adjacency, quantity, repr(float(at)), mp.nstr(value, 25, min_fixed=1, max_fixed=0), numbers]))
    sys.stdout.flush()


def rows(reason, event, delta, deltas, hi, adjacency='add-remove'):
    for target in deltas:
        e = epsilon_at(delta, mpf(target), hi)
        row(reason, adjacency, 'epsilon', target, e, event)
        if e > 0:
            at = float(e)
            value = delta(mpf(at))
            row(reason, adjacency, 'delta', at, value if value > mpf(10) ** -300 else mpf(0), event)


F = lambda x: mpf(float(x))
TAILS = [0.5, 1e-5, 1e-50, 1e-200]


def main():
    print('reason\tadjacency\tquantity\tat\tvalue\tevent')
    for sigma, count in [(1e-3, 1), (1e-3, 1000), (1e-3, 10**10), (0.03, 1), (1e3, 1), (1e3, 10**10), (7.3, 10**6), (1e3, 10)]:
        for adjacency, move in [('add-remove', 1), ('replace-one', 2)]:
            mu = move * sqrt(mpf(count)) / F(sigma)
            rows('Gaussian', {'mechanism': 'gaussian', 'sigma': sigma, 'count': count}, gaussian(mu), [1e-5, 1e-200], mu * mu + 100 * mu + 10, adjacency)
    for sigma, q in [(0.03, 0.1), (0.036, 0.5), (0.001, 0.9), (0.001, 1e-7), (0.05, 1e-7), (0.2, 0.01), (1000, 1e-7), (1000, 0.99), (1, 1e-7), (0.1, 1 - 1e-9), (3, 1 - 1e-9), (0.01, 0.3)]:
        mu, event = 1 / F(sigma), {'mechanism': 'sgm', 'noise-multiplier': sigma, 'sampling-rate': q}
        rows('sampled Gaussian', event, sampled(F(q), gaussian(mu)), TAILS[1:], mu * mu + 100 * mu + 10)
        rows('opposed Gaussians', event, opposed(F(q), mu), TAILS[1:], 2 * mu * mu + 200 * mu + 10, 'replace-one')
    row('the review’s question', 'add-remove', 'delta', 1050, sampled(F(0.1), gaussian(1 / F(0.03)))(mpf(1050)), {'mechanism': 'sgm', 'noise-multiplier': 0.03, 'sampling-rate': 0.1})

    for scale in [1e-3, 0.02, 1, 3, 1e3]:
        e0 = mpf(1.0 / scale)
        rows('one Laplace', {'mechanism': 'laplace', 'scale': scale}, laplace(1 / F(scale)), [0.5, 1e-5, 1e-12, 1e-50], 1 / F(scale))
        rows('sampled Laplace', {'mechanism': 'laplace', 'scale': scale, 'sampling-rate': 0.01}, sampled(F(0.01), laplace(1 / F(scale))), [1e-3, 1e-9], 1 / F(scale))
        rows('sampled Laplace', {'mechanism': 'laplace', 'scale': scale, 'sampling-rate': 1 - 1e-9}, sampled(F(1 - 1e-9), laplace(1 / F(scale))), [1e-3, 1e-9], 1 / F(scale))
    for scale in [0.02, 1, 100]:
        rows('two Laplace', {'mechanism': 'laplace', 'scale': scale, 'count': 2}, two_laplace(1 / F(scale)), [0.1, 1e-9], 2 / F(scale))

    for e0, n in [(20, 3), (50, 3), (700, 2), (1e4, 5), (1e-4, 1), (13, 4), (0.3, 40)]:
        for name in ['pure', 'rr']:
            event = {'mechanism': name, 'epsilon0': e0, 'count': n} | ({'categories': 2} if name == 'rr' else {})
            rows('responses', event, atoms(power(response(F(e0)), n)), [0.3, 1e-3, 1e-9, 1e-30], n * F(e0) * mpf('1.01'))
    for e0, n, at in [(1e-6, 10**6, [1e-3, 0.01]), (1e-3, 10**5, [0.5, 4, 9]), (0.1, 1000, [5, 30, 90]), (1, 10**4, [4700, 5500])]:
        for e in at:
            row('many responses', 'add-remove', 'delta', e, binomial_response(F(e0), n)(F(e)), {'mechanism': 'pure', 'epsilon0': e0, 'count': n})
    e0, n = F(0.1), 1000
    for gap in [1e-3, 1e-8, 1e-11]:
        at = 100 - gap
        row('next to the largest loss', 'add-remove', 'delta', at, binomial_response(e0, n)(F(at)), {'mechanism': 'pure', 'epsilon0': 0.1, 'count': 1000})
        row('next to the largest loss', 'add-remove', 'delta', 1 / 3 - gap, laplace(1 / F(3))(F(1 / 3 - gap)), {'mechanism': 'laplace', 'scale': 3})
    for e0, d0, n in [(1, 1e-5, 1), (1, 1e-5, 10), (30, 1e-3, 4), (1e-3, 0.1, 7), (2, 1e-100, 3)]:
        event = {'mechanism': 'approximate', 'epsilon0': e0, 'delta0': d0, 'count': n}
        lost = 1 - (1 - F(d0)) ** n
        delta = lossy(atoms(power(response(F(e0)), n)), lost)
        rows('black boxes', event, delta, [float(lost * mpf(m)) for m in ['1.000000001', '1.0001', 1.5] if lost * mpf(m) < 1], n * F(e0) * mpf('1.01'))
    row('black box at its own δ', 'add-remove', 'epsilon', 1e-5, mpf(1), {'mechanism': 'approximate', 'epsilon0': 1, 'delta0': 1e-5})
    for e0, k, n in [(3, 10, 5), (0.01, 1000, 8), (40, 3, 3)]:
        rows('many categories', {'mechanism': 'rr', 'epsilon0': e0, 'categories': k, 'count': n}, atoms(power(response(F(e0), k), n)), [0.01, 1e-9], n * F(e0), 'replace-one')
    for q, e0 in [(0.01, 1), (1e-7, 30), (1 - 1e-9, 30), (0.5, 1e-3)]:
        event = {'mechanism': 'rr', 'epsilon0': e0, 'categories': 2, 'sampling-rate': q}
        rows('sampled response', event, sampled(F(q), atoms(response(F(e0)))), [1e-4, 1e-9], F(e0))
    # Found by drawn extremes: the largest loss of a sampled response is a rounded number.
    q, e0 = F(1.7397178223373015e-06), F(0.00016873839673908178)
    twice = atoms(power([(log(1 - q + q * exp(l)), (1 - q) * p * exp(-l) + q * p) for l, p in response(e0)], 2))
    row('next to the largest loss', 'add-remove', 'delta', 5.871639293098743e-10, twice(F(5.871639293098743e-10)), {'mechanism': 'rr', 'epsilon0': float(e0), 'categories': 2, 'count': 2, 'sampling-rate': float(q)})
    for a, d, n in [(1e-3, 50, 2), (0.5, 3, 4), (30, 2, 3), (1e-6, 1, 7), (5, 4, 2)]:
        event = {'mechanism': 'discrete-laplace', 'rate': a, 'sensitivity': d, 'count': n}
        rows('discrete Laplace', event, atoms(power(discrete_laplace(F(a), d), n)), [1e-4, 1e-9], n * d * F(a))
    for eta in [1e-4, 1, 50, 1e4]:
        h = F(eta)
        rows('exponential', {'mechanism': 'exponential', 'epsilon0': eta}, lambda e: (1 - exp((e - h) / 2)) ** 2 / -expm1(-h) if e < h else mpf(0), [1e-4, 1e-30], h)
    for sigma, e0, n in [(0.05, 3, 2), (20, 0.01, 5), (1000, 2, 3)]:
        event = {'mechanism': 'compose', 'events': [{'mechanism': 'gaussian', 'sigma': sigma}, {'mechanism': 'pure', 'epsilon0': e0, 'count': n}]}
        rows('Gaussian and responses', event, with_atoms(gaussian(1 / F(sigma)), power(response(F(e0)), n)), [1e-5, 1e-100], 1 / F(sigma) ** 2 + 100 / F(sigma) + n * F(e0) + 10)
    for rho in [1e-12, 1e-4, 1, 1e4]:
        mu = sqrt(2 * F(rho))
        rows('zCDP, of which a Gaussian is one', {'mechanism': 'zcdp', 'rho': rho}, gaussian(mu), [0.999, 1e-5, 1e-150], mu * mu + 100 * mu + 10)

    for sigma, q, alpha in [(0.03, 0.1, 2), (0.001, 1e-7, 2), (0.001, 0.5, 7), (0.02, 1e-7, 3), (0.05, 1 - 1e-9, 40), (1000, 1e-7, 500), (0.036, 1e-7, 200), (0.5, 0.01, 64)]:
        mu, s = 1 / F(sigma), F(q)
        total = sum(binomial(alpha, k) * (1 - s) ** (alpha - k) * s ** k * expm1(mpf(k * (k - 1)) * mu * mu / 2) for k in range(2, alpha + 1))
        row('integer order', 'add-remove', 'renyi', alpha, log1p(total) / (alpha - 1), {'mechanism': 'sgm', 'noise-multiplier': sigma, 'sampling-rate': q})
    mp.dps = 30
    for adjacency in ['add-remove', 'replace-one']:
        for sigma, q, alpha in [(0.03, 0.1, 1.1), (0.03, 0.1, 1.5), (0.02, 1e-7, 1.5), (0.001, 0.5, 1.001), (0.001, 1e-7, 1.9), (0.036, 0.5, 1 + 1e-6), (0.04, 1 - 1e-9, 1.3), (0.01, 1e-3, 2.5), (0.03, 1e-7, 40.25), (1000, 0.3, 1e4)]:
            row('any order', adjacency, 'renyi', alpha, quadrature(F(q), 1 / F(sigma), F(alpha), adjacency == 'replace-one'), {'mechanism': 'sgm', 'noise-multiplier': sigma, 'sampling-rate': q})


def quadrature(q, mu, alpha, opposed):
    def integrand(y):
        up = log(1 - q + q * exp(mu * y - mu * mu / 2))
        down = log(1 - q + q * exp(-mu * y - mu * mu / 2)) if opposed else mpf(0)
        u = expm1(up - down)
        return exp(-y * y / 2 + down) / sqrt(2 * pi) * ((1 + u) ** alpha - 1 - alpha * u)
    branch = mu / 2 + log((1 - q) / q) / mu
    ends = set()
    for c in [mpf(0), mu, 2 * mu, alpha * mu, branch] + ([-mu, 3 * mu, (2 * alpha - 1) * mu, -branch] if opposed else []):
        ends |= {c + s for s in range(-14, 15, 2)}
    for c in [branch, -branch]:
        ends |= {c + s / mu * mpf(2) ** k for s in (-1, 1) for k in range(-1, 10, 2)}
    ends |= {(2 * alpha + 2) * mu + 20, -mu - 20}
    ends = sorted(e for e in ends if -mu - 20 <= e <= (2 * alpha + 2) * mu + 20)
    return log1p(quad(integrand, ends, maxdegree=4)) / (alpha - 1)


main()
