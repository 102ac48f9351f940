// Package process makes a program in any language a mechanism that can be audited: one
// request a line on its standard input, one reply a line on its standard output.
package process
