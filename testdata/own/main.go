// Own is the command for a ledger of one's own: report, verify, list, explain and the others.
package main

import (
	"os"

	"github.com/dpverify/dpverify/cmd/cli"

	"example.com/own/ledger"
)

func main() {
	os.Exit(cli.Main(cli.Program{Name: "own", Ledger: ledger.Ledger}))
}
