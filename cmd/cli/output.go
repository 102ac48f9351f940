package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/reports/chart"
)

// write renders a result in memory and then writes it to the file of -o or to standard output.
func (a *app) write(f outputFlags, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return internal(fmt.Errorf("rendering the result: %w", err))
	}
	if f.path != "" {
		return unwritten(a.writeFile(f.path, b.Bytes()))
	}
	for b.Len() > 0 { // in pieces: after a signal, each piece that is read counts as progress
		a.phase.Write()
		if _, err := a.stdout.Write(b.Next(1 << 15)); err != nil {
			return unwritten(err)
		}
	}
	a.phase.Work()
	return nil
}

// plot draws to the file of --plot, if it is given and the chart is not empty.
func (a *app) plot(path string, draw func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	switch err := draw(&b); {
	case errors.Is(err, chart.ErrNothingToDraw):
		a.say("--plot %s is not written: %v", path, err)
		return nil
	case err != nil:
		return internal(fmt.Errorf("drawing: %w", err))
	}
	return unwritten(a.writeFile(path, b.Bytes()))
}

// writeFile writes a file atomically. A pipe or a device may block.
func (a *app) writeFile(path string, data []byte) error {
	if claimsfile.IsRegular(path) {
		return claimsfile.WriteFile(path, data)
	}
	a.phase.Write()
	defer a.phase.Work()
	return claimsfile.WriteFile(path, data)
}

// writeSheet writes tables, formatted for a terminal or else as Markdown.
func (a *app) writeSheet(f outputFlags, s reports.Sheet) error {
	on, shown := f.screen(a)
	return a.write(f, func(w io.Writer) error {
		if shown {
			return s.Terminal(w, on)
		}
		return s.Markdown(w)
	})
}

// writeDocument writes judged claims in the chosen format, or as Markdown and pictures to a directory.
func (a *app) writeDocument(f outputFlags, d reports.Document) error {
	if !f.folder() {
		return a.write(f, f.document(a, d))
	}
	files, err := reports.Files(d)
	if err != nil {
		return internal(fmt.Errorf("rendering the result: %w", err))
	}
	return unwritten(claimsfile.WriteFiles(f.path, reports.FileNames(nil)[0], files))
}

// writerOf returns the function that writes a format; Markdown for an unknown name.
func writerOf(name string) func(io.Writer, reports.Document) error {
	switch name {
	case "json":
		return reports.JSON
	case "html":
		return reports.HTML
	case "junit":
		return reports.JUnit
	case "sarif":
		return reports.SARIF
	case "erratum":
		return reports.Erratum
	}
	return reports.Markdown
}
