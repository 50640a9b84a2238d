# SPDX-License-Identifier: GPL-2.0-only
# The front door; meson and ninja do the work.
BUILD ?= build

.PHONY: all demo check clean
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

clean:
	rm -rf $(BUILD)
