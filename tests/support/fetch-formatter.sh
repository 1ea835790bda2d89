#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Fetches the one version of clang-format that formats this tree, 2 MB, into
# formatter/ of the build folder (see fetch-from-pypi.sh).  Another version
# breaks other lines: that of Debian 12, 14, some forty.  This one is Debian
# 13's, too.
#
#   tests/support/fetch-formatter.sh BUILD_DIR
set -eu

[ $# -eq 1 ] || { echo 'usage: fetch-formatter.sh BUILD_DIR' >&2; exit 2; }
"$(dirname "$0")/fetch-from-pypi.sh" clang-format==19.1.7 \
  clang_format/data/bin/clang-format "$1/formatter/clang-format"
[ ! -e "$1/formatter/clang-format" ] || chmod +x "$1/formatter/clang-format"
