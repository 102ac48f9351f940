package premises

// Premises returns the premises of the account of a training, each with its check in the log.
func Premises(l *Log, t Training) []Premise {
	return []Premise{membership(l, t), norms(l, t), noise(l, t), divisor(l, t), update(l, t), steps(l, t)}
}
