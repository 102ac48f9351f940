// Package scaffold writes files to start from: a mechanism, what is claimed of it, and a workflow
// that audits it. The files are in _files as they are, so that their own tools can check them.
package scaffold
