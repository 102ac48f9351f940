// Package recording reads recorded outputs of a mechanism, from CSV or JSON lines.
package recording
