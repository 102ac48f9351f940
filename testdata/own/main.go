// Own is the command for a ledger of one's own: report, verify, list, explain and the others.
package main

import (
	"os"

	"github.com/dpverify/dpverify/cmd/command"

	"example.com/own/ledger"
)

func main() {
	os.Exit(command.Main(command.Program{Name: "own", Ledger: ledger.Ledger}))
}
