package figures

import "github.com/dpverify/dpverify/verify"

func Bounded(s verify.Sense) bool { return s == verify.AtMost || s == verify.Below }

func Wrong(v verify.Verdict) bool { return v == verify.Refuted || v == verify.Inconsistent }

func Stands(v verify.Verdict) bool { return v == verify.Holds || v == verify.Consistent }
