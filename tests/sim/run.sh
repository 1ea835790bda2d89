#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and simulates the papers' scenarios.
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/sim}
BUILD_DIR=${BUILD_DIR:-$top/build}
export BUILD_DIR LC_ALL=C.UTF-8

"$top/tests/support/install-packages.sh" build sim
"$top/tests/support/build.sh"
export TFRC_BUILD_DIR="$BUILD_DIR"
exec /usr/bin/python3 "$here/run.py" "$@"
