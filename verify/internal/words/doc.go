// Package words has phrases that the checks share.
package words
