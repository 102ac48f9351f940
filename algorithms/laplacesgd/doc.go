// Package laplacesgd implements stochastic gradient descent with ℓ2-Laplace noise for logistic regression
// (Hardwarsing 2018, "Stochastic Gradient Descent With Differentially Private Updates").
//
//	objective (2)                 [Objective]: (λ/2)‖w‖² + mean log(1 + e^(−y⟨w,x⟩))
//	updates (3) and (5)           [SGD]: single-point for Batch 1, mini-batch for larger ones
//	gradient (4)                  [BatchGradient], by erm.Logistic
//	updates (6) and (8)           [Private]: single-point for Batch 1, mini-batch for larger ones
//	density (7), Algorithm 1      [Noise], with the readings of [Distribution]
//	c/√t and 1/(λt), Sect. 4.2    [Rate]
//	epochs, Sect. 4.3             [Config].Epochs; t continues over epochs
//	permutations, Sect. 4.2       [Config].Order
//	normalizing, picking, 4.1     [Preprocess]
//
// Rows have norm at most 1, and labels are −1 and +1. Weights, gradients and noise are vectors of the rows'
// dimension d ≥ 1. Under these premises a change of one record moves the sum of a batch's gradients by at most 2,
// and noise of density (7) makes an update α-differentially private. The package does not clip: it also trains on
// rows of larger norm, without this guarantee.
//
// The thesis leaves some choices open. Each is an option that includes the literal reading: the last short batch
// ([Short]), the order of later passes ([Order]), the noise ([Distribution]), the first w (Config.Init), and a
// projection (Config.Radius).
package laplacesgd
