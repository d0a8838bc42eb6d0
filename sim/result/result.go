package result

// SchemaVersion of result.json. It grows when a reader would misunderstand.
const SchemaVersion = 1

// Result is what one run showed: numbers with names and units, nothing that
// needs the simulator to be read again. Frozen once built.
type Result struct {
	SchemaVersion int    `json:"schemaVersion"`
	Tool          Tool   `json:"tool"`
	Scenario      Source `json:"scenario"`
	// Digest is a hash over all executed events: same scenario and seed, same digest.
	Digest string `json:"digest"`
	// Events is the number of executed events.
	Events uint64 `json:"events"`
	// Partial marks a run that was interrupted; DurationS is what was simulated.
	Partial   bool    `json:"partial"`
	DurationS float64 `json:"duration_s"`
	IntervalS float64 `json:"interval_s"`

	Verdict      Verdict   `json:"verdict"`
	Control      *Control  `json:"control,omitempty"`
	SteadyState  []Claim   `json:"steadyState"`
	Expectations []Claim   `json:"expectations"`
	Accounts     []Account `json:"accounts"`
	// Classes are the accounts of the classes of fleets that have some, by
	// "callers.NAME.CLASS".
	Classes      []Account     `json:"classes,omitempty"`
	Latency      []LatencyRow  `json:"latency"`
	Timeline     []Event       `json:"timeline"`
	Windows      []Window      `json:"windows"`
	Scopes       []ScopeInfo   `json:"scopes"`
	Replications []Replication `json:"replications,omitempty"`

	// Series holds the curves; it goes to series.csv.
	Series Series `json:"-"`
	// Histograms per interval go to histograms.csv.
	Histograms []HistogramRow `json:"-"`
	// Spec is the resolved scenario as YAML, for scenario.yaml.
	Spec []byte `json:"-"`
}

// Tool says what made the result.
type Tool struct {
	Version   string `json:"version"`
	GoVersion string `json:"goVersion"`
}

// Source says what was run.
type Source struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Extends string   `json:"extends,omitempty"`
	Differs []string `json:"differs,omitempty"`
	// Changed are those of Differs that --set made, as "path=value": what About says
	// may no longer be true.
	Changed []string `json:"changed,omitempty"`
	Seed    uint64   `json:"seed"`
	// SHA256 of the resolved scenario text.
	SHA256 string `json:"sha256"`
}

// VerdictWord is the judgement on a run.
type VerdictWord string

// The verdicts of a run.
const (
	Stable     VerdictWord = "stable"
	Recovered  VerdictWord = "recovered"
	Rescued    VerdictWord = "rescued"
	Metastable VerdictWord = "metastable"
	Overloaded VerdictWord = "overloaded"
	Undecided  VerdictWord = "undecided"
)

// Verdict is the judgement with the figures that decided it. Pointers are nil
// where there is no such instant.
type Verdict struct {
	Word VerdictWord `json:"verdict"`
	// Sentence is the headline a person reads.
	Sentence string `json:"sentence"`
	// Scope whose goodput was judged, "callers.NAME".
	Scope                  string   `json:"scope"`
	RecoveryShare          float64  `json:"recovery_share"`
	RecoveryForS           float64  `json:"recovery_for_s"`
	BaselineGoodputPerS    float64  `json:"baseline_goodput_per_s"`
	OfferedPerS            float64  `json:"offered_per_s"`
	CapacityPerS           *float64 `json:"capacity_per_s"`
	TriggerStartS          *float64 `json:"trigger_start_s"`
	TriggerEndS            *float64 `json:"trigger_end_s"`
	RecoveryAtS            *float64 `json:"recovery_at_s"`
	RecoveredAfterTriggerS *float64 `json:"recovered_after_trigger_s"`
	// OutageS is the length of all outages together. An outage begins, from the first
	// fault on, when goodput falls below the recovery share of offered, and ends with
	// recovery: when goodput is back for at least RecoveryForS.
	OutageS float64 `json:"outage_s"`
	// Outages is their number.
	Outages int `json:"outages"`
	// TimeBelowS is only the seconds with goodput below that share: those of the whole
	// run, without the short spells within an outage in which it was back.
	TimeBelowS float64 `json:"time_below_s"`
	// AmplificationMax is the peak of attempts per offered request over a 10 s window
	// with at least 10 requests; over the whole run where there is none.
	AmplificationMax float64 `json:"amplification_max"`
	// WastedShare of all service time that went to callers that were gone.
	WastedShare float64 `json:"wasted_share"`
	// RescuedBy names the last operator action before recovery, or those that began
	// at the same instant: "shed and restart".
	RescuedBy string `json:"rescued_by,omitempty"`
}

// Control is the same scenario without faults and without operators.
type Control struct {
	Healthy bool        `json:"healthy"`
	Verdict VerdictWord `json:"verdict"`
	Digest  string      `json:"digest"`
	// GoodputShare over the whole control run, in [0,1].
	GoodputShare float64 `json:"goodput_share"`
}

// Claim is an expectation with what was found.
type Claim struct {
	Text string `json:"text"`
	Held bool   `json:"held"`
	// Actual is the measured value with its unit, or why there is none.
	Actual string `json:"actual"`
	// Value in the metric's own unit; nil when there was none.
	Value *float64 `json:"value"`
}

// Account is the law of accounts at one boundary:
//
//	sent = answered + degraded + failed + refused + abandoned + in flight
type Account struct {
	// Boundary is "callers.NAME" (requests), or "services.NAME" (attempts sent to it).
	Boundary  string  `json:"boundary"`
	Sent      uint64  `json:"sent"`
	Answered  uint64  `json:"answered"`
	Degraded  uint64  `json:"degraded"`
	Failed    uint64  `json:"failed"`
	Refused   uint64  `json:"refused"`
	Abandoned uint64  `json:"abandoned"`
	InFlight  uint64  `json:"in_flight"`
	Reasons   []Count `json:"reasons"`
	// WastedS and WorkS are seconds of service time: for gone callers, and in all.
	WastedS float64 `json:"wasted_s"`
	WorkS   float64 `json:"work_s"`
	// Duplicates are handlers of a service that did once more what must not be done
	// twice for a request.
	Duplicates uint64 `json:"duplicates,omitempty"`
}

// Holds reports whether the law of accounts holds at this boundary.
func (a Account) Holds() bool {
	return a.Sent == a.Answered+a.Degraded+a.Failed+a.Refused+a.Abandoned+a.InFlight
}

// Count is a number of requests that ended for a reason.
type Count struct {
	Kind   string `json:"kind"` // failed, refused, abandoned
	Reason string `json:"reason"`
	N      uint64 `json:"n"`
}

// LatencyRow holds quantiles of one scope in milliseconds. Kind is "call" (as the caller
// saw it, answered only) or "attempt". Quantiles of nothing are absent (nil).
type LatencyRow struct {
	Scope  string   `json:"scope"`
	Kind   string   `json:"kind"`
	Count  uint64   `json:"count"`
	MeanMS *float64 `json:"mean_ms"`
	P50MS  *float64 `json:"p50_ms"`
	P90MS  *float64 `json:"p90_ms"`
	P99MS  *float64 `json:"p99_ms"`
	P999MS *float64 `json:"p99.9_ms"`
	MaxMS  *float64 `json:"max_ms"`
}

// Event is one line of the timeline.
type Event struct {
	TS float64 `json:"t_s"`
	// Source is fault, operator, pattern, service, detector or verdict.
	Source string `json:"source"`
	// Subject is what it happened to: "services.payments", "callers.checkout".
	Subject string `json:"subject"`
	// What happened, in a few words: "restart begins", "half of the breakers open".
	What string `json:"what"`
	// Detail with values, may be empty.
	Detail string `json:"detail,omitempty"`
	// Marker is true for the few events a figure numbers.
	Marker bool `json:"marker"`
}

// Window is a named span of the run, for shading: trigger, metastable, rescue,
// recovering (after the trigger, healing by itself), undecided or overloaded (after
// the trigger, by the verdict), action.
type Window struct {
	Kind  string  `json:"kind"`
	FromS float64 `json:"from_s"`
	ToS   float64 `json:"to_s"`
	Label string  `json:"label"`
}

// ScopeInfo describes what a scope's curves are drawn against.
type ScopeInfo struct {
	// Scope is "callers.NAME" or "services.NAME".
	Scope string `json:"scope"`
	// Instances of the fleet or service.
	Instances int `json:"instances"`
	// TimeoutMS of one attempt as its callers see it; nil: none.
	TimeoutMS *float64 `json:"timeout_ms"`
	// QueueLimit over all instances; nil: unbounded or not a service.
	QueueLimit *float64 `json:"queue_limit"`
	// CapacityPerS at full health; nil for fleets.
	CapacityPerS *float64 `json:"capacity_per_s"`
	// Breakers is the number of breakers of the scope.
	Breakers int `json:"breakers"`
	// Calls are the services that a fleet calls directly.
	Calls []string `json:"calls,omitempty"`
}

// Replication is the short form of one run among several seeds.
type Replication struct {
	Seed                   uint64      `json:"seed"`
	Verdict                VerdictWord `json:"verdict"`
	Digest                 string      `json:"digest"`
	RecoveredAfterTriggerS *float64    `json:"recovered_after_trigger_s"`
	GoodputShare           float64     `json:"goodput_share"`
	AmplificationMax       float64     `json:"amplification_max"`
	ExpectationsHeld       bool        `json:"expectations_held"`
	// Failed are the expectations that did not hold.
	Failed []Claim `json:"failed,omitempty"`
}

// HistogramRow counts calls of one scope in one interval whose latency was at
// most LeMS (and above the row before).
type HistogramRow struct {
	TS    float64
	Scope string
	LeMS  float64
	Count uint64
}
