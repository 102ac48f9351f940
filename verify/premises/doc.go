// Package premises uses the log of one instrumented training run to check the premises of its privacy account.
//
// An account of DP-SGD (Abadi et al. 2016) computes ε from a few numbers: the sampling rate, the clipping norm, the
// noise multiplier and the number of steps. It is justified only if the training did what these numbers say. Most
// faults of private training violate such a premise: batches in a fixed order that are accounted as Poisson samples,
// sums that are kept between steps, a divisor that depends on the data, one noise key that is used twice.
//
// [ReadLog] reads the log: for each step the records of the batch, the norms of their clipped contributions, and, at a
// few coordinates, the contributions, the noise and the released values. [Premises] returns one check for each premise
// of a [Training]. The checks sum the contributions themselves, because a logged sum could contain the same fault.
//
// The membership premise is tested statistically, unless the order is fixed or the rate is 1. Its tests count batch
// sizes, the inclusions of each record, the records that steps have in common, and the inclusions of neighboring
// positions. The kinds of tests have equal shares of alpha. Each null distribution is exact, or a theorem bounds its
// tail. A refutation names the alternative that fits the refuting tests. The name is a diagnosis and has no error
// probability.
//
// A premise that is refuted is not a refuted ε. The instrumented run need not be the deployed one, and coordinates
// that are not logged are not checked.
package premises
