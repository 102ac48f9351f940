// Package curricula implements DP-SGD with a noise schedule over the epochs and an order of the samples (An & Shi
// 2021, "Differentially Private Stochastic Gradient Descent with Curricula").
//
//	schedule.go  Table 1, the additional increasing exponential of Section 4.2, constants
//	train.go     Algorithm 1, and step 2 of Algorithm 2, line by line
//	config.go    the choices that these lines leave open
//	order.go     step 1 of Algorithm 2 and Section 5.1: the order by another model's log loss
//	softmax.go   multi-class logistic regression, eq. (1)
//	cnn.go       the network of Section 3.3, loss of eq. (2)
//	data.go      samples (x_i, y_i), i = 1, …, n
//
// # The lines of Algorithm 1
//
//	θ₀ ← random initialization             Model.Init
//	for t ∈ [1, T]                         Config.Epochs, Config.Index
//	  for B_i ⊂ D′, ∪B_i = D′              Config.Batch, Config.Sampling, Config.Order
//	    g ← ∇L(θ_t, B_i), the mean over B  Model.Gradient
//	    g ← g / max(1, ‖g‖₂/C)             Config.Clip, Config.Clipping
//	    g ← g + N(0, F(t)²C² I)            Config.Schedule, Config.Scale
//	    θ_{t+1} ← θ_t − ηg                 Config.Rate
//
// The zero value of every choice is the printed line. The last line is an exception: as printed, each batch starts
// from the θ_t at the beginning of the epoch; here it starts from the θ after the previous batch.
//
// The package does not compute privacy losses. The caller provides the multipliers of a schedule.
package curricula
