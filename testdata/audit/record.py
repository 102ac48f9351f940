# Writes with.csv and without.csv: a count of 2 or 1 with two-sided geometric noise
# of parameter e^-1, which is private at ε = 1.
import random

def geometric(rng):
    return int(rng.expovariate(1.0))

for name, count, seed in (("with.csv", 2, 1), ("without.csv", 1, 2)):
    rng = random.Random(seed)
    with open(name, "w") as f:
        f.write("count\n")
        for _ in range(10_000):
            f.write(f"{count + geometric(rng) - geometric(rng)}\n")
