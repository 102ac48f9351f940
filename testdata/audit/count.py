import json, sys

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"outputs": [sum(request["input"])] * request["n"]}), flush=True)
