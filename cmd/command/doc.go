// Package command is dpverify as a library: [Main] makes a command of a ledger. Package manual has its
// manual.
package command
