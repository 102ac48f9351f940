"""dp_accounting's accountants for 'dpverify account trial'. Run with dp_accounting 0.6.0.

    dpverify account trial --exec 'python3 trial_dp_accounting.py'      privacy-loss distributions
    dpverify account trial --exec 'python3 trial_dp_accounting.py rdp'  Renyi DP

CHANGE: the parameters of Accountant. The answers of both accountants are judged as upper bounds.
"""
import dp_accounting
from dp_accounting import pld, rdp

from line_protocol import UPPER, Unsupported, chosen, kind, leaves, serve

Accountant = chosen({"pld": pld.PLDAccountant, "rdp": rdp.RdpAccountant})


def tree(event):
    """Return the event as an object of dp_accounting."""
    fields = {key: value for key, value in event.items() if key != "class_name"}
    if "event" in fields:
        fields["event"] = tree(fields["event"])
    if "events" in fields:
        fields["events"] = [tree(part) for part in fields["events"]]
    return getattr(dp_accounting.dp_event, event["class_name"])(**fields)


def answer(request):
    relations = dp_accounting.NeighboringRelation
    relation = {"add-or-remove-one": relations.ADD_OR_REMOVE_ONE, "replace-one": relations.REPLACE_ONE}
    accountant = Accountant(neighboring_relation=relation[request["adjacency"]])
    for event, _ in leaves(request["event"]):
        if not accountant.supports(tree(event)):
            raise Unsupported("%s under %s" % (kind(event), request["adjacency"]))
    accountant.compose(tree(request["event"]))
    if request["ask"] == "epsilon":
        return accountant.get_epsilon(request["delta"]), UPPER
    return accountant.get_delta(request["epsilon"]), UPPER


if __name__ == "__main__":
    serve(answer)
