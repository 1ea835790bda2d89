#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the Debian package gstreamer1.0-tfrc of what git tracks here, as it is
# in this tree, and lets lintian look at it.
set -eu

usage() {
  cat <<'TEXT'
usage: data/make-debian-package.sh [FOLDER]

Writes the source package and the binary package to FOLDER (build-package/).
Needs the packages of `tests/support/install-packages.sh --list build package`.
TEXT
}

case ${1:-} in
  --help) usage; exit 0 ;;
  -*) echo "make-debian-package.sh: unknown option '$1' (see --help)" >&2; exit 2 ;;
esac

top=$(cd "$(dirname "$0")/.." && pwd -P)
for program in git dpkg-buildpackage dh lintian; do
  if ! command -v $program >/dev/null; then
    echo "make-debian-package.sh: '$program' is missing; install with:" \
      "tests/support/install-packages.sh build package" >&2
    exit 1
  fi
done

folder=${1:-$top/build-package}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd -P)
version=$(sed -n "s/^  version : '\(.*\)',$/\1/p" "$top/meson.build")
source=$folder/gst-tfrc-$version
rm -rf "$source"
mkdir "$source"

# The tree may belong to somebody else, as in a container.
git -c safe.directory='*' -C "$top" ls-files -z |
  tar -C "$top" --null --files-from=- --create --ignore-failed-read 2>/dev/null |
  tar -C "$source" --extract
tar -C "$folder" --create --gzip --owner=0 --group=0 --sort=name \
  --file="$folder/gst-tfrc_$version.orig.tar.gz" "gst-tfrc-$version"
cp -r "$source/data/debian" "$source/debian"

cd "$source"
LC_ALL=C.UTF-8 dpkg-buildpackage --no-sign
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
  "$folder"/gst-tfrc_"$version"-*.changes
