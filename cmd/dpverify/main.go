// Command dpverify measures whether differential-privacy claims are true.
//
// `dpverify help` lists its commands; each has a help text with examples.
package main

import "os"

func main() { os.Exit(execute()) }
