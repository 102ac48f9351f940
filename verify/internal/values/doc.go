// Package values reads the outputs of mechanisms that come as JSON.
package values
