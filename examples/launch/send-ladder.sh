#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sends the camera to two multicast groups, at 1 to 2 Mbit/s and at 150 to 250
# kbit/s: send-ladder.sh FAST_GROUP SLOW_GROUP INTERFACE [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 3 "$#" 'FAST_GROUP SLOW_GROUP INTERFACE [PORT]'
port=${4:-5006}
needs_port "$port"
needs_camera

exec gst-launch-1.0 $video_source ! videoconvert ! tee name=both \
  both. ! queue ! $encoder ! rtph264pay config-interval=-1 ! \
  tfrcsink host="$1" multicast-iface="$3" port="$port" \
    min-bitrate=1000000 max-bitrate=2000000 \
  both. ! queue ! $encoder ! rtph264pay config-interval=-1 ! \
  tfrcsink host="$2" multicast-iface="$3" port="$port" \
    min-bitrate=150000 max-bitrate=250000
