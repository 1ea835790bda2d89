#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and shows a live stream to a group;
# multicast.sh --help tells the options.
set -eu

. "$(dirname "$0")/live/start.sh"
start multicast.py "$@"
