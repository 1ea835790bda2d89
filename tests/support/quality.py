# SPDX-License-Identifier: LGPL-2.1-or-later
"""VMAF and SSIM, by the ffmpeg with libvmaf that is in a wheel on PyPI."""

import pathlib
import re
import subprocess

SUPPORT = pathlib.Path(__file__).resolve().parent
FFMPEG = SUPPORT.parents[1] / "build" / "ffmpeg" / "ffmpeg"
WHEEL = ("imageio-ffmpeg==0.6.0",
         "imageio_ffmpeg/binaries/ffmpeg-linux-x86_64-v7.0.2")


class QualityError(Exception):
    """Its text is what the user reads."""


def run(*command):
    """What it says on its standard error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        raise QualityError(
            f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")
    return done.stderr


def fetch_ffmpeg():
    run(SUPPORT / "fetch-from-pypi.sh", *WHEEL, FFMPEG)
    if not FFMPEG.exists():
        raise QualityError((FFMPEG.parent / "missing.txt").read_text())
    FFMPEG.chmod(0o755)


def compare(seen, taken, filters="null", every=1, niceness=0):
    """(VMAF, SSIM, what ffmpeg said) of pictures as they are seen by those that
    were taken, each a list of ffmpeg's arguments for an input.  `filters`: (for
    those seen, for those taken), or what both go through; of one picture in
    `every` VMAF is taken."""
    both = (filters, filters) if isinstance(filters, str) else filters
    text = run("nice", "-n", str(niceness), FFMPEG, "-hide_banner", *seen, *taken,
               "-lavfi", f"[0:v]{both[0]},split[a][c];[1:v]{both[1]},split[b][d];"
               f"[a][b]libvmaf=n_subsample={every};[c][d]ssim", "-f", "null", "-")
    return (float(re.search(r"VMAF score: ([\d.]+)", text)[1]),
            float(re.search(r"SSIM.*All:([\d.]+)", text)[1]), text)
