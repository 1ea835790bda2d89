#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and measures what the elements cost beside
# those that they replace.
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/evaluation/bench}
TFRC_BUILD_DIR=${BUILD_DIR:-$top/build}
GST_PLUGIN_PATH_1_0=$TFRC_BUILD_DIR/gst/elements
export TFRC_BUILD_DIR GST_PLUGIN_PATH_1_0 LC_ALL=C.UTF-8

case " $* " in
  *" --help "* | *" -h "*) ;;
  *)
    "$top/tests/support/install-packages.sh" build run
    BUILD_DIR="$TFRC_BUILD_DIR" "$top/tests/support/build.sh"
    ;;
esac
exec /usr/bin/python3 "$here/run.py" "$@"
