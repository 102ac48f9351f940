package article

// Glossary explains the words of the report that a reader of the papers need not know.
func Glossary() Section {
	s := Section{Anchor: "glossary", Level: 2, Title: Words("Words")}
	var list Listing
	for _, term := range [][2]string{
		{"α", "the probability, over the report's own randomness, that any sampled verdict against a claim is " +
			"wrong; divided over all claims. Computed verdicts spend none of it. Letters in a claim are those of " +
			"its paper"},
		{"computed, measured", "worked out exactly or within proven bounds, against estimated from samples; [a, b] is " +
			"the interval " +
			"that holds at the claim's share of α"},
		{"privacy loss", "the logarithm of the ratio of the probabilities of an output under two neighbouring inputs; ε " +
			"bounds " +
			"it"},
		{"neighbouring inputs", "data sets that differ in one record, as the paper defines it"},
		{"worst point", "the point of the stated domain at which a claim fares worst; the figures are those found there"},
		{"✗", "refuted by a counterexample, or contradicted by the paper itself"},
		{"∅", "true but empty: nothing follows from it"},
		{"✓", "shown by computation over the stated domain, or sampled and not refuted by a test that would have " +
			"seen the violation named"},
	} {
		list = append(list, Item{Head: Words(Strong(term[0]), ": "+term[1]+".")})
	}
	s.Add(list)
	return s
}
