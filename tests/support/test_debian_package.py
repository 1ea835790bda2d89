#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Debian package is made, lintian has nothing to say against it, and what
it installs is a plugin that GStreamer takes."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
ELEMENTS = ("tfrcsink", "tfrcsrc", "rtptfrcsend", "rtptfrcreceive")
NOT_RUN = 77    # meson's word for a skipped test
MISSING = [program for program in ("dpkg-buildpackage", "dh", "lintian", "git")
           if not shutil.which(program)]


def main():
    if MISSING or not (TOP / ".git").exists():
        print("skipped:", " and ".join(MISSING) or "the git repository",
              "is missing")
        return NOT_RUN
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([TOP / "data/make-debian-package.sh", folder],
                       check=True)
        package, = folder.glob("gstreamer1.0-tfrc_*.deb")
        root = folder / "root"
        subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
        plugin, = root.glob("usr/lib/*/gstreamer-1.0/libgsttfrc.so")
        environment = dict(os.environ, GST_PLUGIN_PATH_1_0=str(plugin.parent),
                           GST_REGISTRY_1_0=str(folder / "registry.bin"))
        for element in ELEMENTS:
            described = subprocess.run(
                ["gst-inspect-1.0", element], env=environment, check=True,
                stdout=subprocess.PIPE, text=True).stdout
            if str(plugin) not in described:
                print(f"{element} is not that of the package:\n{described}")
                return 1
        documents = "usr/share/doc/gstreamer1.0-tfrc"
        for path in ("usr/share/gst-tfrc/links/steady.link",
                     f"{documents}/docs/user-guide.md",
                     f"{documents}/docs/reference/tfrcsink.md",
                     f"{documents}/examples/launch/receive.sh",
                     f"{documents}/examples/monitor.py"):
            if not (root / path).exists():
                print(f"the package lacks {path}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
