package tables

import "github.com/dpverify/dpverify/reports/internal/article"

// Sheet is tables and what is said of them, before they are written: as Markdown, or for a screen.
type Sheet = article.Article

// sheetOf has blocks alone, without a title.
func sheetOf(blocks ...article.Block) Sheet { return Sheet{Body: article.Section{Blocks: blocks}} }
