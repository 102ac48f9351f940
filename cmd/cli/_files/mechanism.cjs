// A mechanism that dpverify audits. Change the first part; the second part answers the requests of dpverify.
//
//     dpverify audit claims.yaml
//
// It needs only Node. It is a CommonJS module even if package.json selects ES modules.
"use strict";

const EPSILON = 1.0;

// mechanism returns a count with two-sided geometric noise. CHANGE: your release for one input.
//
// data is an input of claims.yaml, parsed by JSON.parse. Draw from Math.random, which is seeded below. Other generators
// (crypto.randomBytes) do not repeat: seed them in seedAll, or set "seeded: false" in claims.yaml.
function mechanism(data) {
  return data.reduce((sum, x) => sum + x, 0) + geometric(EPSILON) - geometric(EPSILON);
}

// geometric draws k = 0, 1, 2, … with probability proportional to exp(-epsilon k).
function geometric(epsilon) {
  return Math.floor(-Math.log(1 - Math.random()) / epsilon);
}

// The rest answers requests, one JSON object per line, and needs no changes.

// seedAll replaces Math.random by a seeded generator (sfc32). Seeds of requests are below 2^53, which numbers represent
// exactly; both 32-bit words are used.
function seedAll(seed) {
  let [a, b, c, counter] = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1];
  const word = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 15; i++) word();
  Math.random = () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
  // CHANGE: other generators that the mechanism draws from.
}

// plain converts a value to one with a JSON form.
function plain(value) {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  if (value === null || ["number", "string", "boolean"].includes(typeof value)) return value;
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return Number(value);
  if (Array.isArray(value) || value instanceof Set || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    return Array.from(value, plain);
  }
  if (value instanceof Map) value = Object.fromEntries(value);
  if (typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  throw new TypeError(`mechanism returned a ${typeof value} without a JSON form: return numbers, strings or arrays`);
}

// serve answers requests until the input ends. Replies use standard output, output of the mechanism standard error.
function serve(release) {
  console.log = console.info = console.debug = console.error;
  require("readline").createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
    const request = JSON.parse(line);
    if ("seed" in request) seedAll(request.seed);
    const outputs = Array.from({ length: request.n }, () => plain(release(request.input)));
    process.stdout.write(JSON.stringify({ outputs }) + "\n");
  });
}

if (require.main === module) serve(mechanism);
module.exports = { plain, seedAll };
