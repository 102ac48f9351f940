package diagnosis

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Constant records whether all outputs of a sample are one value. The zero value is an empty sample.
type Constant struct {
	outputs int64
	text    string
	row     []float64
	varied  bool
}

// See adds an output with its row. The row rounds numbers, so the texts of the first outputs are compared too.
func (c *Constant) See(output any, row []float64) {
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	c.outputs++
	switch {
	case c.varied:
	case c.outputs == 1:
		c.text, c.row = valueText(output), slices.Clone(row)
	default:
		c.varied = !slices.EqualFunc(row, c.row, same) || c.outputs <= mostAtomOutputs && valueText(output) != c.text
	}
}

// valueText returns an output as JSON, or in Go syntax if it has no JSON form.
func valueText(output any) string {
	if text, err := json.Marshal(output); err == nil {
		return string(text)
	}
	return fmt.Sprint(output)
}

// ConstantWord returns a warning if all outputs of all pairs are one value. It returns "" if they differ or none is
// recorded. Such a mechanism is private, so the warning does not affect the verdict.
func (s Shown) ConstantWord() string {
	var outputs int64
	var text string
	for _, p := range s.Pairs {
		for _, e := range p.Examples {
			c := e.Constant
			switch {
			case c.outputs == 0: // another pair holds the outputs of a shared input
				continue
			case c.varied || outputs > 0 && c.text != text:
				return ""
			}
			outputs, text = outputs+c.outputs, c.text
		}
	}
	switch {
	case outputs < 2:
		return ""
	case text == "null":
		text = ", null (None in Python)"
	case len(text) > longExample:
		text = ""
	default:
		text = ", " + text
	}
	return fmt.Sprintf("all %d compared outputs, under every input, are the same value%s: check that the mechanism "+
		"returns its result", outputs, text)
}
