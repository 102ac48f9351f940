package event_test

import (
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// A file of any kind gives a valid event or an error that begins with a place or a space.
func FuzzReadFile(f *testing.F) {
	for _, seed := range []string{
		gauss1, oldSentence, printedStatement("PLD", 2, "12.595", "1.199", "30.579", "2.532"),
		`{"a": {"history": [[1.0, 0.01, 500]], "mechanism": "rdp"}}`, `{"nbformat": 4, "cells": [{"source": "x"}]}`,
		`["m", "SingleEpochTreeAggregationDpEvent", 5.0, [100, 3]]`, "# Page\n\ntext: x\n", "a,b\n1,2\n", "\x80\x05.",
		`{"class_name": "RepeatAndSelectDpEvent", "mean": 10, "shape": 0.5, "event": ` + gauss1 + `}`, "[{rr: {epsilon0: 1}}]",
		`["m", "DiscreteGaussianDpEvent", 2.0, 1.42, null]`, `{"class_name": "SampledWithoutReplacementDpEvent", ` +
			`"source_dataset_size": 8, "sample_size": 2, "event": ` + gauss1 + `}`,
	} {
		for _, sampling := range []string{"", "user-poisson"} {
			f.Add(seed, sampling)
		}
	}
	f.Fuzz(func(t *testing.T, text, sampling string) {
		file, err := event.ReadFile([]byte(text), sampling)
		if err == nil {
			err = file.Event.Validate()
			if err != nil {
				t.Errorf("%q: %v is invalid: %v", text, file.Event, err)
			}
			return
		}
		if first := err.Error()[0]; first != ' ' && (first < '0' || first > '9') || strings.Contains(err.Error(), "panic") {
			t.Errorf("%q: %v, without a place", text, err)
		}
	})
}
