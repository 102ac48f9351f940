package localsgd

// Trace counts the events of a run.
type Trace struct {
	Steps     int     // number of updates
	Exceeded  int     // number of gradients with ‖g‖ > L
	Zero      int     // number of gradients g = 0
	Projected int     // number of updates that were projected onto the ball
	MaxNorm   float64 // the largest ‖g‖
	Epochs    []Epoch // counts of each epoch
}

// Epoch counts records in one pass over the data.
type Epoch struct {
	Threshold float64 // D_th; -Inf without a curriculum
	Selected  int     // number of records that the curriculum selected
	Agreeing  int     // number of selected records whose label (perturbed, in PRESTIGE) w predicted
	Carrying  int     // number of selected records whose loss contributes to the gradient: g ≠ λw
}

// Result is a trained classifier and the trace of its run.
type Result struct {
	W    []float64 // the last iterate, as Algorithm 1 returns
	Mean []float64 // the mean of the iterates; nil unless Average is set
	Trace
}
