# The front door; CMake does the work. On a fresh Debian machine demo and the checks install what they need, and
# setup does nothing else. All other targets install nothing: if something is missing they say what, and how to get it.
#
#   make setup        install what building needs; PARTS="build sqlite postgres" for more (scripts/setup.sh has the list)
#   make              build/libpodium.a, build/libpodium.so and the program, build/cli/podium
#   make demo         a whole collection on one screen, and a picture
#   make check        every test, with every compiler and sanitizer
#   make check-quick  the fast tests of one build: three minutes, for the working day
#   make check-long   ten times as many numbers and grids as make check tries, and more bugs planted on purpose
#   make check-devices   everything about other machines, compilers and levels: the same bytes, firmware, arm, Windows
#   make check-python    longer trials of the Python package: sanitizers, a million calls, huge arrays, fuzzing
#   make check-collector   podiumd killed and without power many times, under ThreadSanitizer, by Schemathesis
#   make amalgamation   the library as one file: build/amalgamation/podium.c and podium.h; in full/ with the analysis
#   make sizes        how large that is, compiled by each compiler found here
#   make sqlite       the SQLite extension, build/sqlite/podium.so
#   make collector    the server that receives reports, build/collector/podiumd
#   make live         podiumd on this machine, with 10,000 simulated devices that answer over a minute (PORT)
#   make fuzz         look for inputs that break the readers (SECONDS=600 for each)
#   make fuzz-python  the same for the Python package, with atheris
#   make bench        speed, beside the raw random bits and other programs: a table, build/bench/bench.csv, a picture
#   make bench-instructions   instructions of the hot paths beside those recorded (MODE=--check, MODE=--record)
#   make bench-firmware   flash, memory, stack and instructions for a report on small processors
#   make bench-neon   instructions of 64-bit ARM for a report, with NEON and without
#   make bench-shape  how long the estimate of a distribution takes
#   make shape-table  the estimated distributions beside an independent peer: a table, docs/shape.csv
#   make install      program, header, libraries, manual, files for pkg-config and CMake (PREFIX, DESTDIR)
#   make postgres     the PostgreSQL extension, build/postgres/podium.so (PG_CONFIG)
#   make install-postgres   ... where that PostgreSQL looks for it (PG_CONFIG, DESTDIR)
#   make bench-postgres     its speed, beside PostgreSQL's own avg()
#   make python       the Python package, build/python/podium_privacy-*.whl, by tools of PyPI
#   make notebook     execute examples/notebook.ipynb, with the flights of npm's vega-datasets, and write its outputs
#   make bench-python its speed, beside the C library, NumPy, Spark and other packages of PyPI
#   make web          the npm package, build/web/podium-privacy-*.tgz, and how large it is
#   make bench-web    its speed in Node, beside a plain Laplace in JavaScript and getRandomValues
#   make site         the page on which everybody can try it, build/site/index.html, with uPlot from npm
#   make site-open    ... served on this machine alone; prints the address (PORT)
#   make bench-site   frames a second while somebody drags a slider on it, in Chromium
#   make bench-collector   how many reports podiumd takes, and how fast it answers (REQUESTS=10000000)
#   make clean

PREFIX ?= /usr/local
JOBS := $(shell nproc)
CONFIGURE := cmake -S . -B build -DCMAKE_INSTALL_PREFIX='$(PREFIX)'

.DELETE_ON_ERROR:
# Quiet where there is nothing to say
MAKEFLAGS += --no-print-directory

.PHONY: all setup build demo check check-quick check-long check-devices check-python check-collector amalgamation sizes sqlite \
    collector live postgres install-postgres fuzz fuzz-python bench-collector \
    bench bench-firmware bench-instructions bench-neon bench-shape bench-postgres bench-python shape-table python \
    python-wheel notebook web bench-web site site-open bench-site install clean
all: build
	@echo "build/libpodium.a, build/libpodium.so and build/cli/podium are there"

PARTS ?= build
setup:
	@scripts/setup.sh $(PARTS)

build:
	@scripts/setup.sh --check build
	@$(CONFIGURE) >/dev/null
	@cmake --build build -j$(JOBS)

demo:
	@scripts/setup.sh build demo
	@$(MAKE) build
	@scripts/demo.sh build/cli/podium build/demo

check:
	@scripts/setup.sh build sqlite check
	@scripts/check.sh $(JOBS)

check-collector:
	@scripts/setup.sh build sqlite check
	@scripts/check-collector.sh $(JOBS)

amalgamation:
	@scripts/setup.sh --check amalgamation
	@scripts/amalgamate.py build/amalgamation

sizes: amalgamation
	@scripts/sizes.sh build/amalgamation

check-quick:
	@scripts/setup.sh build sqlite check
	@scripts/check.sh --quick $(JOBS)

check-long:
	@scripts/setup.sh build check
	@scripts/check.sh --long $(JOBS)

check-devices:
	@scripts/setup.sh build devices
	@scripts/check-devices.sh

check-python:
	@scripts/setup.sh build python fuzz
	@$(MAKE) build
	@scripts/check-python.sh

sqlite:
	@scripts/setup.sh --check build sqlite
	@$(CONFIGURE) -DPODIUM_SQLITE=ON >/dev/null
	@cmake --build build -j$(JOBS) --target podium_sqlite
	@echo "build/sqlite/podium.so is there; in sqlite3: .load build/sqlite/podium"

collector:
	@scripts/setup.sh --check build collector
	@$(CONFIGURE) -DPODIUM_COLLECTOR=ON -DPODIUM_PAGE=ON >/dev/null
	@cmake --build build -j$(JOBS) --target podiumd podium
	@echo "build/collector/podiumd is there; docs/collector.md says how to start it"

live: PORT = 8470
live:
	@scripts/setup.sh --check build collector live
	@$(MAKE) collector >/dev/null
	@scripts/live.py build/collector/podiumd build/cli/podium 10000 60 $(PORT)

SECONDS ?= 600
fuzz:
	@scripts/setup.sh --check build fuzz
	@cmake --preset fuzz -DPODIUM_FUZZ_SECONDS=$(SECONDS) >/dev/null
	@cmake --build --preset fuzz -j$(JOBS)
	@ctest --preset fuzz -V

fuzz-python:
	@scripts/setup.sh --check build python fuzz
	@tests/python/fuzz.sh . build/fuzz-python $(SECONDS)

bench:
	@scripts/setup.sh --check build bench
	@$(CONFIGURE) -DPODIUM_BENCH=ON >/dev/null
	@cmake --build build -j$(JOBS) --target bench rows run podium
	@bench/report.sh machine >build/bench/machine.txt
	@{ build/bench/bench && bench/files.sh build/cli/podium build/bench; } >build/bench/bench.csv
	@bench/report.sh build/bench
	@bench/picture.sh build/bench
	@echo
	@echo "The same as build/bench/bench.csv; how the cost grows: build/bench/bench.svg and .png"

bench-neon:
	@scripts/setup.sh --check build devices
	@$(CONFIGURE) >/dev/null
	@cmake --build build -j$(JOBS) --target podium
	@bench/neon.sh '$(CURDIR)' build/cli/podium build/bench/neon

bench-shape:
	@scripts/setup.sh --check build
	@$(CONFIGURE) -DPODIUM_BENCH=ON >/dev/null
	@cmake --build build -j$(JOBS) --target shape
	@build/bench/shape

bench-firmware:
	@scripts/setup.sh --check build devices
	@$(CONFIGURE) >/dev/null
	@cmake --build build -j$(JOBS) --target podium
	@bench/firmware.sh '$(CURDIR)' build/cli/podium build/bench/firmware

bench-instructions:
	@scripts/setup.sh --check build instructions
	@$(CONFIGURE) -DPODIUM_BENCH=ON >/dev/null
	@cmake --build build -j$(JOBS) --target hot rows podium
	@bench/instructions.sh build/cli/podium build/bench $(MODE)

shape-table:
	@scripts/setup.sh --check build shape
	@cmake -S . -B build/shape -DPODIUM_TESTS=ON >/dev/null
	@cmake --build build/shape -j$(JOBS) --target shape_estimate
	@flights=$$(scripts/flights.sh build/shape) || [ $$? -eq 77 ] && \
	    PYTHONDONTWRITEBYTECODE=1 tests/shape/measure.py --flights "$$flights" --csv docs/shape.csv \
	    build/shape/tests/shape_estimate

install: build
	@cmake --install build
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

PG_CONFIG ?= pg_config
PGXS_MAKE = $(MAKE) -s -C build/postgres -f '$(CURDIR)/adapters/postgres/Makefile' PODIUM_BUILD='$(CURDIR)/build' PG_CONFIG='$(PG_CONFIG)'
postgres: build
	@[ -e "$$($(PG_CONFIG) --pgxs 2>/dev/null)" ] || scripts/setup.sh --check build postgres
	@mkdir -p build/postgres
	@$(PGXS_MAKE)
	@echo "build/postgres/podium.so is there, for $$($(PG_CONFIG) --version)"

install-postgres: postgres
	@$(PGXS_MAKE) install

bench-postgres:
	@scripts/setup.sh --check build bench-postgres
	@$(MAKE) postgres
	@bench/postgres.sh . build

python: python-wheel
python-wheel:
	@scripts/setup.sh --check build python
	@scripts/python.sh venv build/python
	@scripts/python.sh wheel build/python
	@ls build/python/*.whl

NOTEBOOK_FIGURES := $(foreach cell,by-hour distribution,--picture $(cell)=docs/figures/flights-$(cell).png)
notebook:
	@scripts/setup.sh --check build python
	@scripts/python.sh install build/notebook numpy pandas pyarrow matplotlib nbclient ipykernel
	@FLIGHTS=$$(scripts/flights.sh build/notebook flights-3m.parquet) && export FLIGHTS && \
	    build/notebook/venv/bin/python scripts/notebook.py $(NOTEBOOK_FIGURES) examples/notebook.ipynb examples/notebook.ipynb

bench-python:
	@scripts/setup.sh --check build python spark
	@$(CONFIGURE) >/dev/null
	@cmake --build build -j$(JOBS) --target podium_shared
	@scripts/python.sh install build/bench-python numpy opendp diffprivlib 'scikit-learn<1.6' \
	    'pandas<3' pyarrow pyspark
	@build/bench-python/venv/bin/python bench/python.py build/libpodium.so
	@build/bench-python/venv/bin/python bench/spark.py build/bench-python

web:
	@scripts/setup.sh --check web
	@scripts/web.sh build build/web
	@scripts/web.sh sizes build/web
	@ls build/web/*.tgz

bench-web: web
	@node bench/web.mjs build/web/package

site: web
	@scripts/setup.sh --check site
	@scripts/site.sh build build/web/package build/site
	@scripts/site.sh sizes build/site
	@echo "build/site/index.html is there; make site-open serves it"

PORT ?= 8017
site-open: site
	@PORT=$(PORT) scripts/site.sh open build/site

bench-site: site
	@scripts/web.sh npm build/site-bench playwright-core@1.65.1
	@node bench/site.mjs build/site build/site-bench

REQUESTS ?= 200000
bench-collector:
	@scripts/setup.sh --check build collector bench-collector
	@$(MAKE) collector >/dev/null
	@$(CONFIGURE) -DPODIUM_BENCH=ON >/dev/null
	@cmake --build build -j$(JOBS) --target json
	@build/bench/json
	@bench/collector.py build/collector/podiumd build/cli/podium build/bench/collector $(REQUESTS)

clean:
	rm -rf build
