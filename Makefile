# One target a line; `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
TOOLS := $(CURDIR)/target/tools
CARGO_DENY := $(TOOLS)/bin/cargo-deny
CARGO_DENY_VERSION := 0.20.2

.PHONY: help dev test lint fmt doc build clean

help: ## Say what can be made
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

dev: ## Run the whole service on http://localhost:3000 (PORT, DYNAMODB_PORT, LOCAL_DATA)
	@cargo build --package local && exec target/debug/local

test: ## Run all tests, against an embedded stack or the service at BASE_URL
	@cargo build --workspace && cargo test --workspace

lint: $(CARGO_DENY) ## Check formatting, lints, dependencies and documentation; warnings are errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- --deny warnings
	$(CARGO_DENY) --log-level error check bans licenses sources
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --document-private-items

fmt: ## Format the code
	cargo fmt --all

doc: ## Build the code's documentation and say where it is
	cargo doc --workspace --no-deps
	@echo "target/doc/shared/index.html"

build: ## Build every function in release mode
	cargo build --release $(patsubst functions/%,--package %,$(wildcard functions/*))

clean: ## Delete what was built, and the local stack's data
	rm -rf target .local

$(CARGO_DENY):
	cargo install cargo-deny --version $(CARGO_DENY_VERSION) --locked --root $(TOOLS)
