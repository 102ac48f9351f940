// Package event describes what is released: mechanisms at the leaves of a tree, sampling and
// composition above. Package accountant tells what it costs.
package event
