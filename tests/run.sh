#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and runs every test.
set -eu

usage() {
  cat <<'TEXT'
usage: tests/run.sh [--quick] [--list]

Installs the Debian packages that are missing, builds in build/ (or in
$BUILD_DIR) and runs every test.  The last line counts them.

  --quick   leave out the suite "slow": what takes minutes
  --list    only list the tests, with their suites
  --help    this text
TEXT
}

suites=
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --quick | --list) suites="$suites $argument" ;;
    *)
      echo "run.sh: unknown option '$argument' (see --help)" >&2
      exit 2
      ;;
  esac
done

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests}
build=${BUILD_DIR:-$top/build}
export LC_ALL=C.UTF-8

"$here/support/install-packages.sh" build run test sim net
"$here/support/build.sh"
"$here/support/fetch-clip.sh" "$build"
exec /usr/bin/python3 "$here/support/run_suites.py" "$build" $suites </dev/null
