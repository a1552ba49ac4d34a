# Two commands matter: `make demo` and `make test`. `make help` lists the others.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BIN := .venv/bin

.PHONY: help
help: ## Say what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

.PHONY: demo
demo: ## Build what runs in virtual time, run the demonstration study and write its report
	@scripts/build --demo
	@$(BIN)/lasthop demo

.PHONY: test
test: ## Build, check and test everything
	@scripts/test

.PHONY: soak
soak: ## Test what is long and rarely fails (half an hour); benchmarks/soak.md
	@scripts/soak

.PHONY: build
build: ## Make .venv and build all of lasthop into it
	@scripts/build

.PHONY: develop
develop: ## The same, with the packages that tests, docs and benchmarks need
	@scripts/build --dev

.PHONY: wheel
wheel: build ## Build the wheel that is handed out, into target/wheels
	@scripts/wheel

.PHONY: bench
bench: develop ## Measure speed and memory, beside ns-3 where it is installed
	@$(BIN)/python -m benchmarks.run
	@$(BIN)/python -m benchmarks.hostile.beside

.PHONY: bench-tcp
bench-tcp: develop ## Hold our TCP against the kernel's, on the same losses (as root, 20 minutes)
	@$(BIN)/python -m benchmarks.tcp_against_linux.scripts.compare --rounds 3
	@$(BIN)/python -m benchmarks.tcp_against_linux.run

.PHONY: docs
docs: develop ## Build the site of the docs into target/site
	@$(BIN)/python -m sphinx --fresh-env --fail-on-warning --keep-going --quiet docs target/site
	@$(BIN)/python -m docs.links
	@echo target/site/index.html

.PHONY: lock
lock: ## Choose new versions of all dependencies
	@scripts/lock

.PHONY: generate
generate: develop ## Write what is generated: the schema, the reference, the output that pages show
	@$(BIN)/python scripts/bundle_vega.py --write
	@$(BIN)/python -m lasthop.study.nbiot.generate
	@$(BIN)/python -m lasthop.study.forms.schema docs/reference/study.schema.json
	@$(BIN)/python -m docs.generator --write
	@$(BIN)/python -m docs.transcript --write README.md docs/tutorial.md docs/guides/*.md

.PHONY: clean
clean: ## Remove what was built
	rm -rf .venv target results python/lasthop/_native*.so
