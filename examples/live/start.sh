# SPDX-License-Identifier: LGPL-2.1-or-later
# For the demos' scripts to read: start PROGRAM OPTIONS... installs what is
# missing, builds, and runs examples/PROGRAM.  A script may say before which
# groups of packages, and what to build (tests/support/build.sh).
packages='build demo'
targets='-Dtests=false demo'

start()
{
  program=$1
  shift
  here=$(cd "$(dirname "$0")" && pwd -P)
  support=${here%/examples}/tests/support
  export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

  setup=yes
  for argument in "$@"; do
    case $argument in
      --help | -h | --list-links) setup=no ;;
      *x265 | *openh264) packages="$packages run" ;;
    esac
  done

  # A wrong option is told before anything is installed.
  if [ -x /usr/bin/python3 ]; then
    [ "$setup" = no ] \
      || /usr/bin/python3 "$here/$program" --check-options "$@"
  else
    setup=yes
  fi
  if [ "$setup" = yes ]; then
    "$support/install-packages.sh" $packages
    "$support/build.sh" $targets
  fi
  exec /usr/bin/python3 "$here/$program" "$@" </dev/null
}
