#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sends the camera to a multicast group: send-group.sh GROUP INTERFACE [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 2 "$#" 'GROUP INTERFACE [PORT]'
port=${3:-5006}
needs_port "$port"
needs_camera

exec gst-launch-1.0 $video_source ! videoconvert ! $encoder ! rtph264pay ! \
  tfrcsink host="$1" multicast-iface="$2" port="$port"
