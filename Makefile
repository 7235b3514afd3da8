# Libcost: what each part of a libc costs. `make help` lists the targets.

SET ?= default
ROUNDS ?=
BENCH ?=
DIR ?=
GO ?= go
-include config.mk

LIBCOST := bin/libcost
# All bench-<variant> targets of one call are one interleaved run.
VARIANTS := $(patsubst bench-%,%,$(filter bench-%,$(MAKECMDGOALS)))
RUNFLAGS := -set $(SET) $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(BENCH),-bench '$(BENCH)') $(if $(DIR),-dir '$(DIR)')

.NOTPARALLEL:
.PHONY: help setup build test vet check-shims clean $(LIBCOST)

help: ## list the targets
	@sed -n 's/^\([a-z%-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | column -t -s "$$(printf '\t')"

setup: ## install or fetch what is missing (SETUP=no installs nothing)
	@scripts/setup

$(LIBCOST): setup
	@CGO_ENABLED=0 $(GO) build -o $@ ./cmd/libcost

build: $(LIBCOST) ## build gnu, musl and gnu-dynamic, and see what is in them
	@$(LIBCOST) build gnu musl gnu-dynamic

# The first bench target runs all of them, the others have nothing left to do.
bench-%: $(LIBCOST) ## measure variants, interleaved: make bench-musl bench-gnu
	@$(if $(filter $@,$(firstword $(filter bench-%,$(MAKECMDGOALS)))),$(LIBCOST) run $(RUNFLAGS) $(VARIANTS),:)

test: $(LIBCOST) ## vet, lint, unit tests, kernels in each libc and allocator, check-shims, a quick run
	@scripts/test

check-shims: setup ## prove that each kernel reaches the libc function it names
	@scripts/check-shims

clean: ## remove what was built; results stay
	@rm -rf .build bin
