#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sends the camera under SRTP; the key is in a file: send-secure.sh HOST KEYFILE [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 2 "$#" 'HOST KEYFILE [PORT]'
port=${3:-5004}
needs_port "$port"
needs_key "$2"
needs_camera

exec gst-launch-1.0 $video_source ! videoconvert ! $encoder ! rtph264pay ! \
  tfrcsink host="$1" port="$port" srtp-key="$key"
