// Package checktest helps to test checks.
package checktest
