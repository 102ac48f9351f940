// Package dpsgd adds canaries to the training algorithms of this module and computes a score for each canary from
// the released model or gradients. It measures how well an attacker recognizes the records of a training run.
//
//	canaries.go  the interface of a training with canaries, attacks and faults
//	planted.go   the model and the data with the canaries added
//	dpsgd.go     noisy gradient descent of package curricula
//	repeated.go  random values that are drawn once and reused in all steps
//	laplace.go   gradient descent with ℓ2-Laplace noise of package laplacesgd
//	local.go     locally private gradient descent of package localsgd
//
// A canary is a record with an independent inclusion bit. An audit compares the scores of included canaries with
// the scores of excluded ones (Steinke, Nasr & Jagielski 2023).
//
// A white-box attack uses every noisy gradient. Its canaries are the worst case for an accountant. Their gradients
// are longer than the clipping norm, and each has a coordinate that no other record changes. The sign of the
// gradient alternates from step to step, and so does the weight of a step in the score. Noise that is the same in
// two steps therefore cancels.
//
// A black-box attack uses only the last model. Its canaries are records with a wrong label, and a small loss is
// evidence of inclusion.
//
// The audited code is the training code itself. Faults are introduced through its own parameters and through
// package primitive, which supplies all its random values.
package dpsgd
