// Package markdown writes Markdown: words, code spans, paragraphs, aligned tables.
package markdown
