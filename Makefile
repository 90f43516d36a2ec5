# The commands of developers and CI. Each target first installs the tools that it needs; `make help` lists them.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run test soak bench check fmt lite-native setup setup-test

# rustup puts cargo here and a fresh shell may not know yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

# Outside the working copy, so that clones share the builds.
ifndef CARGO_TARGET_DIR
CARGO_TARGET_DIR := $(shell sh scripts/target-dir.sh)
endif
export CARGO_TARGET_DIR

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

run: setup ## Install missing tools and serve: database, API, workers, simulator, demo client
	@exec cargo run --release --bin patchbay -- serve $(ARGS)

test: setup-test ## Install missing tools and run every test (ARGS="--test it" for some, TIMES=50 for the slowest)
	@TIMES="$(TIMES)" sh scripts/test.sh $(ARGS)

soak: setup ## Attack the program, break its network and kill it, minutes per case (ARGS="attacks --seconds 10" for some)
	@sh scripts/soak.sh $(ARGS)

bench: setup ## Measure, each figure with a floor of the same run (ARGS="sends webhooks" for some)
	cargo build --release --workspace --bin patchbay --examples
	cargo bench --workspace --bench figures -- $(ARGS)

check: setup ## Formatting and lints, of the host and of the plugins; advisories and licences of dependencies
	@sh scripts/check.sh

fmt: ## Format everything
	cargo fmt --all
	cargo fmt --all --manifest-path plugins/Cargo.toml

lite-native: ## Lint and test the Lite devices that need the cargo feature lite-native, in a target directory of their own
	@sh scripts/lite-native.sh

setup: ## Add the wasm target and find or install PostgreSQL
	@sh scripts/setup.sh

setup-test: setup ## The same, and the other programs that the tests need (scripts/test.sh installs the peers while it compiles)
	@sh scripts/test-peers.sh programs
