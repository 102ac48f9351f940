package checks

import "sync"

// Memo holds what is dear to compute and the same for several checks, as the account of a run that a
// claim and its control share. The zero value knows nothing; it is safe for concurrent use.
type Memo[V any] struct{ known sync.Map }

// Of returns what compute does, called once for each key. The key says all that the value depends on,
// which no seed, alpha or budget of a claim is part of.
func (m *Memo[V]) Of(key string, compute func() (V, error)) (V, error) {
	once, _ := m.known.LoadOrStore(key, sync.OnceValues(compute))
	return once.(func() (V, error))()
}
