# The words of the house. `make help` lists them.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 20s
BENCH ?= .
BENCHTIME ?= 1s
COUNT ?= 1
FIGURES ?= metastable-retry-storm half-open-herd shed-to-recover

.PHONY: help build test race soak cover fuzz bench bench-patterns lint check adapters figures validate

help: ## list these words
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-15s %s\n", $$1, $$2}' Makefile

build: ## build the command into bin/resilsim
	go build -o bin/resilsim ./cmd/resilsim

test: ## run every test
	go test ./...

race: ## run the tests of patterns/ under the race detector
	go test -race ./patterns/...

soak: ## make a million calls through every pattern at once, under a clock that is not the wall's (a minute)
	RESILSIM_SOAK=1000000 go test -count=1 -timeout 60m -run Soak -v ./patterns/pipeline

cover: ## say how much of each package of patterns/ its own tests reach
	go test -cover ./patterns/...

fuzz: ## run every fuzz target for FUZZTIME (20s) each
	@go test -list '^Fuzz' ./... \
	| awk '/^Fuzz/ {name[n++] = $$1} /^ok/ {for (i = 0; i < n; i++) print $$2, name[i]; n = 0} /^FAIL/ {exit 1}' \
	| while read -r package target; do \
		echo "fuzz $$package $$target for $(FUZZTIME)"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime '$(FUZZTIME)' "$$package" </dev/null; \
	done

bench: ## run the benchmarks; print operations per second and allocations per operation
	@go test -run '^$$' -bench '$(BENCH)' -benchtime '$(BENCHTIME)' -benchmem ./sim/engine ./sim/world ./sim/record ./patterns/... \
	| awk '/ns\/op/ {rate = ""; each = ""; allocs = "-"; exact = ""; \
		for (i = 3; i < NF; i += 2) { \
			if ($$(i+1) == "ns/op") each = $$i; \
			if ($$(i+1) == "events/s") rate = $$i; \
			if ($$(i+1) == "allocs/op") allocs = $$i; \
			if ($$(i+1) == "allocs/event") exact = $$i } \
		if (rate == "" && each > 0) rate = 1e9 / each; \
		if (exact != "") allocs = exact; \
		printf "%-56s %14.0f events/s  %s allocs/event\n", $$1, rate, allocs; print "    " $$0; next} {print}'

bench-patterns: ## measure patterns/ beside other libraries (a module of its own, fetched on first use)
	cd benchmarks && go test -bench '$(BENCH)' -benchtime '$(BENCHTIME)' -count '$(COUNT)' .

lint: ## gofmt, go vet, staticcheck, a tidy go.mod
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not as gofmt wants it:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...
	go mod tidy -diff

check: lint ## what must pass before a change goes in: lint, short tests, race on patterns/
	go test -short ./...
	go test -short -race ./patterns/...

adapters: ## vet and test adapters/ (modules of their own, fetched on first use)
	@for module in adapters/*/; do \
		echo "adapters $$module"; \
		(cd "$$module" && go mod tidy -diff && go vet ./... && go test ./...); \
	done

figures: build ## redraw docs/figures from the shipped scenarios in FIGURES
	@mkdir -p docs/figures; \
	for name in $(FIGURES); do \
		out=$$(mktemp -d); \
		./bin/resilsim run "$$name" --out "$$out/result" --quiet; \
		cp "$$out/result/figure.svg" "docs/figures/$$name.svg"; \
		cp "$$out/result/figure.png" "docs/figures/$$name.png"; \
		rm -r "$$out"; \
		echo "docs/figures/$$name.svg and .png"; \
	done

validate: ## hold the models against theory with the full number of runs (up to an hour)
	RESILSIM_FULL=1 go test -count=1 -timeout 60m -run Theory ./sim/experiment
