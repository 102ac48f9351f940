// Package lowbits makes features of the low-order bits of the numbers in an output.
package lowbits
