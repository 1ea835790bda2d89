#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and simulates the papers' scenarios.
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/evaluation/sim}
TFRC_BUILD_DIR=${BUILD_DIR:-$top/build}
export TFRC_BUILD_DIR LC_ALL=C.UTF-8

"$top/tests/support/install-packages.sh" build run plot test sim
# What only reads needs no build.
case " $* " in
  *" --list "* | *" --report "* | *" --stale "* | *" --help "* | *" -h "*) ;;
  *) BUILD_DIR="$TFRC_BUILD_DIR" "$top/tests/support/build.sh" simulator ;;
esac
exec /usr/bin/python3 "$here/run.py" "$@"
