#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows and plays what comes to a port: receive-with-audio.sh [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
port=${1:-5004}
needs_port "$port"
needs_display
needs opusdec

video='application/x-rtp,media=video,payload=96,clock-rate=90000,encoding-name=H264'
audio='application/x-rtp,media=audio,payload=97,clock-rate=48000,encoding-name=OPUS'
exec gst-launch-1.0 tfrcsrc name=source port="$port" \
  caps="$video;$audio" \
  source.src_96 ! $decoder ! $video_sink \
  source.src_97 ! rtpopusdepay ! opusdec ! audioconvert ! $audio_sink
