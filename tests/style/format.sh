#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Formats every C file of the tree, as the test style-format wants it.
#
#   tests/style/format.sh
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/style}
build=${BUILD_DIR:-$top/build}

"$top/tests/support/fetch-formatter.sh" "$build"
cd "$top"
git ls-files -z '*.c' '*.h' | xargs -0 "$build/formatter/clang-format" -i
