// Package outputs flattens outputs of any Go type into numbers, strings and booleans, which the checks compare. It
// also reads recorded outputs from CSV or JSON lines ([ReadRecording]), tests whether they are independent
// ([RecordedCheck]), and draws samples in batches ([DrawBatches]).
//
// For example, the output struct{ Count int; Name string }{3, "a"} becomes the list [3, "a"]. Outputs are flattened as
// follows; a user does not have to write code for new types.
//
//   - Numbers of any type, named or not, are numbers. A complex number is two numbers. bool
//     and string are unchanged.
//   - A pointer is the value that it points to. nil is a separate value, different from zero.
//     A nil pointer to a struct is nil in each of its fields.
//   - Slices are sequences with a length, arrays are sequences without one. A nil slice or map
//     has length 0.
//   - A map is the sequence of its keys, each followed by its value, in key order: numbers by
//     size, other keys by their flattened form.
//   - A struct is the sequence of its fields, including unexported ones, because package fmt
//     also prints these. Fields of fixed size come before fields such as slices, so that each
//     has a fixed place. A struct without exported fields that has a String method is its
//     string.
//   - *[math/big.Int] is a number. A [time.Time] is two numbers: its seconds since 1970 and the
//     nanoseconds within the second. The time zone and the monotonic clock are ignored.
//   - An interface is the value that it holds.
//
// Values may be nested [MaxDepth] deep. Functions, channels and unsafe pointers are rejected.
package outputs
