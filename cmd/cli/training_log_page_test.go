package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// loggedProgram is a training in plain Python that writes a log with the manual's page. The first argument is the fault.
const loggedProgram = `
import math, random, sys
from dp_training_log import TrainingLog
fault, steps, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
RECORDS, RATE, C, SIGMA, SIZE, DIVISOR = 200, 0.1, 1.0, 2.0, 12, 20
RECORDS += fault.endswith("neighbor")
if fault.startswith("divided by n"):
    DIVISOR = RECORDS / 10
rng = random.Random(seed)
data = [[rng.gauss(0, 1) for _ in range(SIZE)] for _ in range(RECORDS)]
w, kept = [0.0] * SIZE, [0.0] * SIZE
log = TrainingLog("neighbor.jsonl" if fault.endswith("neighbor") else "run.jsonl", records=RECORDS, coordinates=3, seed=seed)
for step in range(steps + (fault == "another step")):
    batch = [i for i in range(RECORDS) if rng.random() < RATE]
    clipped = []
    for i in batch:
        g = [a - b for a, b in zip(w, data[i])]
        short = min(1, C / math.sqrt(sum(a * a for a in g)))
        clipped.append([short * a for a in g])
    total = [sum(c[k] for c in clipped) for k in range(SIZE)]
    if fault == "sums kept":
        kept = total = [a + b for a, b in zip(kept, total)]
    scale = SIGMA * C / 2 if fault == "half the noise" else SIGMA * C
    noise = [rng.gauss(0, scale) for _ in range(SIZE)]
    update = [(a + b) / DIVISOR for a, b in zip(total, noise)]
    log.step(batch, clipped, noise, update, DIVISOR)
    w = [a - 0.5 * b for a, b in zip(w, update)]
log.close()
`

// An audit of the log that the manual's page writes refutes each fault and not the sound training.
func TestTrainingLogPage(t *testing.T) {
	needPython(t)
	page := read(t, filepath.Join("manual", "pages", "dp_training_log.py"))
	t.Chdir(t.TempDir())
	put(t, "dp_training_log.py", page)
	put(t, "train.py", loggedProgram)
	const judge = "dpverify audit --training-log run.jsonl --sampling poisson --rate 0.1 --clipping-norm 1 --noise-multiplier 2 " +
		"--divisor 20 --steps 60"
	for _, c := range []struct {
		fault string
		code  int
		want  string // part of the report
	}{
		{"none", codeFine, "✓ `audit/training/steps`"},
		{"another step", codeRefuted, "✗ `audit/training/steps`"},
		{"sums kept", codeRefuted, "✗ `audit/training/update`"},
		{"half the noise", codeRefuted, "✗ `audit/training/noise`"},
	} {
		if out, err := exec.Command("python3", "train.py", c.fault, "60", "1").CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.fault, err, out)
		}
		if code, out := guided(t, judge); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", c.fault, code, c.code, c.want, out)
		}
	}
}

// Two logs show a divisor that depends on the number of records, and one that does not. One log does not.
func TestTrainingLogPageNeighbors(t *testing.T) {
	needPython(t)
	page := read(t, filepath.Join("manual", "pages", "dp_training_log.py"))
	t.Chdir(t.TempDir())
	put(t, "dp_training_log.py", page)
	put(t, "train.py", loggedProgram)
	const judge = "dpverify audit --training-log run.jsonl --sampling poisson --rate 0.1 --clipping-norm 1 --noise-multiplier 2 " +
		"--divisor 20 --steps 60"
	for _, c := range []struct {
		fault string
		code  int
		want  string
	}{
		{"none", codeFine, "✓ `audit/training/divisor`"},
		{"divided by n", codeRefuted, "step 1 divides by 20 on 200 records and by 20.1 on 201 records"},
	} {
		for _, run := range []string{c.fault, c.fault + ", neighbor"} {
			if out, err := exec.Command("python3", "train.py", run, "60", "1").CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", run, err, out)
			}
		}
		if code, out := guided(t, judge); code != codeFine {
			t.Errorf("%s, one log: exit code %d, want %d:\n%s", c.fault, code, codeFine, out)
		}
		if code, out := guided(t, judge+" --neighbor-log neighbor.jsonl"); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", c.fault, code, c.code, c.want, out)
		}
	}
}

// The page logs norms of whole vectors, values at fixed coordinates, and whole lines, and rejects vectors that do not fit.
func TestTrainingLogPageValues(t *testing.T) {
	needPython(t)
	page := read(t, filepath.Join("manual", "pages", "dp_training_log.py"))
	t.Chdir(t.TempDir())
	put(t, "dp_training_log.py", page)
	put(t, "values.py", `
from dp_training_log import TrainingLog
class Array(list):
    def tolist(self):
        return list(self)
log = TrainingLog("run.jsonl", records=5, coordinates=[2, 0])
log.step(Array([3, 1]), [Array([3, 0, 4]), (0, 1, 0)], Array([1, 2, 3]), [2, 1.5, 3.5], 2)
log.step([], [], [1, 2, 3], [0.5, 1, 1.5], 2)
whole = open("run.jsonl").read()
assert whole.count("\n") == 3, whole  # written at once
for bad in [([1], [], [1, 2, 3], [1, 2, 3], 2), ([1], [[1, 2]], [1, 2, 3], [1, 2, 3], 2), ([], [], [1, 2], [1, 2, 3], 2),
            ([], [], [1, 2], [1, 2], 2), ([], [], [float("nan")] * 3, [1, 2, 3], 2)]:
    try:
        log.step(*bad)
        print("accepted", bad)
    except ValueError as e:
        print(str(e).removesuffix(": nan"))
for bad in [[3], [], [-1]]:
    try:
        TrainingLog("other.jsonl", records=5, coordinates=bad).step([], [], [1, 2, 3], [1, 2, 3], 2)
        print("accepted", bad)
    except ValueError as e:
        print(e)
many = TrainingLog("other.jsonl", records=5, coordinates=2, seed=1)
many.step([], [], range(100), range(100), 1)
first = list(many.coordinates)
many.step([], [], range(100), range(100), 1)
assert first == many.coordinates and len(set(first)) == 2, first
assert open("run.jsonl").read() == whole
log.step([], [], [1, 2, 3], [0.5, 1, 1.5], 2)
`)
	out, err := exec.Command("python3", "values.py").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const want = `{"records": 5}
{"step": 1, "batch": [3, 1], "norms": [5.0, 1.0], "contributions": [[4.0, 3.0], [0.0, 0.0]], "noise": [3.0, 1.0], "released": [3.5, 2.0], "divisor": 2.0}
{"step": 2, "batch": [], "norms": [], "contributions": [], "noise": [3.0, 1.0], "released": [1.5, 0.5], "divisor": 2.0}
{"step": 3, "batch": [], "norms": [], "contributions": [], "noise": [3.0, 1.0], "released": [1.5, 0.5], "divisor": 2.0}
`
	if got := read(t, "run.jsonl"); got != want {
		t.Errorf("the log is\n%s\nwant\n%s", got, want)
	}
	const errors = `0 contributions of 1 records: want one for each record
contribution of 2 numbers, released vector of 3: want the same
noise of 2 numbers, released vector of 3: want the same
released vector of 2 numbers: want 3, as in the first step
Out of range float values are not JSON compliant
coordinates [3]: want at least one, from 0 to 2
coordinates []: want at least one, from 0 to 2
coordinates [-1]: want at least one, from 0 to 2
`
	if string(out) != errors {
		t.Errorf("errors\n%s\nwant\n%s", out, errors)
	}
}
