// Package format formats numbers and text. It rounds all numbers by one rule, escapes Markdown, writes JSON, and
// wraps lines for a terminal.
//
//	figures.go         the rounding rule, and comparisons of a claimed with a measured value
//	tidy.go            a run without noise in the last digits, and a sample of a long list
//	markdown.go        escapes, code spans, pages
//	markdown_table.go  aligned tables
//	console.go         lines for a terminal: its width, and colors if it has them
//	json.go            indented JSON without hidden characters
package format
