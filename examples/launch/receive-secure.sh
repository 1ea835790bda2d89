#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows what comes under SRTP; the key is in a file: receive-secure.sh KEYFILE [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 1 "$#" 'KEYFILE [PORT]'
port=${2:-5004}
needs_port "$port"
needs_key "$1"
needs_display

exec gst-launch-1.0 tfrcsrc port="$port" encoding-name=H264 \
  srtp-key="$key" ! $decoder ! $video_sink
