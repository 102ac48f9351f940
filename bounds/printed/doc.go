// Package printed holds the tables and formulas of the papers verbatim: tables as data, formulas as functions.
// Package bounds derives the same quantities under the same names and never calls this package. The formulas of Huai
// et al. 2020 are an exception. They are the methods of [bounds.Pairwise] whose names end in Printed, because they
// need its fields.
//
// The constant of an O(·) is taken as 1.
//
//	table.go      tables, their entries and numbers
//	prestige.go   Han et al. 2018: private sampling, Theorem 1, Corollary 1, Remark 4, Algorithm 1, Sect. 4.1, Tables 2 and 3
//	nonconvex.go  Wang & Xu 2019: the right sides of Theorems 2 to 6
//	curricula.go  An & Shi 2021: Tables 2 to 4
package printed
