package chart

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// rules give each class of a [Shape] its look; their colours are CSS variables.
//
//go:embed style.css
var rules string

// colour is a variable of the rules, by its value on a light page, a dark one and paper.
type colour struct{ name, light, dark, paper string }

// Those of the series are the colours of Okabe and Ito ("Color Universal Design", 2008), which
// people with any colour vision can tell apart, darkened or lightened until they
// stand out from the page.
var colours = []colour{
	{"card", "#fff", "#1b2125", "#fff"}, // behind the shapes
	{"ink", "#1d2327", "#e4e8ea", "#000"},
	{"soft", "#5a646b", "#a2adb4", "#444"},
	{"line", "#d9dedf", "#363f45", "#bbb"},
	{"bad", "#b3261e", "#ff8a80", "#b3261e"},
	{"accent", "#1f5fa8", "#82b4f0", "#1f5fa8"},
	{"s0", "#0072b2", "#6cb4f0", "#0072b2"},
	{"s1", "#c04f00", "#f08c4a", "#c04f00"},
	{"s2", "#008a64", "#3fc79a", "#008a64"},
	{"s3", "#b0508a", "#e09ac6", "#b0508a"},
	{"s4", "#1d2327", "#e4e8ea", "#000"},
	{"s5", "#9a6a00", "#efb94d", "#9a6a00"},
	{"s6", "#5b55c4", "#a5a1ee", "#5b55c4"},
}

func onLight(c colour) string { return c.light }
func onDark(c colour) string  { return c.dark }
func onPaper(c colour) string { return c.paper }

// PageStyle is the style sheet of a page that holds charts. The page may use
// its variables too.
func PageStyle() string {
	var b strings.Builder
	b.WriteString(variables(onLight))
	fmt.Fprintf(&b, "@media (prefers-color-scheme: dark) {\n%s}\n", variables(onDark))
	fmt.Fprintf(&b, "@media print {\n%s}\n", variables(onPaper))
	b.WriteString(rules)
	return b.String()
}

func variables(on func(colour) string) string {
	var b strings.Builder
	b.WriteString(":root {")
	for _, c := range colours {
		fmt.Fprintf(&b, " --%s: %s;", c.name, on(c))
	}
	b.WriteString(" }\n")
	return b.String()
}

// fileStyle is the style sheet of a picture in a file of its own. It has no variables: programs
// other than browsers do not know them.
func fileStyle() string {
	return resolved(onLight) + "@media screen and (prefers-color-scheme: dark) {\n" + resolved(onDark) + "}\n"
}

var useOf = regexp.MustCompile(`var\(--([a-z0-9]+)\)`)

func resolved(on func(colour) string) string {
	return useOf.ReplaceAllStringFunc(rules, func(use string) string {
		name := useOf.FindStringSubmatch(use)[1]
		for _, c := range colours {
			if c.name == name {
				return on(c)
			}
		}
		return use
	})
}
