// Package distinguisher searches the outputs at two inputs for the event that best distinguishes the inputs.
//
//	rows.go        outputs of any kind as rows of float64; table.go counts them
//	encode.go      the map from outputs to rows
//	detail.go      the digits and strings that a float64 does not hold
//	text.go        the form of strings
//	search.go      the search
//	complexity.go  the choice of the simplest event among those that certify nearly as much
//	features.go    what is computed from a row, sequence.go from a whole sequence, binner.go its bins
//	whole.go       residues and digits of whole numbers; division.go scores their classes
//	scan.go        the scan for gross violations; family.go what it goes through
//	learned.go, linear.go, pattern.go   scores learned from rows
//	symbols.go, words.go, model.go   a model of sequences of few symbols
//	tail.go        the threshold that promises most, and the posterior of the ratio there
//	smooth.go      empirical Bayes fits of log density ratios along a score
//	boost.go       sums of small decision trees by gradient boosting (Friedman 2001)
//	wording.go     the text of an event
//
// # Families of events
//
// The search for a distinguishing event covers these events, on either side of each threshold. A value
// is a number, a string, true, false or null; a sequence has its length before its values, and a
// sequence within another is written out in place. The first 160
// values have features of their own; of the next, up to 4096, each is looked at by itself.
//
//   - thresholds of each value and of each length, of the difference of neighbouring values (of
//     strings: whether they are equal), of sum, extremes, range, places of the extremes, gaps at
//     both ends, and of the numbers of infinite or equal values;
//   - residues modulo 2 to 16 of whole numbers, each binary digit (the last 63) and
//     decimal digit, and the lowest set bit: of each value and length that is whole in all
//     outputs of the search sample, of a number in a string, of a string's length and of the sum;
//     where there are fewer than 97 values between the extremes, only of gross differences;
//   - the digits of a whole number beyond 2⁵³ in groups of fifteen, each a number with thresholds;
//   - of each string: its length, its first and its last character, whether it is a number, and
//     that number's thresholds; of strings at the positions up to 8 also each of the first 16 and
//     last 4 characters, the first 2, 4 and 8 and the last 4 of them, the shape (every number written as 0, cut at
//     128 bytes) and the format (every run of letters written as a, too);
//   - whole outputs by their frequencies, where there are at most half as many as
//     rows that teach them: strings and symbols are told apart here, too;
//   - intervals of each value and feature, and several at once, by a curve of the log ratio along
//     it in at most 96 rings of values;
//   - whole outputs by a model of sequences of few symbols, where all outputs are of at most 64 words: lists of bits,
//     marks or places, also with a number among them, of any length up to 64, and strings. Words that begin alike are
//     taken to differ alike, and so are near numbers; an event that the model does not expect has to stand out;
//   - linear scores of the numbers, and sums of trees over all features above, which also
//     join values that are few (at most 96) into any set.
//
// For gross violations, of which a size is promised, the scan besides looks at
//
//   - each value and each interval of every feature;
//   - each class of every residue, digit and character (the 96 commonest characters), and all
//     other classes together, whatever else tells the inputs apart;
//   - which of two values is larger, and whether they are equal (of bits: whether they differ), of
//     every pair of the first 24 values of a sequence;
//   - how many values are below the one before, so that sorted sequences are told;
//   - each whole output.
//
// Nothing is promised of other events: those that join several values (beyond the
// features named here), residues and sets of values beyond the 160th, pairs beyond the 24th value, sets of residues,
// digits or characters, what stands in the middle of long strings, and numbers within a string beyond its shape.
//
// Whole numbers of up to 300 digits are compared exactly, and so are doubles that are whole, up to 2⁵³. Others
// keep 40 bits of their significand: the search is over the reals. The bits that are cut
// are the precision probe's, privacy.FloatingPoint.
package distinguisher
