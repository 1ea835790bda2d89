#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and runs the elements in network
# namespaces.  Needs root.
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/evaluation/net}
TFRC_BUILD_DIR=${BUILD_DIR:-$top/build}
export TFRC_BUILD_DIR LC_ALL=C.UTF-8

# What only reads needs no build.
case " $* " in
  *" --list "* | *" --help "* | *" -h "*) ;;
  *)
    if [ "$(id -u)" -ne 0 ]; then
      echo 'SKIP: network namespaces need root; try: sudo tests/evaluation/net/run.sh' >&2
      exit 77
    fi
    "$top/tests/support/install-packages.sh" build run plot test net
    BUILD_DIR="$TFRC_BUILD_DIR" "$top/tests/support/build.sh" emulator
    ;;
esac
exec /usr/bin/python3 "$here/run.py" "$@"
