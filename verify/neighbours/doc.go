// Package neighbours describes pairs of neighbouring inputs: two that differ in one record.
// Privacy audits search over them, sensitivity is a maximum over them.
package neighbours
