// Package meter shows how far the work is: a bar on a terminal, a line now and then elsewhere.
package meter
