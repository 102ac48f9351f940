// Package measured renders the series of an experiment: Markdown, a page with pictures, JSON.
package measured
