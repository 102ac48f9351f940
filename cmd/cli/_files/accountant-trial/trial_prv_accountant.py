"""prv_accountant's PRVAccountant for 'dpverify account trial'. Run with prv_accountant 0.2.0.

    dpverify account trial --exec 'python3 trial_prv_accountant.py'

CHANGE: the error bounds. PRVAccountant returns a lower bound, an estimate and an upper bound. The answer is the upper
bound, and it is judged as one.
"""
from prv_accountant import PRVAccountant
from prv_accountant.privacy_random_variables import (
    ApproximateDPMechanism, GaussianMechanism, LaplaceMechanism, PoissonSubsampledGaussianMechanism)

from line_protocol import UPPER, Unsupported, kind, leaves, serve

EPS_ERROR, DELTA_ERROR = 0.01, 1e-11


def variable(event, sensitivity):
    """Return the privacy random variable of a mechanism."""
    name = kind(event)
    if name == "PoissonSampledDpEvent of GaussianDpEvent":
        if sensitivity != 1:
            raise Unsupported(name + " under replace-one")
        return PoissonSubsampledGaussianMechanism(
            noise_multiplier=event["event"]["noise_multiplier"], sampling_probability=event["sampling_probability"])
    if name == "GaussianDpEvent":
        return GaussianMechanism(noise_multiplier=event["noise_multiplier"] / sensitivity)
    if name == "LaplaceDpEvent":
        return LaplaceMechanism(mu=sensitivity / event["noise_multiplier"])
    if name == "EpsilonDeltaDpEvent":
        return ApproximateDPMechanism(epsilon=event["epsilon"], delta=event["delta"])
    raise Unsupported(name)


def answer(request):
    variables, counts = [], []
    for event, count in leaves(request["event"]):
        variables.append(variable(event, request["sensitivity"]))
        counts.append(count)
    accountant = PRVAccountant(
        prvs=variables, max_self_compositions=counts, eps_error=EPS_ERROR, delta_error=DELTA_ERROR)
    if request["ask"] == "epsilon":
        _, _, upper = accountant.compute_epsilon(request["delta"], counts)
    else:
        _, _, upper = accountant.compute_delta(request["epsilon"], counts)
        upper = min(upper, 1)
    return upper, UPPER


if __name__ == "__main__":
    serve(answer)
