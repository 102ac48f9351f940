// Package process runs a program in any language as a mechanism. The program reads one request per line from its
// standard input and writes one reply per line to its standard output.
package process
