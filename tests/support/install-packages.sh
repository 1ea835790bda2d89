#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The one list of the Debian packages that this project needs, by purpose; all
# of them have the same names in Debian 12 and 13.
# Installs those of the named groups that are missing, as root or with sudo;
# says nothing to apt when nothing is missing.
#
#   tests/support/install-packages.sh [--list] [build] [demo] [desktop] [run] [rtsp] [plot] [test] [sim] [net] [browser] [package] [sanitize]
set -eu

# A compiler and the headers of GStreamer.
build='gcc libc6-dev meson ninja-build pkgconf
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev'

# What a demo shows with (RTP, x264, VP8, VP9, decoders, a screen), and what the
# Python programs import.
demo='gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-ugly gstreamer1.0-libav gstreamer1.0-x
  gir1.2-gstreamer-1.0 gir1.2-gst-plugins-base-1.0
  python3 python3-gi python3-gst-1.0 python3-numpy'

# An RTSP server, and what one of C is built with.
rtsp='gir1.2-gst-rtsp-server-1.0 libgstrtspserver-1.0-dev'

# What the desktop demo's window is made of; GTK draws its marks from SVG.
desktop='gstreamer1.0-gtk3 gir1.2-gtk-3.0 librsvg2-common python3-gi-cairo'

# All else of GStreamer: gst-launch-1.0, SRTP, WebRTC, x265, OpenH264.
run="$demo gstreamer1.0-tools gstreamer1.0-plugins-bad gstreamer1.0-nice
  gir1.2-gst-plugins-bad-1.0"

# What reports are drawn with: more packages than the demo shows.
plot='python3-matplotlib'

# What the tests are built with, what fetches the real clip and the formatter of
# the style test, a display for the desktop demo, and an RTSP server.
test="check git python3-pip ca-certificates xvfb xdotool $rtsp"

# The network simulator of tests/evaluation/sim, and the compiler for what drives it.
sim='g++ libns3-dev nlohmann-json3-dev'

# Namespaces, the TCP beside which tests/evaluation/net measures, a NAT, a system clock that
# can be set, and a receiver of another make.
net='faketime ffmpeg iproute2 iperf3 nftables util-linux'

# What examples/webrtc.sh --headless drives; 370 MB, so that only who asks for
# it gets it.
browser='chromium'

# What makes the Debian package, and looks it through.
package='build-essential debhelper dpkg-dev git lintian'

# Beside gcc's sanitizers: valgrind, and the compiler of the fuzzers.
sanitize='valgrind libc6-dbg clang libclang-rt-dev'

usage() {
  echo 'usage: install-packages.sh [--list] [build] [demo] [desktop] [run] [rtsp] [plot] [test] [sim] [net] [browser] [package] [sanitize]'
}

list_only=no
wanted=
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --list) list_only=yes ;;
    build) wanted="$wanted $build" ;;
    demo) wanted="$wanted $demo" ;;
    desktop) wanted="$wanted $desktop" ;;
    run) wanted="$wanted $run" ;;
    rtsp) wanted="$wanted $rtsp" ;;
    plot) wanted="$wanted $plot" ;;
    test) wanted="$wanted $test" ;;
    sim) wanted="$wanted $sim" ;;
    net) wanted="$wanted $net" ;;
    browser) wanted="$wanted $browser" ;;
    package) wanted="$wanted $package" ;;
    sanitize) wanted="$wanted $sanitize" ;;
    *) echo "install-packages.sh: unknown argument '$argument'" >&2; exit 2 ;;
  esac
done
[ -n "$wanted" ] || wanted="$build $run $desktop $plot $test $sim $net $package"

if [ "$list_only" = yes ]; then
  printf '%s\n' $wanted
  exit 0
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo 'install-packages.sh: this is not a Debian system; it needs the likes of:' $wanted >&2
  exit 0
fi

installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' \
  $wanted 2>/dev/null || true)"
missing=
for package in $wanted; do
  case $installed in
    *" installed:$package "*) ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -z "$missing" ]; then
  echo 'Packages: nothing is missing.'
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "install-packages.sh: run as root, or with sudo: apt-get install$missing" >&2
    exit 1
  fi
  as_root=sudo
fi

echo "Packages: installing$missing"
apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
apt update || echo 'Packages: apt-get update failed; trying with the old lists.' >&2
apt install --no-install-recommends $missing
