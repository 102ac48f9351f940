package event

import (
	"bytes"
	"encoding/json"
	"strings"
)

// pageText returns the text in which a statement is searched: the cells and outputs of a Jupyter notebook, the value of
// a JSON string, or the data themselves.
func pageText(data []byte) []byte {
	trimmed := bytes.TrimSpace(data)
	switch {
	case bytes.HasPrefix(trimmed, []byte(`"`)):
		var text string
		if json.Unmarshal(trimmed, &text) == nil {
			return []byte(text)
		}
	case bytes.HasPrefix(trimmed, []byte("{")) && bytes.Contains(trimmed, []byte(`"cells"`)):
		if text, ok := notebookText(trimmed); ok {
			return text
		}
	}
	return data
}

// notebookText returns the sources and the text outputs of a Jupyter notebook's cells.
func notebookText(data []byte) ([]byte, bool) {
	type lines any // a text, or a list of its lines
	var notebook struct {
		Format *json.Number `json:"nbformat"`
		Cells  []struct {
			Source  lines `json:"source"`
			Outputs []struct {
				Text lines            `json:"text"`
				Data map[string]lines `json:"data"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if json.Unmarshal(data, &notebook) != nil || notebook.Format == nil {
		return nil, false
	}
	var b strings.Builder
	write := func(l lines) {
		list, _ := l.([]any)
		if text, ok := l.(string); ok {
			list = []any{text}
		}
		for _, line := range list {
			text, _ := line.(string)
			b.WriteString(text)
		}
		b.WriteString("\n\n")
	}
	for _, cell := range notebook.Cells {
		write(cell.Source)
		for _, output := range cell.Outputs {
			write(output.Text)
			shown, _ := output.Data["text/plain"].(string)
			if list, ok := output.Data["text/plain"].([]any); ok && len(list) == 1 {
				shown, _ = list[0].(string)
			}
			if strings.HasPrefix(shown, "'") || strings.HasPrefix(shown, `"`) { // Python's printed form of a string
				write(strings.ReplaceAll(strings.Trim(shown, `'"`), `\n`, "\n"))
			} else {
				write(output.Data["text/plain"])
			}
		}
	}
	return []byte(b.String()), true
}
