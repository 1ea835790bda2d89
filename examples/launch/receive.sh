#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows what comes to a port: receive.sh [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
port=${1:-5004}
needs_port "$port"
needs_display

exec gst-launch-1.0 tfrcsrc port="$port" encoding-name=H264 ! \
  $decoder ! $video_sink
