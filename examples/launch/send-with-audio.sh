#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sends camera and microphone in one flow: send-with-audio.sh HOST [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 1 "$#" 'HOST [PORT]'
port=${2:-5004}
needs_port "$port"
needs_camera
needs opusenc

exec gst-launch-1.0 tfrcsink name=sink host="$1" port="$port" \
  $video_source ! videoconvert ! $encoder ! rtph264pay pt=96 ! sink. \
  $audio_source ! audioconvert ! audioresample ! opusenc ! \
  rtpopuspay pt=97 ! sink.
