#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and shows a live stream over a bad link;
# demo.sh --help tells the options.
set -eu

. "$(dirname "$0")/live/start.sh"
start demo.py "$@"
