#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows what comes under SRTP; the key is in a file: receive-secure.sh KEYFILE [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 1 "$#" 'KEYFILE [PORT]'
needs_file "$1"
needs_display

exec gst-launch-1.0 tfrcsrc port="${2:-5004}" encoding-name=H264 \
  srtp-key="$(cat "$1")" ! $decoder ! $video_sink
