// Package witness searches samples of two inputs for the event that tells them apart best.
package witness
