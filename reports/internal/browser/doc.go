// Package browser has no code: its test drives the page of a report in a browser, apart from the
// other tests, which need none of what that takes to compile.
package browser
