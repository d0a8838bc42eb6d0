package experiment_test

import (
	"fmt"
	"strings"
	"testing"
)

// pageSections are the tables of the page, from the data files.
func pageSections(t *testing.T) []pageSection {
	t.Helper()
	return []pageSection{
		closedSection(t, "queues.json", "Queues in steady state", queuesText),
		closedSection(t, "disciplines.json", "Disciplines, sharing and loss", disciplinesText),
		closedSection(t, "retries.json", "Retry arithmetic", retriesText),
		closedSection(t, "patterns.json", "Patterns by themselves", patternsText),
		metastableSection(t),
		incidentSection(t),
	}
}

const queuesText = `20 independent replications each. A quantity holds if and only if theory lies within the 99.99 % interval
of ours (Student's t over the replications) and the 95 % half-width is as small as the data file demands, between
0.09 % and 8 % of the value, so that a noisy measurement cannot pass. Times are exact, per request; averages over
time come from every change of the queue. Runs of Q07 and Q16 are half as long again and twice as long as the
case asks for, because 20 of its own length gave half-widths a little wider than it allows.`

const disciplinesText = `Accepted as above. Proportions of rare events must lie in the Clopper-Pearson interval at the same level. Priorities and
patience are served by the library's own bulkhead in the service, Q14 by the one in the caller's pipeline, Q12 by the one
at the service's door. Q14 at 75 ms runs three times as long as the case asks for, because refusals there are rare and come in
bunches. Q19 knows the size of each job; times given a size are those of jobs within a tenth of it. Q24R is Q24 with
interruption. In Q26 the first service is asynchronous and calls the second.`

const retriesText = `The retry, the budget and the services are the library's own; the dependency fails with probability p. What does
not vary between replications must agree to nine digits ("exact").`

func metastableSection(t *testing.T) pageSection {
	t.Helper()
	var d metastableData
	readTheory(t, "metastability.json", &d)
	s := pageSection{title: "Classes of metastability"}
	lines := []string{}
	for _, c := range d.Cases {
		lines = append(lines, fmt.Sprintf("%s is %s (%s)", c.ID, c.Title, c.Formula))
		s.rows = append(s.rows, pageRow{Case: c.ID, Quantity: "class", Theory: c.theory()})
		if c.Median != nil {
			s.rows = append(s.rows, pageRow{Case: c.ID, Quantity: "median recovery", Theory: figure(*c.Median) + " s"})
		}
	}
	lines = append(lines, fmt.Sprintf("R6 is %s: 7/s and 4 attempts at 10/s of capacity, 30/s for 5 s", strings.ToLower(d.Surge.Title[:1])+d.Surge.Title[1:]))
	for _, q := range d.Surge.Quantities {
		s.rows = append(s.rows, pageRow{Case: "R6", Quantity: q.Name, Theory: d.Surge.theory(q)})
	}
	s.text = fmt.Sprintf("The system: %s.\n\nHolds if %s. Recovery: %s.\n\n%s\n\n- %s", d.Base, d.Accept, d.Recovery, d.Doubt, strings.Join(lines, "\n- "))
	return s
}

func incidentSection(t *testing.T) pageSection {
	t.Helper()
	var d incidentData
	readTheory(t, "incidents.json", &d)
	s := pageSection{title: "Incidents that ship"}
	var lines []string
	for _, run := range d.Runs {
		lines = append(lines, fmt.Sprintf("%s is %s (%s)", run.ID, run.Title, run.Scenario))
		for _, c := range run.Checks {
			s.rows = append(s.rows, pageRow{Case: run.ID, Quantity: c.Quantity, Theory: c.Theory, Holds: c.Edge})
		}
	}
	s.text = fmt.Sprintf("%s. Ours is the median over the seeds, the interval their range; %s.\n\n%s\n\n- %s", d.Title, d.Failed, d.Doubt, strings.Join(lines, "\n- "))
	return s
}
