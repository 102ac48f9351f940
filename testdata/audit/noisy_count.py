import json, random, sys

def mechanism(data, rng):  # a count with Laplace noise of scale 1
    return sum(data) + rng.choice([-1, 1]) * rng.expovariate(1.0)

for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    outputs = [mechanism(request["input"], rng) for _ in range(request["n"])]
    print(json.dumps({"outputs": outputs}), flush=True)
