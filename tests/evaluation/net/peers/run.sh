#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds the elements and rtpgccbwe, measures five rounds
# of the comparison (three hours and a half, two runs at a time; root) and writes the pages.
# What a run of before has measured stays: for other elements begin without peers.json,
# or without the runs of some cells, and --only these.  --traces FOLDER adds links that
# somebody recorded.  Options are measure.py's.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/evaluation/net/peers}
TFRC_BUILD_DIR=${BUILD_DIR:-$top/build}
export TFRC_BUILD_DIR LC_ALL=C.UTF-8
[ "$(id -u)" -eq 0 ] || {
  echo 'SKIP: network namespaces need root' >&2
  exit 77
}
"$top/tests/support/install-packages.sh" build run plot test net
BUILD_DIR="$TFRC_BUILD_DIR" "$top/tests/support/build.sh" emulator
[ -e "$TFRC_BUILD_DIR/peers/plugins" ] || "$here/gcc/build.sh" "$TFRC_BUILD_DIR/peers"
"$here/measure.py" --jobs 2 "$@" "$top/tests/evaluation/evidence/peers.json"
"$here/publish_peers.py"
