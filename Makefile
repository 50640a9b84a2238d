# SPDX-License-Identifier: GPL-2.0-only
# The front door; meson and ninja do the work.
BUILD ?= build

.PHONY: all demo check closed-form fuzz mutants bench clean
all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@scripts/setup build
	@meson setup $(BUILD) >/dev/null

demo:
	@scripts/setup build
	@scripts/demo $(BUILD)

check:
	@scripts/setup build test
	@scripts/check $(BUILD)

# What the simulator has to give where it can be computed by hand; part of check.
closed-form: $(BUILD)/build.ninja
	@scripts/setup build test
	@ninja -C $(BUILD) >/dev/null
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs closed_form

# Each fuzz target for FUZZ_SECONDS (600).
fuzz:
	@scripts/setup build test
	@[ -e $(BUILD)-sanitized/build.ninja ] || CC=clang-19 meson setup $(BUILD)-sanitized \
		-Db_sanitize=address,undefined -Db_lundef=false -Dfuzz=true >/dev/null
	@ninja -C $(BUILD)-sanitized
	@scripts/fuzz $(BUILD)-sanitized $(or $(FUZZ_SECONDS),600)

# One wrong rule of wake/ at a time: does a test notice?
mutants:
	@scripts/setup build test
	@scripts/mutants

# How fast verify decides; prints, judges nothing.
bench: $(BUILD)/build.ninja
	@scripts/setup build test
	@bench/run $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-sanitized
