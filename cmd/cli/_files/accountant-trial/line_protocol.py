"""The line protocol of 'dpverify account trial': one JSON request per line, one JSON reply per line.

It needs only Python 3.6. The other files of this directory import it. CHANGE nothing here.
"""
import json
import math
import sys

UPPER, ESTIMATE = "upper", "estimate"


class Unsupported(Exception):
    """The library does not cover the event or the neighbors."""


def chosen(accountants):
    """Return the accountant that the argument of the command names, or the first one without an argument."""
    name = (sys.argv[1:] or list(accountants))[0]
    if name not in accountants:
        sys.exit("unknown accountant %r: want %s" % (name, " or ".join(accountants)))
    return accountants[name]


def leaves(event, count=1):
    """Yield the mechanisms of an event, possibly sampled, with the number of runs of each."""
    name = event["class_name"]
    if name == "ComposedDpEvent":
        for part in event["events"]:
            yield from leaves(part, count)
    elif name == "SelfComposedDpEvent":
        yield from leaves(event["event"], count * event["count"])
    else:
        yield event, count


def kind(event):
    """Return the class of a mechanism, for example 'PoissonSampledDpEvent of GaussianDpEvent'."""
    return event["class_name"] + (" of " + kind(event["event"]) if "event" in event else "")


def serve(answer):
    """Answer requests until the input ends.

    answer(request) returns the value and UPPER or ESTIMATE. The request has the keys
      event        an event of dp_accounting: class_name and its fields; a noise_multiplier is relative to the
                   largest norm of one record's contribution
      adjacency    add-or-remove-one or replace-one
      sensitivity  the largest distance between the sums of neighbors, in the same unit: 1 or 2
      ask          the requested quantity: epsilon (the request then has the key delta) or delta (it then has epsilon)
    """
    replies, sys.stdout = sys.stdout, sys.stderr  # what a library prints is not a reply
    for line in sys.stdin:
        request = json.loads(line)
        try:
            value, bound = answer(request)
            value = float(value)
            reply = {"id": request["id"], request["ask"]: "inf" if value == math.inf else value, "bound": bound}
            text = json.dumps(reply, allow_nan=False)
        except Unsupported as why:
            text = json.dumps({"unsupported": str(why)})
        except Exception as why:  # an error of the library is a result of the trial
            text = json.dumps({"error": "%s: %s" % (type(why).__name__, why)})
        print(text, file=replies, flush=True)
