#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The launch lines of examples/launch, as pairs: what the sender's camera or
file shows is decoded at the receiver, and a call without arguments says what
is wanted."""

import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import tempfile
import unittest

from loopback import free_port
from watched import WatchedTest

TOP = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = TOP / "examples" / "launch"
# A receiver ends when as many pictures, or pieces of sound, have come out.
ENOUGH = 20
LIMIT_S = 60
GROUP = "239.255.17.4"


class Launch(WatchedTest):

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.port = str(free_port())
        end = f"identity eos-after={ENOUGH} ! fakesink async=false"
        self.environment = dict(
            os.environ, BUILD_DIR=os.environ["TFRC_BUILD_DIR"],
            VIDEO_SOURCE="videotestsrc is-live=true",
            AUDIO_SOURCE="audiotestsrc is-live=true",
            VIDEO_SINK=end, AUDIO_SINK=end)

    def start(self, name, *arguments, folder=LAUNCH):
        process = subprocess.Popen(
            [str(folder / name), *arguments], env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def assert_pair(self, receiver, sender):
        """Each is the name of a script and its arguments."""
        receiving = self.start(*receiver)
        sending = self.start(*sender)
        errors = receiving.communicate(timeout=LIMIT_S)[1]
        self.assertEqual((receiving.returncode, errors), (0, ""))
        self.assertIsNone(sending.poll())
        sending.send_signal(signal.SIGINT)
        self.assertNotIn("ERROR", sending.communicate(timeout=LIMIT_S)[1])

    def test_camera(self):
        self.assert_pair(("receive.sh", self.port),
                         ("send-camera.sh", "127.0.0.1", self.port))

    def test_file(self):
        clip = self.folder / "clip.mkv"
        subprocess.run(
            ["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=300", "!",
             "x264enc", "speed-preset=ultrafast", "!", "matroskamux", "!",
             "filesink", f"location={clip}"], check=True)
        self.assert_pair(
            ("receive.sh", self.port),
            ("send-file.sh", "127.0.0.1", str(clip), self.port))

    def test_with_audio(self):
        self.assert_pair(("receive-with-audio.sh", self.port),
                         ("send-with-audio.sh", "127.0.0.1", self.port))

    def test_group(self):
        self.assert_pair(("receive-group.sh", GROUP, "lo", self.port),
                         ("send-group.sh", GROUP, "lo", self.port))

    def test_ladder(self):
        groups = GROUP, f"{GROUP}0", "lo"
        self.assert_pair(("receive-ladder.sh", *groups, self.port),
                         ("send-ladder.sh", *groups, self.port))

    def test_secure(self):
        key = self.folder / "key"
        key.write_text(secrets.token_hex(30))
        self.assert_pair(
            ("receive-secure.sh", str(key), self.port),
            ("send-secure.sh", "127.0.0.1", str(key), self.port))

    def assert_refused(self, said, name, *arguments, folder=LAUNCH,
                       **environment):
        """None in `environment` is no such variable."""
        for key, value in environment.items():
            self.environment.pop(key, None)
            if value is not None:
                self.environment[key] = value
        process = self.start(name, *arguments, folder=folder)
        errors = process.communicate(timeout=LIMIT_S)[1]
        self.assertEqual((process.returncode, errors),
                         (1, f"{name}: {said}\n"))

    def test_no_plugin(self):
        self.assert_refused(
            "the plugin is not built: tests/support/build.sh -Dtests=false "
            "builds it", "receive.sh", BUILD_DIR=str(self.folder),
            GST_PLUGIN_PATH=None, GST_PLUGIN_PATH_1_0=None,
            GST_REGISTRY_1_0=str(self.folder / "registry"))

    def test_no_encoder(self):
        self.assert_refused(
            "there is no element x264enc: tests/support/install-packages.sh "
            "run installs what GStreamer lacks", "send-camera.sh", "127.0.0.1",
            GST_PLUGIN_SYSTEM_PATH_1_0=str(self.folder),
            GST_REGISTRY_1_0=str(self.folder / "registry"))

    def test_no_encoder_where_there_are_no_tests(self):
        """As in a package."""
        folder = self.folder / "examples" / "launch"
        shutil.copytree(LAUNCH, folder)
        self.assert_refused(
            "there is no element x264enc: install gstreamer1.0-libav, "
            "-plugins-ugly, -plugins-good and -plugins-bad",
            "send-camera.sh", "127.0.0.1", folder=folder,
            GST_PLUGIN_SYSTEM_PATH_1_0=str(self.folder),
            GST_REGISTRY_1_0=str(self.folder / "registry"))

    @unittest.skipIf(os.path.exists("/dev/video0"), "there is a camera")
    def test_no_camera(self):
        for name in "send-camera.sh", "send-with-audio.sh":
            self.assert_refused(
                "there is no camera: VIDEO_SOURCE='videotestsrc is-live=true' "
                "sends a test picture", name, "127.0.0.1", VIDEO_SOURCE=None)

    def test_no_display(self):
        for name in "receive.sh", "receive-with-audio.sh":
            self.assert_refused(
                "there is no display: start it in a desktop session, or set "
                "VIDEO_SINK=fakesink", name, VIDEO_SINK=None, DISPLAY=None,
                WAYLAND_DISPLAY=None)

    def test_no_file(self):
        missing = str(self.folder / "missing")
        for name, *arguments in (("send-file.sh", "127.0.0.1", missing),
                                 ("send-secure.sh", "127.0.0.1", missing),
                                 ("receive-secure.sh", missing)):
            self.assert_refused(f"the file '{missing}' cannot be read", name,
                                *arguments)

    def test_no_port(self):
        for port in "70000", "0", "rtp", "123456":
            said = f"'{port}' is no port: 1 to 65535"
            self.assert_refused(said, "receive.sh", port)
            self.assert_refused(said, "send-camera.sh", "127.0.0.1", port)

    def test_a_file_without_a_key(self):
        path = self.folder / "key"
        for text in "", "a secret\n":
            path.write_text(text)
            said = (f"the file '{path}' has no key: it takes hexadecimal "
                    "digits, and no more")
            self.assert_refused(said, "receive-secure.sh", str(path))
            self.assert_refused(said, "send-secure.sh", "127.0.0.1", str(path))

    def test_each_says_what_it_wants(self):
        for path in sorted(LAUNCH.glob("send-*.sh")):
            process = self.start(path.name)
            errors = process.communicate(timeout=LIMIT_S)[1]
            self.assertEqual(process.returncode, 2, path.name)
            self.assertRegex(errors, rf"^usage: {path.name} \w+.*\n$")


if __name__ == "__main__":
    unittest.main()
