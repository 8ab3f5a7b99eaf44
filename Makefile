# Two commands do all: `make run` serves the demo, `make test` runs every test.
# Everything they need is installed on a fresh Debian 12 or newer with a Swift toolchain.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

RUN_PACKAGES  := gcc libc6-dev pkg-config libwebsockets-dev libwebsockets-evlib-uv libuv1-dev libssl-dev libsodium-dev libargon2-dev libsqlite3-dev
TEST_PACKAGES := chromium fonts-noto-cjk python3-venv nodejs curl openssl sslscan iproute2
SERVER        := .build/release/drawbolt
LAB           := .build/release/drawbolt-lab
SOURCES       := Package.swift $(shell find Sources -type f \( -name '*.swift' -o -name '*.h' -o -name '*.modulemap' \))
# Tests and programs come from one optimised build: nothing is compiled twice, and tests that try
# thousands of inputs run in a third of the time. -O keeps preconditions and overflow checks.
OPTIMISED     := -c release
VENV          := .venv
SEEDS         := 10000
# Tests commit some thousand transactions, and on a disk each waits for it: in memory the vault's
# tests take two seconds instead of twenty. Not where memory is short, as in small containers.
SCRATCH       := $(shell [ -w /dev/shm ] && [ "$$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 500000 ] && echo /dev/shm || echo "$${TMPDIR:-/tmp}")
# Tests that stop loops in their own process have one to themselves: libwebsockets 4.1 closes a descriptor
# twice then, and in between its number may have become that of somebody's database (LibraryPipe).
LOOPS         := ^(TransportTests|LabTests)\.
# Tests of promises about time, which sanitized programs keep one at a time only.
TIMED         := ^DrawboltServerTests\.
ADDRESSES      = ASAN_OPTIONS=detect_leaks=0 TMPDIR=$(SCRATCH) swift test $(OPTIMISED) --sanitize=address --scratch-path .build/address --skip-build
# The tests under the thread sanitizer, which sees contended locks by .ci/contended-locks.c and need not wait for
# threads that are not over at exit.
RACES          = TMPDIR=$(SCRATCH) TSAN_OPTIONS=atexit_sleep_ms=0 LD_PRELOAD=$(CURDIR)/.build/thread/contended-locks.so \
  .build/thread/release/drawboltPackageTests.xctest --testing-library swift-testing
PYTEST        := $(VENV)/bin/python -m pytest -q

.PHONY: run build test test-fast test-swift test-web test-browser test-trials faults floods soak fuzz sanitize lint docs bench simulate clean help toolchain packages test-packages

help: ## Show what each command does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: $(SERVER) ## Serve the demo on 127.0.0.1:8080 (data in ./var)
	@exec $(SERVER) serve --dev

build: $(SERVER) ## Build the release program

$(SERVER): $(SOURCES) | packages
	@echo "Building drawbolt (about two minutes the first time) …"
	@swift build $(OPTIMISED) --product drawbolt
	@touch $@

$(LAB): $(SOURCES) | packages
	@swift build $(OPTIMISED) --product drawbolt-lab
	@touch $@

toolchain:
	@command -v swift >/dev/null || { echo "drawbolt: there is no Swift toolchain; install Swift 6.2 or newer from https://www.swift.org/install/linux/" >&2; exit 69; }
	@swift --version 2>/dev/null | grep -qE 'Swift version (6\.([2-9]|[1-9][0-9])|[7-9]|[1-9][0-9])' || { echo "drawbolt: Swift 6.2 or newer is needed; this is $$(swift --version 2>/dev/null | head -n 1)" >&2; exit 69; }

packages: toolchain
	@.ci/packages $(RUN_PACKAGES)
	@pkg-config --atleast-version=4.1 libwebsockets || { echo "drawbolt: libwebsockets 4.1 or newer is needed; this is $$(pkg-config --modversion libwebsockets 2>/dev/null || echo none)" >&2; exit 69; }

test-packages: packages
	@.ci/packages $(TEST_PACKAGES)

test: test-packages lint test-swift test-web docs test-browser test-trials fuzz ## Run every test, those in a real browser among them

test-fast: packages lint test-swift ## Run what needs neither browser nor network
	@if command -v node >/dev/null; then $(MAKE) --no-print-directory test-web; else echo "node is not installed: JavaScript unit tests skipped"; fi

test-swift:
	@swift build $(OPTIMISED) --build-tests --explicit-target-dependency-import-check error
	@TMPDIR=$(SCRATCH) swift test $(OPTIMISED) --skip-build --parallel --skip '$(LOOPS)'
	@TMPDIR=$(SCRATCH) swift test $(OPTIMISED) --skip-build --parallel --filter '$(LOOPS)'

test-web:
	@node --test Tests/WebTests/*.test.js

test-browser: $(SERVER) $(VENV)/installed
	@$(PYTEST) Tests/BrowserTests

test-trials: $(SERVER) $(LAB) $(VENV)/installed ## Kill, starve and crowd the server, and give its transport the Autobahn cases
	@TRIAL_KILLS=5 TRIAL_CROWD=300 TMPDIR=$(SCRATCH) $(PYTEST) Tests/TrialTests

faults: $(SERVER) $(VENV)/installed ## Kill the server fifty times, restart it under 2000 members, and do to it what machines do
	@TRIAL_KILLS=50 TRIAL_CROWD=2000 TMPDIR=$(SCRATCH) $(PYTEST) -s Tests/TrialTests/test_kills.py Tests/TrialTests/test_faults.py Tests/TrialTests/test_restart.py

floods: $(SERVER) $(VENV)/installed ## Pour floods of eight kinds over the server, and say how long others wait meanwhile
	@TRIAL_FLOOD_SECONDS=$${TRIAL_FLOOD_SECONDS:-10} TMPDIR=$(SCRATCH) $(PYTEST) -s Tests/TrialTests/test_floods.py

soak: $(SERVER) $(VENV)/installed ## Half an hour of a server's life (TRIAL_SOAK_SECONDS says otherwise)
	@TRIAL_SOAK_SECONDS=$${TRIAL_SOAK_SECONDS:-1800} TMPDIR=$(SCRATCH) $(PYTEST) -s Tests/TrialTests/test_soak.py

fuzz: packages ## Fuzz what reads foreign bytes, a minute each
	@.ci/fuzz 60

# The children that tests start are the sanitized program too: what they find ends them with a report.
# Leaks are looked for in the program and not in the tests, whose harness has some of its own; LabTests
# count allocations by a malloc of their own, which is not the sanitizer's.
sanitize: packages $(VENV)/installed ## Run the Swift tests and a trial under the address sanitizer, those of threads under the thread sanitizer
	@swift build $(OPTIMISED) --sanitize=address --scratch-path .build/address --build-tests
	@$(ADDRESSES) --skip '$(LOOPS)' --skip '$(TIMED)'
	@$(ADDRESSES) --no-parallel --filter '$(TIMED)'
	@$(ADDRESSES) --filter '^TransportTests\.'
	@ASAN_OPTIONS=quarantine_size_mb=1:fast_unwind_on_malloc=0 LSAN_OPTIONS=suppressions=$(CURDIR)/.ci/leaks:print_suppressions=0 \
	  DRAWBOLT=$(CURDIR)/.build/address/release/drawbolt TMPDIR=$(SCRATCH) $(PYTEST) -s Tests/TrialTests/test_garbage.py
	@swift build $(OPTIMISED) --sanitize=thread --scratch-path .build/thread --build-tests
	@clang -O2 -Wall -Wextra -Werror -fPIC -shared -o .build/thread/contended-locks.so .ci/contended-locks.c
	@$(RACES) --filter '^VaultTests\.'
	@$(RACES) --no-parallel --filter '$(TIMED)'
	@$(RACES) --filter '^TransportTests\.'

$(VENV)/installed: Tests/BrowserTests/requirements.txt
	@python3 -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

lint:
	@swift format lint --strict -r -p Sources Tests Package.swift

docs: ## Build the documentation; a broken link fails
	@.ci/docs

bench: $(SERVER) $(LAB) ## Measure samples, states, idle members, and a stroke beside a full verify queue
	@$(LAB) bench
	@echo
	@$(LAB) idle
	@echo
	@$(LAB) verify-load

simulate: $(LAB) ## Run 10 000 seeded worlds of rooms and bad networks (SEEDS=N for fewer or more)
	@$(LAB) simulate --seed 1 --seeds $(SEEDS)

clean: ## Remove what was built (the data in ./var stays)
	@rm -rf .build $(VENV) docs-out
