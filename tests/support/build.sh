#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Configures (once) and compiles the project in BUILD_DIR, by default build/
# at the top of the source tree; after that only what has changed.  Options
# are those of meson setup, and count when it is configured.
#
#   tests/support/build.sh [-DOPTION=VALUE...]
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/support}
build=${BUILD_DIR:-$top/build}
export LC_ALL=C.UTF-8

# A build folder that was copied or moved with its sources points at the
# wrong ones: it is made anew.
stamp=$build/source-folder
if [ ! -f "$build/build.ninja" ]; then
  echo "Build: configuring $build"
  mkdir -p "$build"
  meson setup "$@" "$build" "$top" </dev/null
elif [ "$(cat "$stamp" 2>/dev/null || echo "$top")" != "$top" ]; then
  echo "Build: configuring $build anew, it belongs to $(cat "$stamp")"
  meson setup --wipe "$@" "$build" "$top" </dev/null
elif [ $# -eq 0 ] && [ -e /usr/include/ns3/core-config.h ] \
    && ! grep -q tests/sim/tfrc-sim "$build/build.ninja"; then
  echo "Build: configuring $build anew, for the simulator"
  meson setup --reconfigure "$build" "$top" </dev/null
fi
echo "$top" >"$stamp"
echo "Build: compiling in $build"
ninja -C "$build" </dev/null
