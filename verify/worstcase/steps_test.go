package worstcase_test

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/dpverify/dpverify/verify/inputs"
)

// stepped returns the ε of a mechanism after a number of steps. More than 8/3 steps violate a claim of ε = 1.
func stepped(steps float64) float64 { return 0.2 + 0.3*steps }

// flipped releases the parity of the number of records in an input, or in its field "records", by randomized response.
// An infinite ε means no randomness. In contrast to a noise scale, the ε itself is not visible in a single output.
func flipped(epsilon func(input any, records []any) float64) release {
	return func(r *rand.Rand, input any) (any, error) {
		records, ok := input.([]any)
		if !ok {
			records = input.(map[string]any)["records"].([]any)
		}
		odd := len(records)%2 == 1
		if r.Float64() < 1/(1+math.Exp(epsilon(input, records))) {
			odd = !odd
		}
		return odd, nil
	}
}

func numberOf(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	x, _ := v.(float64)
	return x
}

// nearness decreases linearly from 1 at x = 0 to 0 at |x| = width.
func nearness(x, width float64) float64 { return math.Max(0, 1-math.Abs(x)/width) }

func lists(record inputs.Type, most int) inputs.Space {
	return inputs.Space{Values: inputs.List(record, 0, most), Neighbors: inputs.AddOrRemoveOne()}
}

func people(fields map[string]inputs.Type, most int) inputs.Type {
	return inputs.List(inputs.Object(fields), 0, most)
}

func object(fields map[string]inputs.Type, relation inputs.Relation) inputs.Space {
	return inputs.Space{Values: inputs.Object(fields), Neighbors: relation}
}

func countOf(list []any, is func(any) bool) (n float64) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

// field returns a field of a record.
func field(v any, name string) any { return v.(map[string]any)[name] }

// prefix returns the length of the longest common prefix of two words.
func prefix(word, other string) (n int) {
	for n < min(len(word), len(other)) && word[n] == other[n] {
		n++
	}
	return n
}

// tuning lists the mechanisms on which the moves of the search were tuned. held lists mechanisms on which it was
// measured only once, after the tuning.
var tuning = []rareCase{
	{name: "fields at their ends", fault: "no noise where a record has the highest age, the highest income and no name",
		space: inputs.Space{Values: people(map[string]inputs.Type{"age": inputs.Int(0, 120), "income": inputs.Float(0, 1e6),
			"name": inputs.String("abc", 0, 8), "smoker": inputs.Bool()}, 20), Neighbors: inputs.AddOrRemoveOne()},
		mechanism: flipped(func(_ any, records []any) float64 {
			if countOf(records, func(v any) bool {
				return field(v, "age") == int64(120) && field(v, "income") == 1e6 && field(v, "name") == ""
			}) > 0 {
				return math.Inf(1)
			}
			return 1
		})},
	{name: "large groups", fault: "each of up to five groups of five members or more takes noise away",
		space: lists(inputs.List(inputs.Int(0, 9), 1, 6), 12),
		mechanism: flipped(func(_ any, records []any) float64 {
			return stepped(min(5, countOf(records, func(v any) bool { return len(v.([]any)) > 4 })))
		})},
	{name: "a word", fault: "each letter with which the first word begins as cab does takes noise away",
		space: lists(inputs.String("abc", 0, 6), 12),
		mechanism: flipped(func(_ any, records []any) float64 {
			if len(records) == 0 {
				return stepped(0)
			}
			return stepped(float64(prefix(records[0].(string), "cab")) * 5 / 3)
		})},
	{name: "wide whole numbers", fault: "the nearer the first number is to a million, in decades, the less noise",
		space: lists(inputs.Int(0, 1_000_000_000), 12),
		mechanism: flipped(func(_ any, records []any) float64 {
			if len(records) == 0 {
				return stepped(0)
			}
			return stepped(5 * nearness(math.Log10(numberOf(records[0])+1)-5.5, 4))
		})},
	{name: "decades of a bound", fault: "the nearer the bound is to 100, in decades, the less noise",
		space: object(map[string]inputs.Type{"records": inputs.List(inputs.Int(0, 9), 0, 20),
			"bound": inputs.Float(1e-6, 1e6), "verbose": inputs.Bool()}, inputs.AddOrRemoveOne()),
		mechanism: flipped(func(input any, _ []any) float64 {
			return stepped(5 * nearness(math.Log10(numberOf(field(input, "bound")))-2, 4))
		})},
	{name: "records in a range", fault: "each of up to five records above 20 and below 30 takes noise away",
		space: lists(inputs.Int(0, 60), 12),
		mechanism: flipped(func(_ any, records []any) float64 {
			return stepped(min(5, countOf(records, func(v any) bool { return v.(int64) > 20 && v.(int64) < 30 })))
		})},
	{name: "a size", fault: "the nearer the number of records is to 38, and the first to 80, the less noise",
		space: lists(inputs.Int(0, 100), 60),
		mechanism: flipped(func(_ any, records []any) float64 {
			k := 2.5 * nearness(float64(len(records)-38), 25)
			if len(records) > 0 {
				k += 2.5 * nearness(numberOf(records[0])-80, 60)
			}
			return stepped(k)
		})},
	{name: "an edge of two lists", fault: "no noise at one record where there are five weights and the label is empty",
		space: object(map[string]inputs.Type{"records": inputs.List(inputs.Int(-5, 5), 0, 20),
			"weights": inputs.List(inputs.Float(0, 1), 0, 5), "label": inputs.String("xyz", 0, 4)},
			inputs.AddOrRemoveOne().In("records")),
		mechanism: flipped(func(input any, records []any) float64 {
			if len(records) == 1 && len(field(input, "weights").([]any)) == 5 && field(input, "label") == "" {
				return math.Inf(1)
			}
			return 1
		})},
	{name: "options", fault: "each of four options that is set otherwise takes noise away",
		space: object(map[string]inputs.Type{"records": inputs.List(inputs.Int(0, 9), 0, 20),
			"mode": inputs.Enum("safe", "plain", "fast"), "rounds": inputs.Int(1, 20), "clip": inputs.Float(0, 100),
			"cache": inputs.Bool()}, inputs.AddOrRemoveOne()),
		mechanism: flipped(func(input any, _ []any) float64 {
			k := 0.0
			for _, set := range []bool{field(input, "mode") == "fast", numberOf(field(input, "rounds")) > 8,
				numberOf(field(input, "clip")) > 30 && numberOf(field(input, "clip")) < 90, field(input, "cache") == true} {
				if set {
					k++
				}
			}
			return stepped(k)
		})},
}

var held = []rareCase{
	{name: "an edge of three fields", fault: "no noise on no record where there are three names and the window is 1",
		space: object(map[string]inputs.Type{"records": inputs.List(inputs.Enum("x", "y"), 0, 20),
			"names": inputs.List(inputs.String("pq", 1, 3), 0, 3), "window": inputs.Int(1, 50), "scale": inputs.Float(0.1, 10)},
			inputs.AddOrRemoveOne().In("records")),
		mechanism: flipped(func(input any, records []any) float64 {
			if len(records) == 0 && len(field(input, "names").([]any)) == 3 && field(input, "window") == int64(1) {
				return math.Inf(1)
			}
			return 1
		})},
	{name: "tags", fault: "each of up to four tags of a record that are warm takes noise away",
		space: lists(inputs.Object(map[string]inputs.Type{
			"tags": inputs.List(inputs.Enum("cold", "mild", "warm", "hot"), 0, 8), "id": inputs.Int(0, 1000)}), 10),
		mechanism: flipped(func(_ any, records []any) float64 {
			largest := 0.0
			for _, v := range records {
				tags := field(v, "tags").([]any)
				largest = max(largest, min(4, countOf(tags, func(v any) bool { return v == "warm" })))
			}
			return stepped(largest)
		})},
	{name: "a longer word", fault: "each of up to five letters c in a word takes noise away",
		space: lists(inputs.String("abcde", 0, 10), 10),
		mechanism: flipped(func(_ any, records []any) float64 {
			most := 0
			for _, v := range records {
				most = max(most, strings.Count(v.(string), "c"))
			}
			return stepped(float64(min(5, most)))
		})},
	{name: "wide signed numbers", fault: "the nearer a number is to −10⁵, in decades, the less noise",
		space: lists(inputs.Int(-1_000_000_000, 1_000_000_000), 10),
		mechanism: flipped(func(_ any, records []any) float64 {
			most := 0.0
			for _, v := range records {
				if x := numberOf(v); x < 0 {
					most = max(most, 5*nearness(math.Log10(-x)-5, 4))
				}
			}
			return stepped(most)
		})},
	{name: "small numbers", fault: "the smaller the largest number that is not 0, in decades, the less noise",
		space: lists(inputs.Float(0, 1e6), 10),
		mechanism: flipped(func(_ any, records []any) float64 {
			most := 0.0
			for _, v := range records {
				most = max(most, numberOf(v))
			}
			if most == 0 {
				return stepped(0)
			}
			return stepped(min(5, max(0, 6-math.Log10(most))/1.6))
		})},
	{name: "coordinates", fault: "each of five coordinates that is above 60 and below 90 takes noise away",
		space: inputs.Space{Values: inputs.Vector(inputs.Float(0, 100), 5), Neighbors: inputs.Change(inputs.L1, 1)},
		mechanism: func(r *rand.Rand, input any) (any, error) {
			x := numbersOf(input)
			k := 0.0
			for _, v := range x {
				if v > 60 && v < 90 {
					k++
				}
			}
			return sum(x) + laplace(r, 1/stepped(k)), nil
		}},
	{name: "alternating", fault: "each change of sign, up to six, takes noise away",
		space: lists(inputs.Int(-10, 10), 16),
		mechanism: flipped(func(_ any, records []any) float64 {
			k := 0.0
			for i := 1; i < len(records); i++ {
				if records[i].(int64)*records[i-1].(int64) < 0 {
					k++
				}
			}
			return stepped(min(6, k) * 5 / 6)
		})},
	{name: "distinct values", fault: "each value beyond the fourth, up to nine, takes noise away",
		space: inputs.Space{Values: inputs.List(inputs.Int(0, 40), 1, 12), Neighbors: inputs.ReplaceOne()},
		mechanism: func(r *rand.Rand, input any) (any, error) {
			x := numbersOf(input)
			seen := map[float64]bool{}
			for _, v := range x {
				seen[v] = true
			}
			return sum(x)/40 + laplace(r, 1/stepped(min(5, max(0, float64(len(seen)-4))))), nil
		}},
	{name: "a plan", fault: "the nearer each of three settings is to what it should not be, the less noise",
		space: object(map[string]inputs.Type{"records": inputs.List(inputs.Enum("a", "b", "c"), 0, 30),
			"bins": inputs.Int(1, 1000), "rate": inputs.Float(1e-4, 1), "kind": inputs.Enum("x", "y", "z")},
			inputs.AddOrRemoveOne()),
		mechanism: flipped(func(input any, _ []any) float64 {
			k := 2*nearness(math.Log10(numberOf(field(input, "bins")))-1.8, 1.5) +
				2*nearness(math.Log10(numberOf(field(input, "rate")))+2, 2)
			if field(input, "kind") == "y" {
				k++
			}
			return stepped(k)
		})},
}

// controls lists mechanisms that satisfy the claim on every pair, some with equality.
var controls = []rareCase{
	{name: "people", right: true, space: tuning[0].space, mechanism: flipped(func(any, []any) float64 { return 1 })},
	{name: "groups", right: true, space: tuning[1].space, mechanism: flipped(func(any, []any) float64 { return 1 })},
	{name: "words", right: true, space: tuning[2].space, mechanism: flipped(func(any, []any) float64 { return 1 })},
	{name: "options that add noise", right: true, space: tuning[8].space,
		mechanism: flipped(func(input any, _ []any) float64 {
			if field(input, "mode") == "fast" {
				return 1
			}
			return 1 / (1 + numberOf(field(input, "rounds"))/10)
		})},
	{name: "replaced numbers", right: true, space: held[7].space,
		mechanism: func(r *rand.Rand, input any) (any, error) { return sum(numbersOf(input))/40 + laplace(r, 1), nil }},
	{name: "five coordinates", right: true, space: held[5].space,
		mechanism: func(r *rand.Rand, input any) (any, error) { return sum(numbersOf(input)) + laplace(r, 1), nil }},
}
