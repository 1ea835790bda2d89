#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and serves a live video by RTSP over a bad
# link to a client, or to whoever comes; rtsp.sh --help tells the options.
set -eu

. "$(dirname "$0")/live/start.sh"
packages='build demo rtsp'
start rtsp/demo.py "$@"
