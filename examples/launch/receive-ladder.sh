#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows the faster of two multicast groups that the link can take:
# receive-ladder.sh FAST_GROUP SLOW_GROUP INTERFACE [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 3 "$#" 'FAST_GROUP SLOW_GROUP INTERFACE [PORT]'
port=${4:-5006}
needs_port "$port"
needs_display

more="multicast-iface=$3&encoding-name=H264"
exec gst-launch-1.0 tfrcladdersrc \
  rungs="tfrc://$1:$port?$more tfrc://$2:$port?$more" ! $decoder ! $video_sink
