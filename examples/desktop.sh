#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and opens a window with a live stream over a
# link that is made bad by hand; desktop.sh --help tells the options.
set -eu

. "$(dirname "$0")/live/start.sh"
packages='build demo desktop'
start desktop/demo.py "$@"
