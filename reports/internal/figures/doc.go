// Package figures has the one rounding rule for figures.
package figures
