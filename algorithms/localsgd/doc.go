// Package localsgd implements the training algorithms of Han et al. 2018. SGD is stochastic subgradient descent.
// DJW is its locally private form, which privatizes every gradient by private sampling. PRESTIGE adds a private
// curriculum to DJW.
//
// Algorithm 1 of the paper, line by line:
//
//	Input, Initialize     Config, Privacy, Curriculum
//	Shuffle, pick         run.train
//	P-Curriculum, If      PRESTIGE: curriculum.record
//	Update η              Step
//	Compute g             run.gradient
//	Rescale, Sample       run.private, by mechanism.PrivateSampling
//	P-Update, Assign      run.update
//	Update D_th           curriculum.close
//
// A Dataset has n ≥ 1 rows of dimension d ≥ 1 and labels in {-1, +1}. w and all vectors have length d. The
// functions claim no privacy beyond their documentation; package verify/claims/prestige checks the paper's claims.
package localsgd
