package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// csvPlan describes which fields of a record are read, and into which columns.
type csvPlan struct {
	label    int // index of the label's field, from 0
	features []csvFeature
	dim      int
}

// csvFeature is a field that is read as a feature.
type csvFeature struct {
	field         int            // index of the field, from 0
	column, width int            // its first column in the row, and the number of columns
	classes       map[string]int // offset of each class in a one-hot field; nil for a number
}

// newPlan returns the plan for records with the given number of fields.
func newPlan(o Options, fields int) (*csvPlan, error) {
	if fields < 2 {
		return nil, fmt.Errorf("one field: a row needs a label and at least one feature (is the separator %q?)", o.Comma)
	}
	p := &csvPlan{label: fields - 1}
	if o.LabelColumn > fields {
		return nil, fmt.Errorf("the label column %d is beyond the %d fields", o.LabelColumn, fields)
	}
	if o.LabelColumn > 0 {
		p.label = o.LabelColumn - 1
	}
	columns, err := p.selected(o, fields)
	if err != nil {
		return nil, err
	}
	for _, column := range slices.Sorted(maps.Keys(o.OneHot)) {
		if !slices.Contains(columns, column) {
			return nil, fmt.Errorf("option OneHot names column %d, which is not among the features that are read", column)
		}
	}
	for _, column := range columns {
		f := csvFeature{field: column - 1, column: p.dim, width: 1}
		if names, ok := o.OneHot[column]; ok {
			if f.classes, err = places(column, names); err != nil {
				return nil, err
			}
			f.width = len(names)
		}
		p.features = append(p.features, f)
		p.dim += f.width
	}
	if p.dim > o.MaxDim {
		return nil, fmt.Errorf("%d features are above the limit %d", p.dim, o.MaxDim)
	}
	return p, nil
}

// selected returns the columns of the file, counted from 1, that are read as features.
func (p *csvPlan) selected(o Options, fields int) ([]int, error) {
	for _, column := range slices.Concat(o.Columns, o.Skip) {
		if column < 1 || column > fields {
			return nil, fmt.Errorf("options Columns and Skip name column %d of %d fields", column, fields)
		}
	}
	columns := o.Columns
	if columns == nil {
		skip := make([]bool, fields+1)
		for _, column := range o.Skip {
			skip[column] = true
		}
		for column := 1; column <= fields; column++ {
			if column != p.label+1 && !skip[column] {
				columns = append(columns, column)
			}
		}
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("no column is left to be read as a feature")
	}
	seen := make([]bool, fields+1)
	for _, column := range columns {
		if column == p.label+1 || seen[column] {
			return nil, fmt.Errorf("option Columns names column %d, which is the label or is named twice", column)
		}
		seen[column] = true
	}
	return columns, nil
}

func places(column int, names []string) (map[string]int, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("option OneHot gives no classes for column %d", column)
	}
	out := make(map[string]int, len(names))
	for k, name := range names {
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("option OneHot gives the class %q of column %d twice", name, column)
		}
		out[name] = k
	}
	return out, nil
}

// read writes the value of a field to its columns of the row.
func (f *csvFeature) read(text string, row []float64) error {
	if f.classes == nil {
		v, err := number(text)
		row[f.column] = v
		return err
	}
	offset, ok := f.classes[text]
	switch {
	case !ok && missing(text):
		return missingValue(strings.Clone(text))
	case !ok:
		return fmt.Errorf("%q is not one of the %d classes of this column (option OneHot)", text, f.width)
	}
	clear(row[f.column : f.column+f.width])
	row[f.column+offset] = 1
	return nil
}
