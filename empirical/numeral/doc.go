// Package numeral reads numbers as they are written in JSON and CSV, whole ones with all
// their digits.
package numeral
