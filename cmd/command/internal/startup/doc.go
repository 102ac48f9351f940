// Package startup checks that the process has what it needs, before anything else.
package startup
