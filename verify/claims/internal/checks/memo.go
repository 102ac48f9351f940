package checks

import "sync"

// Memo caches expensive values that several checks use, for example the privacy accounting of a run that a claim and
// its control share. The zero value is empty. A Memo is safe for concurrent use.
type Memo[V any] struct{ known sync.Map }

// Of returns the value of a key. It calls compute once for each key. The key must contain everything on which the value
// depends; the value must not depend on the seed, alpha or budget of a claim.
func (m *Memo[V]) Of(key string, compute func() (V, error)) (V, error) {
	once, _ := m.known.LoadOrStore(key, sync.OnceValues(compute))
	return once.(func() (V, error))()
}
