// Package outputs flattens outputs of any Go type into numbers, strings and booleans, which the checks compare. It
// also reads recorded outputs from CSV or JSON lines ([ReadRecording]), checks whether they are independent
// ([RecordedCheck]), and draws samples in batches ([DrawBatches]).
//
// An output is taken apart as follows; nobody has to write that for a type of his own.
//
//   - Numbers of any type, named or not, are numbers, and complex ones two; bool and string
//     are what they are.
//   - A pointer is what it points to. nil is a value of its own, different from zero; a nil
//     pointer to a struct stands for nil in each of its fields.
//   - Slices are sequences with a length, arrays without. A nil slice is one of length 0, and
//     so is a nil map.
//   - A map is the sequence of its keys, each followed by its value, in the order of the keys:
//     of numbers by size, of others by what they are taken apart into.
//   - A struct is its fields, those of one size before those of none, such as slices, so that
//     each has its place; those that are not exported too, for package fmt prints them as well.
//     A struct without exported fields that has a String method is its string.
//   - *[math/big.Int] is a number. A [time.Time] is two: its seconds since 1970 and the
//     nanoseconds within the second; the time zone and the monotonic clock are left out.
//   - An interface is what it holds.
//
// Values may be nested [MaxDepth] deep. Functions, channels and unsafe pointers are refused.
package outputs
