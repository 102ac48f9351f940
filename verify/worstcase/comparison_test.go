package worstcase_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// The flag -update measures the table of COMPARISON.md again, which takes almost an hour of one processor.
var update = flag.Bool("update", false, "measure the table of inputs in COMPARISON.md again")

var document = filepath.Join("..", "calibration", "COMPARISON.md")

const (
	tableMark, tableEnd = "<!-- inputs -->", "<!-- end -->"
	comparedSeeds       = 10
	comparedSamples     = 40_000
	comparedPairs       = 200
)

// byPattern is a space that proposes only the input patterns of other auditors. Unlike the space of the search, it does
// not implement [inputs.PairCombiner].
type byPattern struct{ space inputs.Space }

func (p byPattern) Check() error                                { return p.space.Check() }
func (p byPattern) Edges() []inputs.Pair[any]                   { return p.space.Patterns() }
func (p byPattern) Smaller(inputs.Pair[any]) []inputs.Pair[any] { return nil }
func (p byPattern) Mutate(_ *rand.Rand, q inputs.Pair[any]) (inputs.Pair[any], bool) {
	return q, false
}

// finds reports whether an audit of a mechanism on a space refutes its claim at a seed.
func finds(t *testing.T, mechanism release, space inputs.PairSpace[any], seed int) bool {
	t.Helper()
	check := worstcase.Privacy[any, any]{Space: space, Search: comparedPairs,
		Audit: privacy.Audit[any, any]{Mechanism: mechanism, Guarantee: privacy.ApproximateDP(1, 0), Samples: comparedSamples}}
	return judged(t, check, 1e-6, uint64(seed)).Verdict == verify.Refuted
}

// measured returns the rows of the table.
func measured(t *testing.T, seeds int) (rows [][]string) {
	for _, c := range rare {
		var patterns, search int
		for seed := 1; seed <= seeds; seed++ {
			if finds(t, c.mechanism, byPattern{c.space}, seed) {
				patterns++
			}
			if finds(t, c.mechanism, inputs.MustPairSpace[any](c.space), seed) {
				search++
			}
		}
		fault := c.fault
		if c.right {
			fault = "none: a negative control"
		}
		share := func(k int) string { return fmt.Sprintf("%d of %d", k, seeds) }
		rows = append(rows, []string{c.name, fault, share(patterns), share(search)})
		fmt.Fprintln(os.Stderr, c.name, share(patterns), share(search)) // progress: each row takes minutes
	}
	return rows
}

var tableHead = []string{"mechanism", "its fault", "by pattern", "search"}

// problems lists the faults of a table: rows that do not match the mechanisms, violations that the search misses, and
// controls that it refutes.
func problems(rows [][]string) (out []string) {
	var found, missable float64 // found and all mechanisms that patterns refute in at most 0.1 of the runs
	if len(rows) != len(rare) {
		return []string{fmt.Sprintf("%d rows for %d mechanisms", len(rows), len(rare))}
	}
	for i, row := range rows {
		if row[0] != rare[i].name {
			out = append(out, fmt.Sprintf("row %d is %q, want %q", i+1, row[0], rare[i].name))
			continue
		}
		var share [2]float64
		for k := range share {
			var hits, runs float64
			if _, err := fmt.Sscanf(row[2+k], "%g of %g", &hits, &runs); err != nil || runs != comparedSeeds {
				out = append(out, fmt.Sprintf("%s: %q is not a count of %d runs", row[0], row[2+k], comparedSeeds))
			}
			share[k] = hits / runs
		}
		switch {
		case rare[i].right && share != [2]float64{}:
			out = append(out, row[0]+": a mechanism without a fault is refuted")
		case !rare[i].right && share[0] <= 0.1:
			if found, missable = found+share[1], missable+1; share[1] < 0.5 {
				out = append(out, fmt.Sprintf("%s: the search finds it in a share of %v of the runs: want at least 0.5", row[0],
					share[1]))
			}
		}
	}
	if !(found >= 0.9*missable) {
		out = append(out, fmt.Sprintf("among mechanisms that patterns refute in at most 0.1 of the runs, the search refutes a "+
			"share of %.2f: want at least 0.9", found/missable))
	}
	return out
}

func tableRows(text string) (rows [][]string) {
	_, rest, _ := strings.Cut(text, tableMark+"\n")
	table, _, _ := strings.Cut(rest, tableEnd)
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if i > 1 && len(cells) == len(tableHead) {
			rows = append(rows, cells)
		}
	}
	return rows
}

func table(rows [][]string) string {
	width := make([]int, len(tableHead))
	for _, row := range append([][]string{tableHead}, rows...) {
		for k, cell := range row {
			width[k] = max(width[k], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	line := func(cells []string, fill string) {
		for k, cell := range cells {
			pad := strings.Repeat(fill, width[k]-utf8.RuneCountInString(cell))
			if k < 2 {
				b.WriteString("| " + cell + pad + " ")
			} else {
				b.WriteString("| " + pad + cell + " ")
			}
		}
		b.WriteString("|\n")
	}
	line(tableHead, " ")
	for k, w := range width {
		if k < 2 {
			b.WriteString("|:" + strings.Repeat("-", w+1))
		} else {
			b.WriteString("|" + strings.Repeat("-", w+1) + ":")
		}
	}
	b.WriteString("|\n")
	for _, row := range rows {
		line(row, " ")
	}
	return b.String()
}

// The table of the document meets the requirements for the search, and runs repeat some of its entries.
func TestComparison(t *testing.T) {
	page, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if *update {
		before, rest, marked := strings.Cut(text, tableMark+"\n")
		_, after, ended := strings.Cut(rest, tableEnd)
		if !marked || !ended {
			t.Fatalf("%s has no %s with %s after it", document, tableMark, tableEnd)
		}
		text = before + tableMark + "\n" + table(measured(t, comparedSeeds)) + tableEnd + after
		if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rows := tableRows(text)
	for _, p := range problems(rows) {
		t.Errorf("COMPARISON.md, inputs: %s; `go test ./verify/worstcase -run Comparison -update -timeout 2h` measures it again", p)
	}
	if t.Failed() {
		return
	}
	// If all or none of the runs refute, a single run must agree.
	for i, c := range rare {
		if !testutil.Asked() && i%29 != 0 { // some runs take long
			continue
		}
		for k, space := range []inputs.PairSpace[any]{byPattern{c.space}, inputs.MustPairSpace[any](c.space)} {
			hits, _ := strconv.Atoi(strings.Fields(rows[i][2+k])[0])
			if got := finds(t, c.mechanism, space, 1); got && hits == 0 || !got && hits == comparedSeeds {
				t.Errorf("COMPARISON.md has %s: %s, but one run refutes: %v", c.name, rows[i][2+k], got)
			}
		}
	}
}

// The check of the table rejects tables with other outcomes.
func TestComparisonCanFail(t *testing.T) {
	good := func() (rows [][]string) {
		for _, c := range rare {
			search := map[bool]string{true: "0 of 10", false: "10 of 10"}[c.right]
			rows = append(rows, []string{c.name, "", "0 of 10", search})
		}
		return rows
	}
	if p := problems(tableRows(tableMark + "\n" + table(good()) + tableEnd)); len(p) > 0 {
		t.Errorf("a good table: %v", p)
	}
	for reason, spoil := range map[string]func([][]string){
		"a search that misses one": func(rows [][]string) { rows[0][3] = "4 of 10" },
		"a search that misses some": func(rows [][]string) {
			for i := range 10 {
				rows[i][3] = "6 of 10"
			}
		},
		"a control that is hit":  func(rows [][]string) { rows[len(rows)-1][3] = "1 of 10" },
		"another number of runs": func(rows [][]string) { rows[1][2] = "0 of 20" },
		"no count":               func(rows [][]string) { rows[1][2] = "few" },
		"another mechanism":      func(rows [][]string) { rows[1][0] = "x" },
	} {
		rows := good()
		spoil(rows)
		if len(problems(rows)) == 0 {
			t.Errorf("%s is accepted", reason)
		}
	}
}
