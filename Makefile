# The front door. CMake does the work; these targets do all their own set-up on a fresh Debian machine.
#
#   make              build/libpodium.a and build/libpodium.so
#   make demo         privatise simulated values, compare bias and variance with theory
#   make check        every test, with every compiler and sanitizer
#   make bench        speed, beside the raw random bits
#   make install      header, libraries, pkg-config file (PREFIX, DESTDIR)
#   make clean

PREFIX ?= /usr/local
JOBS := $(shell nproc)
CONFIGURE := cmake -S . -B build -DCMAKE_INSTALL_PREFIX='$(PREFIX)'

.DELETE_ON_ERROR:
# Quiet where there is nothing to say
MAKEFLAGS += --no-print-directory

.PHONY: all build demo check bench install clean
all: build
	@echo "build/libpodium.a and build/libpodium.so are there"

build:
	@scripts/setup.sh build
	@$(CONFIGURE) >/dev/null
	@cmake --build build -j$(JOBS)

demo: build
	@build/examples/demo

check:
	@scripts/setup.sh build check
	@scripts/check.sh $(JOBS)

bench:
	@scripts/setup.sh build
	@$(CONFIGURE) -DPODIUM_BENCH=ON >/dev/null
	@cmake --build build -j$(JOBS) --target bench
	@build/bench/bench

install: build
	@cmake --install build
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

clean:
	rm -rf build
