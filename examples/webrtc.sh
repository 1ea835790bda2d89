#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and serves a live video to browsers;
# webrtc.sh --help tells the options.
set -eu

. "$(dirname "$0")/live/start.sh"
packages='build run'
targets='-Dtests=false plugin'
for argument in "$@"; do
  if [ "$argument" = --headless ]; then
    packages='build run test net browser'
    targets=emulator
  fi
done
start webrtc/demo.py "$@"
