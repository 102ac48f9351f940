package event

// MaxGroup is the largest number of records of a group.
const MaxGroup = 1000

// Group asks for the privacy of a group of up to k records in the event, 1 ≤ k ≤ MaxGroup. Neighbors differ by the
// whole group: it is added or removed, or each of its records is replaced. Each record is sampled as in the event. A
// group is the outermost event.
func Group(k int64, e Event) Event { return Event{Kind: KindGroup, Count: k, Parts: []Event{e}} }

// validGroup returns an error if the size is invalid.
func (e Event) validGroup() error {
	if !(e.Count >= 1 && e.Count <= MaxGroup) {
		return DomainError("group: %d records, want 1 to %d", e.Count, MaxGroup)
	}
	return nil
}
