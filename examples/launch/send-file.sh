#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sends a file, encoded anew so that its rate can follow: send-file.sh HOST FILE [PORT]
set -eu
. "$(dirname "$0")/plugin.sh"
usage 2 "$#" 'HOST FILE [PORT]'
port=${3:-5004}
needs_port "$port"
needs_file "$2"
needs x264enc

exec gst-launch-1.0 filesrc location="$2" ! decodebin ! videoconvert ! \
  $encoder ! rtph264pay ! tfrcsink host="$1" port="$port"
