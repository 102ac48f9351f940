// Package outputs flattens outputs of any Go type into numbers, strings and booleans, which the checks compare. It
// also reads recorded outputs from CSV or JSON lines ([ReadRecording]), tests whether they are independent
// ([RecordedCheck]), and draws samples in batches ([DrawBatches]).
//
// For example, the output struct{ Count int; Name string }{3, "a"} becomes the list [3, "a"]. New types need no code.
// The rules are:
//
//   - Numbers of any type, named or not, are numbers. A complex number is two numbers. bool
//     and string are unchanged.
//   - A pointer becomes the value that it points to. nil is a separate value, different from
//     zero. A nil pointer to a struct of fixed size becomes a nil for each of its values.
//   - A slice or map becomes a list within the list. A nil slice or map is an empty list. The
//     elements of an array become elements of the surrounding list.
//   - The list of a map holds each key, followed by its value, in key order: numbers by size,
//     strings in alphabetical order, other keys by their flattened form.
//   - A struct becomes the values of its fields, including unexported ones, because package
//     fmt also prints these. Fields of fixed size come before fields such as slices, so that
//     each has a fixed place. A struct without exported fields that has a String method
//     becomes its string.
//   - *[math/big.Int] is a number. A [time.Time] is two numbers: its seconds since 1970 and the
//     nanoseconds within the second. The time zone and the monotonic clock are ignored.
//   - An interface becomes the value that it holds.
//
// Values may be nested [MaxDepth] deep. Functions, channels and unsafe pointers are rejected.
package outputs
