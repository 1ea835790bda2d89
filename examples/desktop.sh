#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and opens a window with a live stream over a
# link that is made bad by hand, beside one without congestion control; where
# there is no display it writes a report of both.  desktop.sh --help tells the
# options.
set -eu

. "$(dirname "$0")/live/start.sh"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  packages="$packages desktop"
fi
start desktop/demo.py "$@"
