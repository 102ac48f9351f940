// Package paths compares the files of one command, tries those it is to write before it
// runs, and writes them whole.
package paths
