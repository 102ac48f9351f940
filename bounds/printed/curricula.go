package printed

// The tables of An & Shi 2021: validation accuracies of single runs.

// CurriculaTable2 is Table 2: decreasing and increasing noise schedules.
var CurriculaTable2 = Table{
	Name: "Table 2", Columns: []string{"decreasing", "increasing"},
	Rows: []Row{
		{Name: "exponential", Cells: []string{"0.9572", "0.9442"}},
		{Name: "piecewise", Cells: []string{"0.9517", "0.9252"}},
		{Name: "linear", Cells: []string{"0.9463", "0.9236"}},
		{Name: "quadratic", Cells: []string{"0.9425", "0.9313"}},
	},
}

// CurriculaTable3 is Table 3: decreasing schedules and constant noise of equal ε. A row has the name of its
// decreasing schedule.
var CurriculaTable3 = Table{
	Name: "Table 3", Columns: []string{"curriculum", "constant"},
	Rows: []Row{
		{Name: "exponential", Cells: []string{"0.9572", "0.9529"}},
		{Name: "piecewise", Cells: []string{"0.9517", "0.9565"}},
		{Name: "linear", Cells: []string{"0.9463", "0.9434"}},
		{Name: "quadratic", Cells: []string{"0.9425", "0.9419"}},
	},
}

// CurriculaTable4 is Table 4: runs without and with the sample curriculum. A row has the name of its noise
// multipliers. The paper prints three rows "5-1", which are numbered here.
var CurriculaTable4 = Table{
	Name: "Table 4", Columns: []string{"without", "with"},
	Rows: []Row{
		{Name: "0", Cells: []string{"0.9577", "0.9470"}},
		{Name: "1", Cells: []string{"0.9557", "0.9469"}},
		{Name: "2", Cells: []string{"0.9514", "0.9332"}},
		{Name: "3", Cells: []string{"0.9389", "0.9260"}},
		{Name: "4", Cells: []string{"0.9158", "0.9075"}},
		{Name: "5", Cells: []string{"0.9091", "0.9003"}},
		{Name: "5-1 (first)", Cells: []string{"0.9463", "0.9437"}},
		{Name: "5-1 (second)", Cells: []string{"0.9441", "0.9356"}},
		{Name: "5-1 (third)", Cells: []string{"0.9423", "0.9382"}},
	},
}
