# Two commands do everything: `make perftest` measures, `make test` checks. Both install what they need.
CARGO ?= cargo
TARGET = $${CARGO_TARGET_DIR:-target}

.PHONY: all perftest tuned published bench test build install languages languages-long lint fmt unit interop fuzz miri clean help

all: build

help:
	@echo "make perftest   build, then the campaign quick: latency and some throughput over UDPv4, shared memory and TCP beside the raw floors, and a report (two minutes, then four)"
	@echo "make tuned      the same with a build by profile, which is a third faster at 32 bytes (ten minutes, then four)"
	@echo "make published  the five published pages in a short form, each by the program of its language, and one report (twenty minutes; PUBLISHED_ARGS='--seconds 20 --repetitions 3' for the long one; RESULTS=FILE writes the tables as a page of documentation)"
	@echo "make bench      latency, throughput, fan-out and footprint beside the raw floors, Cyclone DDS, Fast DDS and iceoryx2, with the goals of this project: the campaign bench (ten minutes, and ten to build)"
	@echo "make test       install what the tests need, then format, lints, unit, simulation and interop tests"
	@echo "make fuzz       each fuzz target for 60 s (FUZZ_SECONDS), where nightly Rust is installed"
	@echo "make miri       rings and pools of shared memory, handles and memory of the C interface, interpreted, where nightly Rust with miri is installed (some minutes)"
	@echo "make languages  the C library with its headers and the languages upon it in target/languages, and their examples (LANGUAGES=all: what the machine lacks is an error)"
	@echo "make install    the C library, headers for C and C++, the tool dunlin, for pkg-config and CMake: PREFIX=/usr/local LIBDIR=lib DESTDIR="
	@echo "make languages-long  the same, and what takes too long for make test: 10,000 participants, 100,000 writers and readers, each misuse under valgrind, ten million samples in Java without a collector"
	@echo "make build      the release binaries: target/release/perftest, target/release/dunlin"

build:
	$(CARGO) build --release --bins

languages:
	@scripts/require-rust.sh
	@CARGO="$(CARGO)" LANGUAGES="$(LANGUAGES)" scripts/languages.sh

languages-long: languages
	DUNLIN_LONG=1 $(CARGO) test -p dunlin-ffi --test many --test each_function
	@scripts/languages/java-long.sh

install:
	@CARGO="$(CARGO)" PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" scripts/install.sh

perftest:
	@scripts/require-rust.sh
	$(CARGO) build --release -p dunlin-perftest
	$(TARGET)/release/perftest campaign quick

tuned:
	@scripts/require-rust.sh
	@scripts/tune.sh dunlin-perftest
	@mkdir -p $(TARGET)/release && cp --remove-destination $(TARGET)/tuned/perftest $(TARGET)/release/perftest
	$(TARGET)/release/perftest campaign quick

# Languages whose toolchains are not here leave a chapter with one line that says so.
PUBLISHED_ARGS ?= --seconds 0.6 --repetitions 2
published:
	@scripts/require-rust.sh
	@CARGO="$(CARGO)" LANGUAGES="$(LANGUAGES)" LANGUAGES_TRY=no scripts/languages.sh
	$(CARGO) build --release -p dunlin-perftest -p dunlin-cli
	$(TARGET)/release/perftest campaign published $(PUBLISHED_ARGS)$(if $(RESULTS), --results $(RESULTS))

# BENCH_ARGS='--check --results FILE --only NAME'; benches/README.md tells of BENCH_SECONDS, BENCH_REPEAT, BENCH_ONLY and BENCH_FULL.
BENCH = $(TARGET)/tuned/perftest campaign
BENCH_HOW = $(if $(BENCH_SECONDS), --seconds $(BENCH_SECONDS))$(if $(BENCH_REPEAT), --repetitions $(BENCH_REPEAT))$(if $(BENCH_ONLY), --only $(BENCH_ONLY)) $(BENCH_ARGS)
bench:
	@scripts/require-rust.sh
	@scripts/tune.sh dunlin-perftest dunlin-bench
	$(BENCH) bench$(BENCH_HOW)
	$(if $(BENCH_FULL),$(if $(filter-out latency,$(BENCH_ONLY)),,$(BENCH) bench-full$(BENCH_HOW)))

test:
	@scripts/require-rust.sh
	@scripts/test.sh

fuzz:
	@scripts/fuzz.sh

miri:
	@scripts/miri.sh

fmt:
	$(CARGO) fmt --all

clean:
	$(CARGO) clean
