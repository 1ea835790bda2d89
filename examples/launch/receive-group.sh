#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Joins a multicast group and shows it: receive-group.sh GROUP INTERFACE [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 2 "$#" 'GROUP INTERFACE [PORT]'
port=${3:-5006}
needs_port "$port"
needs_display

exec gst-launch-1.0 tfrcsrc address="$1" multicast-iface="$2" \
  port="$port" encoding-name=H264 ! $decoder ! $video_sink
