# SPDX-License-Identifier: LGPL-2.1-or-later
# For the scripts beside it to read: finds the plugin where it was built, and
# says what a script wants where that is missing.
top=$(cd "$(dirname "$0")/../.." && pwd -P)
built=${BUILD_DIR:-$top/build}/gst/elements
if [ -e "$built/libgsttfrc.so" ]; then
  export GST_PLUGIN_PATH="$built${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"
fi

# What brings what GStreamer lacks; a package has not the first.
remedy="tests/support/install-packages.sh run installs what GStreamer lacks"
[ -e "$top/tests/support/install-packages.sh" ] ||
  remedy="install gstreamer1.0-libav, -plugins-ugly, -plugins-good and -plugins-bad"

# usage NUMBER "$#" ARGUMENTS...: so many are needed.
usage()
{
  if [ "$2" -lt "$1" ]; then
    shift 2
    echo "usage: $(basename "$0") $*" >&2
    exit 2
  fi
}

# refuse TEXT: says what is wrong, and what to do.
refuse()
{
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# has ELEMENT: without a version GStreamer's own is asked for.
has()
{
  gst-inspect-1.0 --exists --atleast-version=0.0 "$1"
}

needs()
{
  has "$1" || refuse "there is no element $1: $remedy"
}

needs_camera()
{
  needs x264enc
  [ -n "${VIDEO_SOURCE:-}" ] || [ -e /dev/video0 ] ||
    refuse "there is no camera:" \
      "VIDEO_SOURCE='videotestsrc is-live=true' sends a test picture"
}

needs_display()
{
  needs avdec_h264
  [ -n "${VIDEO_SINK:-}${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] ||
    refuse "there is no display: start it in a desktop session," \
      "or set VIDEO_SINK=fakesink"
}

needs_file()
{
  [ -f "$1" ] && [ -r "$1" ] || refuse "the file '$1' cannot be read"
}

# needs_port PORT
needs_port()
{
  case $1 in
    '' | *[!0-9]* | ??????*) ;;
    *) [ "$1" -lt 1 ] || [ "$1" -gt 65535 ] || return 0 ;;
  esac
  refuse "'$1' is no port: 1 to 65535"
}

# needs_key FILE: the key is in $key then.
needs_key()
{
  needs_file "$1"
  key=$(cat "$1")
  case $key in
    '' | *[!0-9a-fA-F]*)
      refuse "the file '$1' has no key: it takes hexadecimal digits, and no more"
      ;;
  esac
}

command -v gst-inspect-1.0 >/dev/null ||
  refuse "there is no gst-launch-1.0:" \
    "tests/support/install-packages.sh run installs it"
has tfrcsink ||
  refuse "the plugin is not built:" \
    "tests/support/build.sh -Dtests=false builds it"

# What pictures come from and go to; an application has its own.
video_source=${VIDEO_SOURCE:-v4l2src}
video_sink=${VIDEO_SINK:-autovideosink}
audio_source=${AUDIO_SOURCE:-autoaudiosrc}
audio_sink=${AUDIO_SINK:-autoaudiosink}
encoder='x264enc tune=zerolatency speed-preset=veryfast key-int-max=300'
decoder='rtph264depay ! avdec_h264 ! videoconvert'
