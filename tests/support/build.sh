#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Configures (once) and compiles the project in BUILD_DIR, by default build/
# at the top of the source tree; after that only what has changed.  Options
# are those of meson setup, and count when it is configured.  With targets
# only these are compiled, without any everything is, tests included.  A test
# that meson runs from BUILD_DIR gets it as it is.
#
#   tests/support/build.sh [-DOPTION=VALUE...] [TARGET...]
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/support}
build=${BUILD_DIR:-$top/build}
export LC_ALL=C.UTF-8

# The folder that a test is run from, which sets this variable: others run its
# programs at the same time.
if [ "${TFRC_FOLDER_UNDER_TEST:-}" -ef "$build" ]; then
  echo "Build: $build is under test and stays as it is"
  exit 0
fi

options=
for argument in "$@"; do
  case $argument in
    -D*) options="$options $argument"; shift ;;
    *) break ;;
  esac
done

# What the folder was configured without: the tests by a demo, the simulator
# because ns-3 was not installed.
lacks() {
  if [ -n "$options" ]; then
    return 1
  elif ! grep -q tests/unit/ "$build/build.ninja"; then
    lacking='the tests'
  elif [ -e /usr/include/ns3/core-config.h ] \
      && ! grep -q tests/evaluation/sim/tfrc-sim "$build/build.ninja"; then
    lacking='the simulator'
  else
    return 1
  fi
}

# A build folder that was copied or moved with its sources points at the
# wrong ones: it is made anew.
stamp=$build/source-folder
if [ ! -f "$build/build.ninja" ]; then
  echo "Build: configuring $build"
  mkdir -p "$build"
  meson setup $options "$build" "$top" </dev/null
elif [ "$(cat "$stamp" 2>/dev/null || echo "$top")" != "$top" ]; then
  echo "Build: configuring $build anew, it belongs to $(cat "$stamp")"
  meson setup --wipe $options "$build" "$top" </dev/null
elif lacks; then
  echo "Build: configuring $build anew, for $lacking"
  meson setup --reconfigure -Dtests=true "$build" "$top" </dev/null
fi
echo "$top" >"$stamp"
echo "Build: compiling in $build"
ninja -C "$build" "$@" </dev/null
