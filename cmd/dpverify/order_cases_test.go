package main

// orderCases are snippets that a rule must flag, and close relatives that it
// must not: text is the body of a function that has t, r and sets.
var orderCases = []struct {
	reason, beside, text string
	test                 bool
	want                 string
}{
	{reason: "a draw in the body", text: `for range sets { r.Float64() }`, want: drawnInMapOrder},
}
