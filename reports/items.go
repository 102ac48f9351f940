package reports

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// paperItem is a numbered item of a paper, such as a lemma, an algorithm or a table, with the results about it.
type paperItem struct {
	key, name string
	results   []verify.Result
}

// itemOf returns the second part of an id.
func (g group) itemOf(id string) string {
	key, _, _ := strings.Cut(strings.TrimPrefix(id, g.ID+"/"), "/")
	return key
}

// sortByItem sorts the claims by the paper's order of items.
func (g group) sortByItem() {
	if len(g.Items) == 0 {
		return
	}
	position := func(r verify.Result) int {
		if i := slices.Index(g.Items, g.itemOf(r.Claim.ID)); i >= 0 {
			return i
		}
		return len(g.Items)
	}
	slices.SortStableFunc(g.results, func(a, b verify.Result) int { return cmp.Compare(position(a), position(b)) })
}

// byItem groups the claims of a paper by the second part of their ids. Items with the same name are merged.
func (g group) byItem() []paperItem {
	var all, named []paperItem
	for _, r := range g.results {
		key := g.itemOf(r.Claim.ID)
		if key+"/" == settingsPart[1:] {
			continue
		}
		i := slices.IndexFunc(all, func(it paperItem) bool { return it.key == key })
		if i < 0 {
			i = len(all)
			all = append(all, paperItem{key: key})
		}
		all[i].results = append(all[i].results, r)
	}
	for _, it := range all {
		it.name = it.called()
		if i := slices.IndexFunc(named, func(n paperItem) bool { return n.name == it.name }); i >= 0 {
			named[i].results = append(named[i].results, it.results...)
			continue
		}
		named = append(named, it)
	}
	return named
}

// partOf matches the separator before a part of a numbered item, as in "Lemma 2, proof" and "Alg. 1; Sect. 3", but
// not in "Sects. 3.4, 4.2".
var partOf = regexp.MustCompile(`[,;] [^0-9(]|: `)

// itemName returns the numbered item at the beginning of a source.
func itemName(source string) string {
	if at := partOf.FindStringIndex(source); at != nil {
		return source[:at[0]]
	}
	return source
}

// called returns the most frequent name at the beginning of the item's sources. If it covers less than half of them,
// and the item's key is a word, the key is the name.
func (it paperItem) called() string {
	var names []string
	times := make(map[string]int)
	for _, r := range it.results {
		name := itemName(r.Claim.Source)
		if times[name]++; times[name] == 1 {
			names = append(names, name)
		}
	}
	frequent := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(times[a], times[b]) })
	if 2*times[frequent] < len(it.results) && !strings.ContainsAny(it.key, "0123456789") {
		return capital(strings.ReplaceAll(it.key, "-", " "))
	}
	return capital(frequent)
}
