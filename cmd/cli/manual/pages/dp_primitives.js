// Noise primitives that dpverify records and replays, for Node.
//
//     const { serve } = require("./dp_primitives.js");
//     serve((noise, records) => noise.laplace(records.length, 2, 1));
//
// Each call reports its value before noise, a number or a list of numbers, and the sensitivity that its scale is made for.
// The sensitivity is for the whole list, in l1 for Laplace and in l2 for Gaussian noise. Draw all noise by these calls.
"use strict";

class Noise {
  constructor(seed, replay, recording) {
    this.state = BigInt(seed) & 0xffffffffffffffffn;
    this.replay = (replay || []).map(read);
    this.recording = recording;
    this.calls = [];
  }

  // raw is a number of (0, 1), by splitmix64.
  raw() {
    const mask = 0xffffffffffffffffn;
    this.state = (this.state + 0x9e3779b97f4a7c15n) & mask;
    let z = this.state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return (Number((z ^ (z >> 31n)) >> 11n) + 0.5) / 2 ** 53;
  }

  call(primitive, value, scale, sensitivity, size, draw, norm) {
    if (!this.recording) return draw();
    let released = this.replay.shift();
    if (released === undefined || (Array.isArray(released) ? released.length : 1) !== size) {
      this.replay = []; // another call than the one that was recorded
      released = draw();
    }
    const place = (new Error().stack.split("\n").find((l) => /:\d+:\d+/.test(l) && !l.includes(__filename)) || "")
      .match(/([^/\\(]+:\d+):\d+/);
    this.calls.push({ primitive, value: written(value), scale, sensitivity, released: written(released),
      norm, place: place ? place[1] : "" });
    return released;
  }

  added(primitive, given, scale, sensitivity, unit) {
    const value = ArrayBuffer.isView(given) ? Array.from(given) : given;
    const list = Array.isArray(value);
    const out = this.call(primitive, value, scale, sensitivity, list ? value.length : 1,
      () => (list ? value.map((v) => v + scale * unit()) : value + scale * unit()));
    return list && !Array.isArray(out) ? [out] : out;
  }

  unitLaplace() {
    return Math.log(this.raw()) * (this.raw() < 0.5 ? 1 : -1);
  }

  laplace(value, scale, sensitivity) {
    return this.added("laplace", value, scale, sensitivity, () => this.unitLaplace());
  }

  gaussian(value, sigma, sensitivity) {
    return this.added("gaussian", value, sigma, sensitivity,
      () => Math.sqrt(-2 * Math.log(this.raw())) * Math.cos(2 * Math.PI * this.raw()));
  }

  // exponential returns the index of a score, with probability proportional to exp(epsilon * score / (2 * sensitivity)).
  exponential(scores, epsilon, sensitivity) {
    const scale = (2 * sensitivity) / epsilon;
    return this.call("exponential", scores, scale, sensitivity, 1, () => {
      const top = Math.max(...scores);
      const weights = scores.map((s) => (s === top ? 1 : Math.exp((s - top) / scale)));
      let at = this.raw() * weights.reduce((a, b) => a + b, 0);
      const found = weights.findIndex((w) => (at -= w) < 0);
      return found < 0 ? scores.length - 1 : found;
    });
  }

  // discreteLaplace adds noise of probability proportional to exp(-|k| / scale) to whole numbers; sensitivity in l1.
  discreteLaplace(value, scale, sensitivity) {
    const geometric = () => Math.floor(-Math.log(this.raw()) * scale);
    const list = Array.isArray(value);
    const noisy = (v) => v + geometric() - geometric();
    return this.call("discrete-laplace", value, scale, sensitivity, list ? value.length : 1,
      () => (list ? value.map(noisy) : noisy(value)));
  }

  // noisyMax is the index of the largest of scores with Laplace noise of the scale.
  noisyMax(scores, scale, sensitivity) {
    return this.call("noisy-max", scores, scale, sensitivity, 1, () => {
      const noisy = scores.map((s) => s + scale * this.unitLaplace());
      return noisy.indexOf(Math.max(...noisy));
    });
  }

  // randomizedResponse returns value, in 0..k-1, with odds of e^epsilon to 1 against each other one.
  randomizedResponse(value, k, epsilon) {
    return this.call("randomized-response", value, 1 / epsilon, 1, 1, () => {
      if (this.raw() * (Math.exp(epsilon) + k - 1) < Math.exp(epsilon)) return value;
      const other = Math.floor(this.raw() * (k - 1));
      return other + (other >= value ? 1 : 0);
    });
  }

  // pure is any other release that is epsilon-private for this sensitivity; draw(raw) returns `size` numbers.
  pure(value, epsilon, sensitivity, norm, draw, size = 1) {
    return this.call("pure", value, sensitivity / epsilon, sensitivity, size, () => draw(() => this.raw()), norm);
  }

  // permutation returns 0..n-1 in a uniformly random order.
  permutation(n) {
    return [this.call("permutation", n, 0, 0, n, () => {
      const order = Array.from({ length: n }, (_, i) => i);
      for (let i = n - 1; i > 0; i--) {
        const j = Math.floor(this.raw() * (i + 1));
        [order[i], order[j]] = [order[j], order[i]];
      }
      return order;
    })].flat();
  }

  // public returns the n numbers that draw(raw) makes. Neither they nor n may depend on the data.
  public(n, draw) {
    return [this.call("public", n, 0, 0, n, () => draw(() => this.raw()))].flat();
  }

  // poisson returns the indices of a sample of the records 0..records-1. Each record is included independently with
  // probability rate.
  poisson(records, rate) {
    const taken = this.call("poisson", records, rate, 0, records,
      () => Array.from({ length: records }, () => (this.raw() < rate ? 1 : 0)));
    return [taken].flat().flatMap((t, i) => (t ? [i] : []));
  }

  // uniform returns a uniform number in (0, 1). Replay cannot judge how it is used.
  uniform() {
    return this.call("uniform", 0, 0, 0, 1, () => this.raw());
  }
}

const named = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const read = (v) => (Array.isArray(v) ? v.map(read) : v in named ? named[v] : v);
const written = (v) => (Array.isArray(v) ? v.map(written) : typeof v !== "number" || Number.isFinite(v) ? v
  : Number.isNaN(v) ? "nan" : v > 0 ? "inf" : "-inf");

// serve answers requests until they end. mechanism(noise, input) is one release.
function serve(mechanism) {
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const request = JSON.parse(line);
    const recording = Boolean(request.record || request.replay);
    const reply = { outputs: [], calls: [] };
    for (let i = 0; i < request.n; i++) {
      const noise = new Noise(BigInt(request.seed ?? Date.now()) * 4096n + BigInt(i), request.replay, recording);
      reply.outputs.push(written(mechanism(noise, request.input)));
      reply.calls.push(noise.calls);
    }
    if (!recording) delete reply.calls;
    console.log(JSON.stringify(reply));
  });
}

module.exports = { serve };
