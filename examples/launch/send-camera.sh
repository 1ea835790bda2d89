#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sends the camera: send-camera.sh HOST [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 1 "$#" 'HOST [PORT]'
port=${2:-5004}
needs_port "$port"
needs_camera

exec gst-launch-1.0 $video_source ! videoconvert ! $encoder ! rtph264pay ! \
  tfrcsink host="$1" port="$port"
