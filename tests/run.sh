#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and runs every test.
set -eu

usage() {
  cat <<'TEXT'
usage: tests/run.sh [--quick] [--list]
       tests/run.sh --sanitize

Installs the Debian packages that are missing, builds in build/ (or in
$BUILD_DIR) and runs every test.  The last line counts them.

  --quick     leave out the suite "slow": what takes longest
  --list      only list the tests, with their suites
  --sanitize  instead run the suites unit, elements and pipeline under the
              address, undefined and thread sanitizers and valgrind, and the
              fuzzers for a moment; builds in build-sanitize/ (or in
              $SANITIZE_DIR)
  --help      this text
TEXT
}

suites=
sanitize=no
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --quick | --list) suites="$suites $argument" ;;
    --sanitize) sanitize=yes ;;
    *)
      echo "run.sh: unknown option '$argument' (see --help)" >&2
      exit 2
      ;;
  esac
done

if [ "$sanitize" = yes ] && [ $# -ne 1 ]; then
  echo 'run.sh: --sanitize takes no other option (see --help)' >&2
  exit 2
fi

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests}
build=${BUILD_DIR:-$top/build}
export LC_ALL=C.UTF-8

if [ "$sanitize" = yes ]; then
  "$here/support/install-packages.sh" build run plot test sanitize
  exec /usr/bin/python3 "$here/support/sanitize/run.py" </dev/null
fi

"$here/support/install-packages.sh" build run desktop plot test sim net package
"$here/support/build.sh"
"$here/support/fetch-clip.sh" "$build"
"$here/support/fetch-formatter.sh" "$build"
exec /usr/bin/python3 "$here/support/run_suites.py" "$build" $suites </dev/null
