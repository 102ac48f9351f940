package mean

import (
	"encoding/json"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// rateStatistics are what the evidence of a [Rate] follows from.
type rateStatistics struct {
	Quantity   string       `json:"quantity"`
	Variable   string       `json:"variable"`
	Exact      bool         `json:"exact,omitempty"`
	Error      float64      `json:"error"` // relative, of an exact value
	Sense      verify.Sense `json:"sense"`
	Exponent   float64      `json:"exponent"`
	Law        bool         `json:"law,omitempty"`
	Bounded    bool         `json:"bounded,omitempty"` // each mean has a bound; else the slope has an exponent
	Trivial    bool         `json:"trivial,omitempty"` // there are trivial bounds
	Resolution float64      `json:"resolution"`
	Effect     float64      `json:"effect"`
	Replicates int64        `json:"replicates"`
	Note       string       `json:"note,omitempty"`
	// Outside lists the points that are not instances of the theorem, each with the reason.
	Outside []string          `json:"outside,omitempty"`
	Points  []pointStatistics `json:"points"`
	Beside  *curveStatistics  `json:"beside,omitempty"`
}

// curveStatistics are the curves that a run took besides what decides.
type curveStatistics struct {
	Along    string                `json:"along"`
	Quantity string                `json:"quantity"`
	Curves   *verify.CurveRecorder `json:"curves"`
}

// pointStatistics are a point of the grid, with the pilot's mean and spread, and what was counted there.
type pointStatistics struct {
	X       float64             `json:"x"`
	Bound   float64             `json:"bound,omitempty"`
	Trivial verify.Number       `json:"trivial,omitzero"`
	Range   [2]verify.Number    `json:"range"`
	Pilot   [2]float64          `json:"pilot"`
	Moments *confidence.Moments `json:"moments"`
	Below   string              `json:"below,omitempty"` // counts on the grid of the lower limit
	Above   string              `json:"above,omitempty"`
}

// unbiasedStatistics are what the evidence of [Unbiased] follows from.
type unbiasedStatistics struct {
	Claimed      float64          `json:"claimed"`
	Effect       float64          `json:"effect"`
	EffectAcross float64          `json:"effect_across"`
	Cells        []cellStatistics `json:"cells"`
}

// cellStatistics are a cell, with its computed factor where there is one, and what a search across the
// input knows of the direction in which it counts.
type cellStatistics struct {
	At         string            `json:"at"`
	Exact      float64           `json:"exact,omitempty"`
	ExactError float64           `json:"exact_error,omitempty"` // 0 where no factor is computed
	Samples    int64             `json:"samples,omitempty"`
	Spread     float64           `json:"spread,omitempty"` // by a pilot
	Along      string            `json:"along,omitempty"`  // counts of the factor
	Across     *acrossStatistics `json:"across,omitempty"` // nil where the input has one coordinate
}

type acrossStatistics struct {
	Length float64 `json:"length"`
	Slack  float64 `json:"slack"`
	Spread float64 `json:"spread"`
	Reach  float64 `json:"reach"`
	Counts string  `json:"counts"`
}

// statedStatistics are what the evidence of [Stated] follows from.
type statedStatistics struct {
	Quantity    string                 `json:"quantity"`
	Effect      float64                `json:"effect"`
	Samples     int64                  `json:"samples"`
	Coordinates []coordinateStatistics `json:"coordinates"`
}

// coordinateStatistics are a coordinate, and what was counted of it: on a grid within its range, else Catoni's sums by
// the bound on its variance, else moments.
type coordinateStatistics struct {
	Mean     float64             `json:"mean"`
	Range    [2]verify.Number    `json:"range"`
	Variance float64             `json:"variance,omitempty"`
	Scale    float64             `json:"scale"`
	Spread   float64             `json:"spread"`
	Counts   string              `json:"counts,omitempty"`
	Sums     json.RawMessage     `json:"sums,omitempty"`
	Moments  *confidence.Moments `json:"moments,omitempty"`
}

// compareStatistics are what the evidence of [Compare] follows from.
type compareStatistics struct {
	Quantity   string                `json:"quantity"`
	Names      []string              `json:"names"`
	Replicates int64                 `json:"replicates"`
	Orders     []orderStatistics     `json:"orders"`
	Note       string                `json:"note,omitempty"`
	Moments    []*confidence.Moments `json:"moments,omitempty"` // of each name
}

// orderStatistics are an order of two of the names, from 0, and in how many replicates it held.
type orderStatistics struct {
	Less        int   `json:"less"`
	More        int   `json:"more"`
	Below       int64 `json:"below"`
	BelowOrLike int64 `json:"below_or_equal"`
}
