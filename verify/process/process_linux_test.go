package process

import (
	"io"
	"os/exec"
	"strings"
	"testing"
)

// The environment of a process is read to its end, and its first variable is found like the others.
func TestEnvironmentOfAProcess(t *testing.T) {
	env := []string{"FIRST=1", "LONG=" + strings.Repeat("x", 100_000), "LAST=2"}
	cmd := exec.Command("cat")
	cmd.Env = env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("needs the program cat: ", err)
	}
	// The echo shows that the program runs. Before, it has no environment.
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if got, want := string(environOf(cmd.Process.Pid)), "\x00"+strings.Join(env, "\x00")+"\x00"; got != want {
		t.Errorf("%d bytes that begin with %q, want %d", len(got), got[:min(20, len(got))], len(want))
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if got := environOf(cmd.Process.Pid); got != nil {
		t.Errorf("the environment of an ended process is %q", got)
	}
}
