# Libcost: what each part of a libc costs. `make help` lists the targets.

SET ?= default
ROUNDS ?=
BENCH ?=
DIR ?=
BUDGET ?=
LAYOUTS ?=
EXPLAIN ?=
WORKLOAD ?= e2e/sqlite-query e2e/sqlite-upsert e2e/treesitter-parse e2e/clone-smells
GO ?= go
-include config.mk

LIBCOST := bin/libcost
# All bench-<variant> targets of one call are one interleaved run.
VARIANTS := $(patsubst bench-%,%,$(filter bench-%,$(MAKECMDGOALS)))
RUNFLAGS := -set $(SET) $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(BUDGET),-budget $(BUDGET)) \
	$(if $(BENCH),-bench '$(BENCH)') $(if $(DIR),-dir '$(DIR)') $(if $(LAYOUTS),-layouts $(LAYOUTS))
EXPLAINFLAGS := $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(filter full,$(EXPLAIN)),-mechanism)

.NOTPARALLEL:
.PHONY: help setup build compare explain doctor null accept test check-shims clean $(LIBCOST)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' Makefile

setup: ## install or fetch what is missing (SETUP=no installs nothing)
	@scripts/setup

$(LIBCOST): setup
	@[ -e $@ ] || echo 'build: $@ (the first time takes a minute)' >&2
	@CGO_ENABLED=0 $(GO) build -o $@ ./cmd/libcost

build: $(LIBCOST) ## build gnu, musl and gnu-dynamic, and see what is in them
	@$(LIBCOST) build gnu musl gnu-dynamic

# The first bench target runs all of them, the others have nothing left to do.
bench-%: $(LIBCOST) ## measure variants, interleaved: make bench-musl bench-gnu
	@$(if $(filter $@,$(firstword $(filter bench-%,$(MAKECMDGOALS)))),$(LIBCOST) run $(RUNFLAGS) $(VARIANTS),:)

compare: $(LIBCOST) ## all rows of the newest run (RUN=dir: of that one)
	@$(LIBCOST) compare $(RUN)

explain: $(LIBCOST) ## which part of libc causes how much of a program's gap (WORKLOAD=dir, EXPLAIN=full)
	@for w in $(WORKLOAD); do \
		$(LIBCOST) explain $$w $(EXPLAINFLAGS) && echo || exit; \
		$(if $(filter full,$(EXPLAIN)),$(LIBCOST) explain $$w -neutral jemalloc && echo || exit;) done

doctor: $(LIBCOST) ## what makes numbers on this machine unreliable
	@$(LIBCOST) doctor

null: $(LIBCOST) ## musl and gnu against their own copies: what the method finds where nothing is
	@$(LIBCOST) null $(RUNFLAGS) musl
	@$(LIBCOST) null $(RUNFLAGS) gnu

accept: $(LIBCOST) ## does the suite reproduce what people met, and agree with others?
	@$(LIBCOST) accept

test: $(LIBCOST) ## vet, lint, unit tests, kernels in each libc and allocator, check-shims, a quick run
	@scripts/test

check-shims: setup ## prove that each kernel reaches the libc function it names
	@scripts/check-shims

clean: ## remove what was built; results stay
	@rm -rf .build bin
