"""Answers with a sum of ages, clamped to [lower, 120]. Its noise is for the width of that, which is what one
age in the place of another moves the sum by; a record more moves it by up to 120."""
import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    noise = random.Random(request["seed"])
    lower = request["input"]["lower"]
    total = sum(max(lower, min(120, age)) for age in request["input"]["ages"])
    scale = 120 - lower
    draw = lambda: total + scale * (noise.expovariate(1) - noise.expovariate(1))
    print(json.dumps({"outputs": [draw() for _ in range(request["n"])]}), flush=True)
