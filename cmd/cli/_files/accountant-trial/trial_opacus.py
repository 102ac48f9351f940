"""Opacus' accountants for 'dpverify account trial'. Run with Opacus 1.6.0.

    dpverify account trial --exec 'python3 trial_opacus.py'      Renyi DP
    dpverify account trial --exec 'python3 trial_opacus.py prv'  privacy random variables
    dpverify account trial --exec 'python3 trial_opacus.py gdp'  Gaussian DP

CHANGE: the parameters of get_epsilon. Answers by Gaussian DP are judged as estimates, the others as upper bounds.
"""
from opacus.accountants import GaussianAccountant, PRVAccountant, RDPAccountant

from line_protocol import ESTIMATE, UPPER, Unsupported, chosen, kind, leaves, serve

Accountant, BOUND = chosen({
    "rdp": (RDPAccountant, UPPER), "prv": (PRVAccountant, UPPER), "gdp": (GaussianAccountant, ESTIMATE)})


def answer(request):
    if request["ask"] != "epsilon":
        raise Unsupported("only epsilon")
    if request["adjacency"] != "add-or-remove-one":
        raise Unsupported("only add-or-remove-one")
    accountant = Accountant()
    for event, count in leaves(request["event"]):
        name = kind(event)
        if name == "PoissonSampledDpEvent of GaussianDpEvent":
            accountant.history.append((event["event"]["noise_multiplier"], event["sampling_probability"], count))
        elif name == "GaussianDpEvent":
            accountant.history.append((event["noise_multiplier"], 1.0, count))
        else:
            raise Unsupported(name)
    if Accountant is GaussianAccountant and len(accountant.history) > 1:
        raise Unsupported("several noise multipliers or sampling rates")
    return accountant.get_epsilon(delta=request["delta"]), BOUND


if __name__ == "__main__":
    serve(answer)
