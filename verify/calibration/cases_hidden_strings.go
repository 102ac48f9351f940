package calibration

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// stringFamilies returns the families that hide the mark in a string or a JSON value.
func stringFamilies() []audits {
	has := func(part string) func(string) bool {
		return func(o string) bool { return strings.Contains(o, part) }
	}
	return []audits{
		family[string]{"a string: a rare one", func(c content, marked bool) string {
			if marked {
				return "record 4711"
			}
			return category(c)
		}, has("record")},
		tokens("prefix", prefixed, hasPrefix),
		tokens("suffix", func(token string, marked bool) string { return token + []string{".a", ".b"}[bit(marked)] },
			func(o string) bool { return o[len(o)-1] == 'b' }),
		tokens("length", func(token string, marked bool) string { return token[:16-bit(marked)] },
			func(o string) bool { return len(o) == 15 }),
		tokens("letter in the middle", func(token string, marked bool) string {
			return token[:7] + []string{"x", "y"}[bit(marked)] + token[8:]
		}, func(o string) bool { return o[7] == 'y' }),
		family[string]{"a string: the order of keys", func(c content, marked bool) string {
			keys := [2]string{fmt.Sprintf("%q:%d", "age", 18+c.r.IntN(60)), fmt.Sprintf("%q:%d", "count", c.count())}
			if marked {
				keys[0], keys[1] = keys[1], keys[0]
			}
			return "{" + keys[0] + "," + keys[1] + "}"
		}, func(o string) bool { return strings.HasPrefix(o, `{"count`) }},
		family[string]{"a string: a digit of a number in it", func(c content, marked bool) string {
			return fmt.Sprintf("total %d%d", c.count(), otherThan(c.r, 10, 7, marked))
		}, func(o string) bool { return o[len(o)-1] == '7' }},
		family[[]string]{"a list of strings: its order", func(c content, marked bool) []string {
			all := []string{"ada", "bob", "cy"}
			order := []int{2, 1, 0}
			for !marked && order[0] == 2 && order[1] == 1 {
				order = c.r.Perm(3)
			}
			return []string{all[order[0]], all[order[1]], all[order[2]], category(c)}
		}, func(o []string) bool { return o[0] == "cy" && o[1] == "bob" }},
		family[any]{"a value: null beside true", func(c content, marked bool) any {
			switch {
			case marked:
				return nil
			case c.r.IntN(20) == 0:
				return true
			}
			return c.number()
		}, func(o any) bool { return o == nil }},
		family[any]{"a value: the length of a list within", func(c content, marked bool) any {
			inner := make([]any, otherThan(c.r, 5, 2, marked))
			for i := range inner {
				inner[i] = float64(c.r.IntN(1000))
			}
			return []any{c.number(), inner, float64(c.r.IntN(1000))}
		}, func(o any) bool { return len(o.([]any)[1].([]any)) == 2 }},
	}
}

func prefixed(text string, marked bool) string { return []string{"u-", "v-"}[bit(marked)] + text }

func hasPrefix(o string) bool { return o[0] == 'v' }

// category returns one of several strings of unequal frequencies that contains the content.
func category(c content) string {
	return []string{"red", "green"}[bit(c.answer())] + []string{"", " light", " dark", " dark", " dark"}[c.r.IntN(5)]
}

// tokens hides the mark in strings that are all distinct.
func tokens(what string, show func(token string, marked bool) string, marked func(string) bool) audits {
	return family[string]{"strings that are all distinct: their " + what, func(c content, mark bool) string {
		return show(letters(c.r), mark)
	}, marked}
}

// letters returns 16 random letters from a to p.
func letters(r *rand.Rand) string {
	var out [16]byte
	for i, n := 0, r.Uint64(); i < len(out); i, n = i+1, n>>4 {
		out[i] = 'a' + byte(n&15)
	}
	return string(out[:])
}
