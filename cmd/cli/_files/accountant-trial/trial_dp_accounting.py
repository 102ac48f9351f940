"""dp_accounting's PLDAccountant for 'dpverify account trial'. Written for dp_accounting 0.6.0.

    dpverify account trial --exec 'python3 trial_dp_accounting.py'

CHANGE: the accountant, for example to dp_accounting.rdp.RdpAccountant. Its answers are meant as upper bounds.
"""
import dp_accounting
from dp_accounting import pld

from line_protocol import UPPER, Unsupported, serve


def tree(event):
    """Return the event as an object of dp_accounting."""
    fields = {key: value for key, value in event.items() if key != "class_name"}
    if "event" in fields:
        fields["event"] = tree(fields["event"])
    if "events" in fields:
        fields["events"] = [tree(part) for part in fields["events"]]
    return getattr(dp_accounting, event["class_name"])(**fields)


def answer(request):
    relations = dp_accounting.NeighboringRelation
    relation = {"add-or-remove-one": relations.ADD_OR_REMOVE_ONE, "replace-one": relations.REPLACE_ONE}
    accountant = pld.PLDAccountant(relation[request["adjacency"]])
    event = tree(request["event"])
    if not accountant.supports(event):
        raise Unsupported("%s under %s" % (request["event"]["class_name"], request["adjacency"]))
    accountant.compose(event)
    if request["ask"] == "epsilon":
        return accountant.get_epsilon(request["delta"]), UPPER
    return accountant.get_delta(request["epsilon"]), UPPER


if __name__ == "__main__":
    serve(answer)
