#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds rtpgccbwe, with cargo, into a folder: build.sh FOLDER.  Some minutes.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
command -v cargo >/dev/null || {
  echo "build.sh: there is no cargo, which Debian's package cargo or rustup has" >&2
  exit 1
}
cargo build --release --locked --manifest-path "$here/Cargo.toml" \
  --target-dir "$folder/cargo"
mkdir -p "$folder/plugins"
cp "$folder/cargo/release/libgstrsrtp.so" "$folder/plugins/"
