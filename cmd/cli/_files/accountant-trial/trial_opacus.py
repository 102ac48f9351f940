"""Opacus' RDPAccountant for 'dpverify account trial'. Written for Opacus 1.5.

    dpverify account trial --exec 'python3 trial_opacus.py'

CHANGE: the accountant and what its answers mean, for example PRVAccountant, whose answers are upper bounds, or
GaussianAccountant, whose answers are estimates.
"""
from opacus.accountants import RDPAccountant

from line_protocol import UPPER, Unsupported, leaves, serve


def answer(request):
    if request["ask"] != "epsilon" or request["adjacency"] != "add-or-remove-one":
        raise Unsupported("only epsilon under add-or-remove-one")
    accountant = RDPAccountant()
    for event, count in leaves(request["event"]):
        rate = 1.0
        if event["class_name"] == "PoissonSampledDpEvent":
            rate, event = event["sampling_probability"], event["event"]
        if event["class_name"] != "GaussianDpEvent":
            raise Unsupported(event["class_name"])
        accountant.history.append((event["noise_multiplier"], rate, count))
    return accountant.get_epsilon(delta=request["delta"]), UPPER


if __name__ == "__main__":
    serve(answer)
