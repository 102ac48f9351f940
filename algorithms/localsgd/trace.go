package localsgd

// Trace counts what happened in a run.
type Trace struct {
	Steps     int     // updates made
	Exceeded  int     // gradients with ‖g‖ > L
	Zero      int     // gradients g = 0
	Projected int     // updates that left the ball and were brought back
	MaxNorm   float64 // the largest ‖g‖
	Epochs    []Epoch // what each epoch did
}

// Epoch counts records in one pass over the data.
type Epoch struct {
	Threshold float64 // D_th; -Inf where there is no curriculum
	Selected  int     // records that the curriculum let through
	Agreeing  int     // of these, labels (perturbed, in PRESTIGE) that w predicted
	Carrying  int     // of these, gradients with a part from the loss: g ≠ λw
}

// Result is a trained classifier and the trace of its run.
type Result struct {
	W    []float64 // the last iterate, as Algorithm 1 returns
	Mean []float64 // the mean of the iterates; nil unless asked for
	Trace
}
