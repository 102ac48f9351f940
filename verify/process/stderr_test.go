package process

import "testing"

// TestStderrText checks that the cause of a Python error comes first, and that other texts keep their order.
func TestStderrText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"cannot open x\nexiting\n", "cannot open x exiting"},
		{"m.cjs:3\nthrow new Error(\"x\")\n^\n\nError: x\n    at m.cjs:3:7\n", `m.cjs:3 throw new Error("x") Error: x at m.cjs:3:7`},
		{"Traceback (most recent call last):\n  File \"m.py\", line 2, in <module>\n    import lib\nModuleNotFoundError: No module named 'lib'\n",
			`ModuleNotFoundError: No module named 'lib' (install it for the Python that exec runs); traceback: File "m.py", line 2, in <module> import lib`},
		{"Traceback (most recent call last):\n  File \"m.py\", line 4, in <module>\n    serve(f)\n    ~~~~~^^^\n  File \"m.py\", line 2, in f\n    1/0\n    ~^~\nZeroDivisionError: division by zero\n",
			`ZeroDivisionError: division by zero; traceback: File "m.py", line 4, in <module> serve(f) File "m.py", line 2, in f 1/0`},
		{"File \"m.py\", line 3\n    def f(\n         ^\nSyntaxError: '(' was never closed\n", `SyntaxError: '(' was never closed; traceback: File "m.py", line 3 def f(`},
		{"warning: slow\nTraceback (most recent call last):\n  File \"m.py\", line 1, in f\n    g()\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n" +
			"Traceback (most recent call last):\n  File \"m.py\", line 3, in <module>\n    f()\nValueError: two\nlines\n",
			`ValueError: two lines; traceback: warning: slow File "m.py", line 1, in f g() KeyError: 'a' During handling of the above exception, another exception occurred: File "m.py", line 3, in <module> f()`},
		{"Traceback (most recent call last):\n  File \"m.py\", line 1, in f\n    g()", `File "m.py", line 1, in f g()`}, // cut off
	} {
		if got := stderrText(c.in); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}
