// Package dpsgd adds canaries to the training algorithms of this module. It computes a score for each canary from
// the released model or gradients.
//
//	canaries.go  what a training with canaries is, attacks and faults
//	planted.go   a model and its data with canaries among them
//	dpsgd.go     noisy gradient descent of package curricula
//	repeated.go  coins that are drawn once for all steps
//	laplace.go   gradient descent with ℓ2-Laplace noise of package laplacesgd
//	local.go     locally private gradient descent of package localsgd
//
// A canary is a record that a coin of its own includes. A white-box attack sees every noisy gradient. Its canaries are
// the worst case for an accountant: the gradient of each is longer than the clipping norm, in a direction of its own that
// no other record has, and turns over from one step to the next; so does the weight that the score gives to a step, so
// that noise which is the same in two steps cancels. A black-box attack sees the last model alone: its canaries are records
// with a wrong label, and a small loss speaks for inclusion.
//
// The code under test is that of the trainings. A fault is brought in by their own parameters, and by the door through
// which they draw all randomness (package primitive).
package dpsgd
