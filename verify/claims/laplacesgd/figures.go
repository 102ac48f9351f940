package laplacesgd

import "github.com/dpverify/dpverify/verify"

func figureClaims() []verify.Claim { return nil }
