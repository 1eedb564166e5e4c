# `make` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
ARCHITECTURE ?= arm64
HOST_ARCHITECTURE := $(if $(filter aarch64 arm64,$(shell uname -m)),arm64,x86_64)
STACK ?= accounts
# Many tests wait for a time limit, so more of them run at once than there are processors.
TEST_THREADS := 20
TOOLS := $(CURDIR)/target/tools
CARGO_DENY := $(TOOLS)/bin/cargo-deny
CARGO_DENY_VERSION := 0.20.2
CARGO_MACHETE := $(TOOLS)/bin/cargo-machete
CARGO_MACHETE_VERSION := 0.9.2
CARGO_FUZZ := $(TOOLS)/bin/cargo-fuzz
CARGO_FUZZ_VERSION := 0.13.2
SECONDS := 60
USERS := 8
REPORT := target/load.md

.PHONY: help dev watch example invoke accounts accounts-release test test-watch test-arm64 test-web test-moving interleavings storm test-engine engine-forms screenshots common-passwords generated mutants fuzz fuzz-api load measure-password lint lint-alone check audit sbom e2e bench bench-hash gate profile fmt doc build deploy diff drift redrive package take-release trial-deployment deploy-web clean

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

dev: ## Run the whole service on http://localhost:3000 (PORT, DYNAMODB_PORT, LOCAL_DATA)
	@RUSTC_WRAPPER=$${RUSTC_WRAPPER:-$(CURDIR)/scripts/build/rustc-for-dev} cargo run --locked --package local

watch: $(TOOLS)/cargo-lambda/ready ## Run the functions under cargo-lambda on http://localhost:9000 (INVOKE_PORT), rebuilt on change
	@scripts/run/watch

example: $(TOOLS)/cargo-lambda/ready ## Run an API of the product behind the whole service, infra/examples/finance-api
	@scripts/run/example

invoke: $(TOOLS)/cargo-lambda/ready ## Send FUNCTION a sample event, target/events/FUNCTION.json, under make watch
	@mkdir -p target/events
	@cargo run --locked --quiet --package journeys --example sample_event -- $(or $(FUNCTION),$(error FUNCTION is missing: make invoke FUNCTION=login)) > target/events/$(FUNCTION).json
	@cargo-lambda lambda invoke $(FUNCTION) --invoke-address 127.0.0.1 --invoke-port $${INVOKE_PORT:-9000} --data-file target/events/$(FUNCTION).json

test: ## Run all tests, against an embedded stack or the service at BASE_URL
	@scripts/build/workspace && RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$(TEST_THREADS)} cargo test --locked --lib --bins --tests

test-watch: $(TOOLS)/cargo-lambda/ready ## Run the journeys against make watch, on free ports
	@scripts/test/test-watch

test-arm64: ## Build the functions for arm64 and run their tests under qemu (needs Debian)
	@scripts/test/test-arm64

test-web: ## Test the front end and the letters in Chromium and Firefox, and check the types of its scripts (needs Node)
	@scripts/test/test-web

test-moving: ## Test the move of a PHP shop's users from MariaDB, and back (needs Debian)
	@scripts/test/test-moving

accounts: ## Build the operator's tool, target/release/accounts
	@cargo build --locked --release --package accounts

accounts-release: $(TOOLS)/cargo-lambda/ready ## Build the operator's tool as a release has it, for ARCHITECTURE, in target/accounts
	@scripts/build/accounts $(ARCHITECTURE)

interleavings: ## Run every order of the calls of two requests, also with one fault (INTERLEAVINGS=lost, TRIPLES, SCHEDULE)
	@INTERLEAVINGS=$${INTERLEAVINGS:-all} cargo test --locked --test interleavings -- --nocapture --exact some_order_of_two_requests_explains_every_interleaving

storm: ## Run random orders of random requests with faults, for SECONDS (SEED repeats them)
	@STORM_SECONDS=$(SECONDS) cargo test --locked --test interleavings -- --nocapture a_storm

test-engine: $(TOOLS)/ministack/ready $(TOOLS)/dynalite/ready ## Compare the local stack's engine with two others, or with DynamoDB at ENDPOINT (needs Node)
	@scripts/build/workspace
	@PYTHONPATH=infra/e2e $(TOOLS)/ministack/bin/python infra/engine

engine-forms: ## Record the forms of the store's calls for make test-engine, infra/engine/forms.jsonl
	@scripts/build/workspace
	@rm -rf target/forms
	@FORMS="$(CURDIR)/target/forms" RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$(TEST_THREADS)} cargo test --locked --quiet --no-fail-fast --test embedded --test accounts --test black_box --test providers; \
	  ended=$$?; python3 infra/engine/forms.py target/forms && [ $$ended = 0 ] || \
	  { echo "tests failed, as the induction does when forms are stale: the forms are written; run make test again" >&2; exit 1; }

screenshots: ## Accept the changed pictures of pages and letters, in docs/screens
	@SCREENSHOTS=write scripts/test/test-web --project=chromium states.spec.mjs letters.spec.mjs

common-passwords: $(TOOLS)/common-passwords/ready ## Write the list of common passwords, shared/src/password/common_passwords.bin
	@$(TOOLS)/common-passwords/bin/python infra/common_passwords/list.py

generated: ## Write what tests generate: tests/embedded/costs/calls.txt, and recordings in documents
	@GENERATED=write cargo test --locked --test embedded --test accounts -- docs_scale_has_the_cost_of_every_ \
	  shows_what_the_program_prints

mutants: ## Insert the bugs of tests/mutants into a copy, one by one; the test of each must fail
	@scripts/test/mutants

fuzz: $(CARGO_FUZZ) ## Fuzz the parsers, SECONDS for each of TARGETS (default: all)
	@PATH="$(TOOLS)/bin:$$PATH" scripts/test/fuzz $(SECONDS) $(TARGETS)

fuzz-api: $(TOOLS)/schemathesis/ready ## Send generated requests to the local stack (schemathesis)
	@scripts/test/fuzz-api

load: ## Load-test a local stack for SECONDS with USERS, and check that every confirmed write is there (REPORT, PROFILE)
	@LOAD_SECONDS=$(SECONDS) USERS=$(USERS) REPORT=$(REPORT) scripts/measure/load

measure-password: ## Measure the hash of a password of 4 MB and of a short one
	@cargo run --locked --quiet --release --package shared --example password_time

lint: $(CARGO_DENY) $(CARGO_MACHETE) ## Check formatting, lints, dependencies and documentation; warnings are errors
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --all-features -- --deny warnings
	cargo fmt --manifest-path tests/bench/peers/rust/Cargo.toml --check
	@echo "Every cargo command must have --locked"
	@! grep -rnE '^[^#]*\bcargo(-lambda lambda)? (build|check|clippy|doc|install|run|test|watch) ' Makefile .ci .github scripts \
	  --exclude=*.md --exclude-dir=src | grep -v -e --locked
	$(CARGO_DENY) --locked --log-level error check bans licenses sources
	$(CARGO_MACHETE)
	@scripts/test/mutants check
	@# --examples gives the dependencies the same features as in clippy's check above.
	RUSTDOCFLAGS="--deny warnings" cargo doc --locked --workspace --no-deps --document-private-items --all-features --lib --bins --examples

lint-alone: ## Check that each function and example compiles alone without warnings, with only its own dependencies and features
	@for function in functions/*/ infra/examples/*/; do echo "$$function"; RUSTFLAGS="--deny warnings" cargo check --locked --quiet --package "$$(basename "$$function")" || exit 1; done

bench: $(TOOLS)/cargo-lambda/ready $(TOOLS)/peers/ready ## Measure login, an empty function and other implementations; write the table to target/bench.md (ROUNDS)
	@$(MAKE) --no-print-directory build ARCHITECTURE="$(HOST_ARCHITECTURE)"
	@PYTHON=$(TOOLS)/peers/bin/python scripts/measure/bench "$(HOST_ARCHITECTURE)"

bench-hash: ## Measure the hash and other implementations, and write the table to target/bench-hash.md
	@cargo run --locked --quiet --profile load --package bench --bin hash > target/bench-hash.md && cat target/bench-hash.md

profile: ## List the functions that take the most instructions of a warm login (valgrind)
	@cargo rustc --locked --release --package light --bin light -- --codegen strip=none
	@mkdir -p target/profile/light && cp target/release/light target/profile/light/bootstrap
	@scripts/build/workspace
	@ONLY=login BINARIES=target/profile PROFILES=target/profile target/debug/gate
	@callgrind_annotate target/profile/login-120.callgrind

gate: $(TOOLS)/cargo-lambda/ready ## Compare the instructions, calls and zip of every function with tests/bench/record.json (RECORD=write updates it)
	@$(MAKE) --no-print-directory build ARCHITECTURE="$(HOST_ARCHITECTURE)"
	@scripts/measure/gate "$(HOST_ARCHITECTURE)"

fmt: ## Format the code
	cargo fmt --all && cargo fmt --manifest-path tests/bench/peers/rust/Cargo.toml

doc: ## Build the code's documentation and print its path
	cargo doc --locked --workspace --no-deps
	@echo "target/doc/shared/index.html"

build: $(TOOLS)/cargo-lambda/ready ## Build every function's zip, for ARCHITECTURE (arm64, x86_64)
	@scripts/build/build $(ARCHITECTURE)

deploy: $(TOOLS)/sam/ready $(if $(RELEASE),take-release,build) ## Deploy to AWS: STACK, ARCHITECTURE, PARAMETERS="Name=value Other=value", RELEASE, TAGS, DEPLOY_ROLE
	@STACK="$(STACK)" ARCHITECTURE="$(ARCHITECTURE)" TAGS="$(TAGS)" DEPLOY_ROLE="$(DEPLOY_ROLE)" scripts/deploy/deploy $(PARAMETERS)

diff: $(TOOLS)/sam/ready $(if $(RELEASE),take-release,build) ## Show what make deploy would change, also in nested stacks; takes the same variables
	@DIFF=yes STACK="$(STACK)" ARCHITECTURE="$(ARCHITECTURE)" scripts/deploy/deploy $(PARAMETERS)

package: $(TOOLS)/sam/ready $(if $(RELEASE),take-release,build) ## Upload a template for Terraform, CDK and StackSets to ARTIFACTS_BUCKET, with PARAMETERS as its defaults
	@ARCHITECTURE="$(ARCHITECTURE)" $(TOOLS)/sam/bin/python -W ignore scripts/deploy/package $(PARAMETERS)

drift: $(TOOLS)/sam/ready ## Show what differs from the templates in STACK and its nested stacks
	@STACK="$(STACK)" $(TOOLS)/sam/bin/python scripts/deploy/drift

redrive: $(TOOLS)/sam/ready ## Redrive the dead-letter queue of STACK, and list what cannot be redriven
	@STACK="$(STACK)" $(TOOLS)/sam/bin/python scripts/deploy/redrive

# Uses the zips of RELEASE instead of building them. RELEASE is a folder or an https URL with a release's files.
take-release: export RELEASE := $(value RELEASE)
take-release:
	@scripts/deploy/release take "$$RELEASE" "$(ARCHITECTURE)"

trial-deployment: $(TOOLS)/sam/ready build ## Test a temporary deployment in an AWS account, and write target/trial-deployment.md (OPTIONS)
	@scripts/deploy/trial-deployment --architecture $(ARCHITECTURE) $(OPTIONS)

deploy-web: $(TOOLS)/sam/ready ## Upload web/ to the bucket of STACK (deployed with WebDomainName)
	@STACK="$(STACK)" $(TOOLS)/sam/bin/python scripts/deploy/deploy-web

audit: $(CARGO_DENY) ## Check Cargo.lock for advisories (needs the network)
	$(CARGO_DENY) --locked check advisories

sbom: ## Write the SBOM of each function and of the operator's tool, for ARCHITECTURE (CycloneDX, in target/sbom)
	@scripts/build/sbom $(ARCHITECTURE)

e2e: $(TOOLS)/sam/ready $(TOOLS)/ministack/ready ## Deploy to an AWS emulator and run the journeys there (FILTER, PROFILE=test)
	@scripts/build/workspace
	@$(if $(filter test,$(PROFILE)),scripts/build/test-zips "$(HOST_ARCHITECTURE)",$(MAKE) --no-print-directory build ARCHITECTURE="$(HOST_ARCHITECTURE)")
	@ARCHITECTURE="$(HOST_ARCHITECTURE)" $(TOOLS)/ministack/bin/python infra/e2e

check: $(TOOLS)/sam/ready $(TOOLS)/checks/ready ## Check templates, workflows, releases and documents (cfn-lint, checkov, actionlint, zizmor, own rules)
	@scripts/test/check

clean: ## Delete the build output and the local stack's data
	rm -rf target .aws-sam .local tests/web/node_modules tests/openapi/node_modules

# These tools are small and run briefly, so a build without optimisation takes less time in total.
$(CARGO_DENY):
	cargo install cargo-deny --version $(CARGO_DENY_VERSION) --locked --debug --root $(TOOLS)

$(CARGO_MACHETE):
	cargo install cargo-machete --version $(CARGO_MACHETE_VERSION) --locked --debug --root $(TOOLS)

$(CARGO_FUZZ):
	cargo install cargo-fuzz --version $(CARGO_FUZZ_VERSION) --locked --debug --root $(TOOLS)

watch example invoke test-watch build accounts-release bench gate: export PATH := $(TOOLS)/cargo-lambda/bin:$(PATH)

# Each Python tool has its own environment. infra/tools pins every package with its hashes. pip installs uv, uv the others.
$(TOOLS)/uv/ready: infra/tools/uv.lock
	@rm -rf $(@D) && python3 -m venv $(@D)
	@$(@D)/bin/pip --quiet --disable-pip-version-check install --require-hashes --requirement $<
	@touch $@

$(TOOLS)/dynalite/ready: infra/engine/package-lock.json
	@rm -rf $(@D) && mkdir -p $(@D) && cp infra/engine/package.json $< $(@D)
	@npm ci --prefix $(@D) --ignore-scripts --no-audit --no-fund --silent
	@touch $@

$(TOOLS)/%/ready: infra/tools/%.lock | $(TOOLS)/uv/ready
	@echo "Installing $* ($<)"
	@rm -rf $(@D) && python3 -m venv --without-pip $(@D)
	@$(TOOLS)/uv/bin/uv --quiet pip install --python $(@D)/bin/python --require-hashes --requirement $<
	@touch $@
