package chart

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// rules style the classes of a [Shape]. Their colors are CSS variables.
//
//go:embed style.css
var rules string

// color is a CSS variable of the rules, with its values on a light page, on a dark page and on paper.
type color struct{ name, light, dark, paper string }

// The series have the colors of Okabe and Ito ("Color Universal Design", 2008), which people with any color vision
// can distinguish, darkened or lightened for contrast with the page.
var colors = []color{
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

func onLight(c color) string { return c.light }
func onDark(c color) string  { return c.dark }
func onPaper(c color) string { return c.paper }

// PageStyle returns the style sheet of charts in a page. The page may use its variables.
func PageStyle() string {
	var b strings.Builder
	b.WriteString(variables(onLight))
	fmt.Fprintf(&b, "@media (prefers-color-scheme: dark) {\n%s}\n", variables(onDark))
	fmt.Fprintf(&b, "@media print {\n%s}\n", variables(onPaper))
	b.WriteString(rules)
	return b.String()
}

func variables(on func(color) string) string {
	var b strings.Builder
	b.WriteString(":root {")
	for _, c := range colors {
		fmt.Fprintf(&b, " --%s: %s;", c.name, on(c))
	}
	b.WriteString(" }\n")
	return b.String()
}

// fileStyle returns the style sheet of an SVG file. It has no variables, which only browsers support.
func fileStyle() string {
	return resolved(onLight) + "@media screen and (prefers-color-scheme: dark) {\n" + resolved(onDark) + "}\n"
}

var useOf = regexp.MustCompile(`var\(--([a-z0-9]+)\)`)

func resolved(on func(color) string) string {
	return useOf.ReplaceAllStringFunc(rules, func(use string) string {
		name := useOf.FindStringSubmatch(use)[1]
		for _, c := range colors {
			if c.name == name {
				return on(c)
			}
		}
		return use
	})
}
