// Own is the command for a user's own claim set, with report, verify, list, explain and the other commands.
package main

import (
	"os"

	"github.com/dpverify/dpverify/cmd/cli"

	"example.com/own/ledger"
)

func main() {
	os.Exit(cli.Main(cli.Program{Name: "own", Ledger: ledger.Ledger}))
}
