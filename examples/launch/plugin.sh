# SPDX-License-Identifier: LGPL-2.1-or-later
# For the scripts beside it to read: finds the plugin where it was built, and
# says what a script wants where that is missing.
top=$(cd "$(dirname "$0")/../.." && pwd -P)
built=${BUILD_DIR:-$top/build}/gst/elements
if [ -e "$built/libgsttfrc.so" ]; then
  export GST_PLUGIN_PATH="$built${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"
fi

# usage NUMBER "$#" ARGUMENTS...: so many are needed.
usage()
{
  if [ "$2" -lt "$1" ]; then
    shift 2
    echo "usage: $(basename "$0") $*" >&2
    exit 2
  fi
}

# What pictures come from and go to; an application has its own.
video_source=${VIDEO_SOURCE:-v4l2src}
video_sink=${VIDEO_SINK:-autovideosink}
audio_source=${AUDIO_SOURCE:-autoaudiosrc}
audio_sink=${AUDIO_SINK:-autoaudiosink}
encoder='x264enc tune=zerolatency speed-preset=veryfast key-int-max=300'
decoder='rtph264depay ! avdec_h264 ! videoconvert'
