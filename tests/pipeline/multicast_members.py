#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Receivers come to a group and go, with a word and without; the sender follows
those who are there.

Each is behind a link of its own with 50 ms of round trip; one loses packets,
which makes it the limiting receiver (CLR)."""

import shutil
import subprocess
import tempfile
import time
import unittest

from group import FIRST_FRAMES, GROUP, GroupTest
from loopback import Gst, Pipeline, VIDEO, free_port, wait_for
from rtpbin_pair import RTP_CAPS, UDPSINK
from watched import SLOWNESS

RTT = 0.05
QUICK = "rtptfrcsend::initial-max-rtt=100"
RARE_KEY_FRAMES = VIDEO.replace("key-int-max=15", "key-int-max=600")
LINK = "delay_ms 25"
LOSSY = "delay_ms 25;loss 0.08"
# Ten of its RTTs and a round of six times R_max, which is 50 to 100 ms; the
# rest is for the machine.
REPLACED_WITHIN = 4
BACK_WITHIN = 3 * SLOWNESS


class MembersTest(GroupTest):
    quick = QUICK

    def setUp(self):
        super().setUp()
        # It would ask for a key frame after every loss.
        self.limiting = self.receiver_behind(
            LOSSY, "key-frame-requests=false")
        self.others = [self.receiver_behind(LINK) for _ in range(2)]
        self.source = self.sender(self.quick, media=RARE_KEY_FRAMES)
        self.assert_all_get_frames([self.limiting] + self.others, 1)
        self.ssrc = self.limiting.ssrc
        self.wait_for_steady_clr()

    def wait_for_steady_clr(self):
        """In the first rounds another one may be it for a moment."""
        changes = None
        while changes != self.source.stat("clr-changes"):
            self.wait_for_clr(self.source, [self.ssrc])
            changes = self.source.stat("clr-changes")
            time.sleep(1)

    def until_it_is_left(self, leave):
        """Until the news that the limiting receiver is no longer that."""
        known = len(self.source.news())
        leave()
        return wait_for(lambda: any(
            news.get_value("previous-ssrc") == self.ssrc
            for news in self.source.news()[known:]), REPLACED_WITHIN)

    def assert_others_go_on(self):
        ssrcs = [receiver.ssrc for receiver in self.others]
        self.wait_for_clr(self.source, ssrcs)
        for receiver in self.others:
            self.assertTrue(receiver.gets_frames(10))
        self.assert_quiet(self.source, *self.others)


class Leaves(MembersTest):
    def check(self, leave):
        self.assertTrue(self.until_it_is_left(leave))
        self.assertEqual(self.source.stat("leaves"), 1)
        self.assert_others_go_on()

    def test_in_null(self):
        self.check(self.limiting.stop)

    def test_in_paused_and_comes_back(self):
        self.check(lambda: self.limiting.set_state(Gst.State.PAUSED))
        self.limiting.play()
        self.wait_for_clr(self.source, [self.ssrc])
        self.assertTrue(self.limiting.gets_frames(10))

    def test_at_the_end_of_its_stream(self):
        self.check(lambda: self.limiting.pipeline.send_event(
            Gst.Event.new_eos()))
        self.assertTrue(wait_for(self.limiting.has_eos))

    def test_without_a_word(self):
        """What the sender sees when it is switched off."""
        self.assertTrue(self.until_it_is_left(self.limiting.vanish))
        self.assertEqual(self.source.stat("leaves"), 0)
        self.assert_others_go_on()


class Comes(MembersTest):
    def test_late_and_gets_a_key_frame(self):
        """Of its own accord the encoder makes none before 40 s are over.  One
        that was made because the sender dropped a frame may be in time for
        somebody who comes, so there are three who come."""
        asked = self.source.stat("key-frame-requests-received")
        for _ in range(3):
            late = self.receiver_behind(LINK)
            self.assertTrue(late.gets_frames(1, BACK_WITHIN))
            self.assertTrue(late.gets_frames(10))
        self.assertGreater(
            self.source.stat("key-frame-requests-received"), asked)

    def test_late_behind_a_worse_link_and_is_followed(self):
        late = self.receiver_behind("delay_ms 25;loss 0.2")
        ssrc = late.ssrc
        self.assertTrue(wait_for(
            lambda: self.source.stat("clr-ssrc") == ssrc, FIRST_FRAMES))

        def of_late():
            return [news for news in self.source.news()
                    if news.get_value("ssrc") == ssrc]
        # The message follows once the sender's lock is free.
        self.assertTrue(wait_for(of_late))
        news = of_late()[0]
        self.assertEqual(news.get_value("reason"), "lower")
        self.assertEqual(news.get_value("previous-ssrc"), self.ssrc)
        self.assertGreater(news.get_value("bitrate"), 0)
        self.assertGreaterEqual(news.get_value("rtt-ns"), RTT * 1e9)

    def test_again_and_again(self):
        for _ in range(3):
            brief = self.receiver_behind(LINK)
            self.assertTrue(brief.gets_frames(1, BACK_WITHIN))
            brief.stop()
        self.assertTrue(self.limiting.gets_frames(10))
        self.wait_for_clr(self.source, [self.ssrc])

    def test_back_from_a_sender_that_restarts(self):
        receivers = [self.limiting] + self.others
        for _ in range(2):
            self.source.stop()
            time.sleep(0.5)
            self.source = self.sender(self.quick, media=RARE_KEY_FRAMES)
            self.assert_all_get_frames(receivers)
            self.wait_for_clr(self.source, [self.ssrc])
        for receiver in receivers:
            self.assertEqual(receiver.pads, ["src_96"])
        self.assert_quiet(*receivers)


class Shown(MembersTest):
    def test_in_statistics(self):
        self.assertTrue(wait_for(
            lambda: self.source.stat("round") > 3
            and all(receiver.stat("echoes") > 0
                    for receiver in [self.limiting] + self.others)))
        source, member = self.source.stats(), self.limiting.stats()
        self.assertEqual(source.get_value("clr-ssrc"), self.ssrc)
        # 25 ms each way, and the wire's RTT is rounded up.
        self.assertGreaterEqual(source.get_value("clr-rtt-ns"), RTT * 1e9)
        self.assertGreaterEqual(member.get_value("rtt-ns"), RTT * 1e9)
        self.assertGreaterEqual(source.get_value("max-rtt-ns"), RTT * 1e9)
        self.assertEqual(source.get_value("clr-changes"),
                         len(self.source.news()))
        self.assertTrue(member.get_value("is-clr"))
        # On a busy machine another one may have been it for a moment.
        terms = [news for news in self.source.news()
                 if news.get_value("ssrc") == self.ssrc]
        self.assertIn(member.get_value("clr-periods"), range(1, len(terms) + 1))
        for receiver in self.others:
            self.assertFalse(receiver.stat("is-clr"))
            self.assertGreater(receiver.stat("calculated-bitrate"),
                               source.get_value("clr-bitrate") / 2)
        # The CLR reports once per RTT, the others once per round at most.
        self.assertGreater(source.get_value("reports-clr"),
                           source.get_value("reports") / 2)
        self.assertEqual(source.get_value("reports-invalid"), 0)

    def test_in_messages(self):
        news = self.source.news()
        self.assertEqual(news[0].get_value("reason"), "first")
        self.assertEqual(news[0].get_value("previous-ssrc"), 0)
        self.assertEqual(news[-1].get_value("ssrc"), self.ssrc)


class TooSlow(GroupTest):
    """A receiver at 8 % of loss can take less than min-bitrate."""

    def reporters(self):
        return {reporter.get_value("ssrc")
                for reporter in self.source.stat("reporters")}

    def test_it_is_named_and_may_be_excluded_and_admitted(self):
        slow = self.receiver_behind(LOSSY, "key-frame-requests=false")
        other = self.receiver_behind(LINK)
        self.source = self.sender(
            f"{QUICK} min-bitrate=2000000 max-bitrate=200000")
        self.assert_all_get_frames([slow, other], 1)
        self.assertTrue(wait_for(
            lambda: self.source.news("tfmcc-slow-receiver"), 40))
        news = self.source.news("tfmcc-slow-receiver")[0]
        self.assertEqual(news.get_value("ssrc"), slow.ssrc)
        self.assertRegex(news.get_value("address"), r"^127\.0\.0\.1:\d+$")
        self.assertLess(news.get_value("bitrate"), 2000000)
        self.assertEqual(news.get_value("min-bitrate"), 2000000)
        self.assertIn(slow.ssrc, self.reporters())

        sink = self.source.get("sink")
        self.assertTrue(sink.emit("exclude-receiver", slow.ssrc))
        self.assertNotIn(slow.ssrc, self.reporters())
        self.wait_for_clr(self.source, [other.ssrc])
        self.assertTrue(wait_for(
            lambda: self.source.stat("reports-excluded") > 0))
        self.assertTrue(slow.gets_frames(1))
        self.assertTrue(sink.emit("admit-receiver", slow.ssrc))
        self.assertFalse(sink.emit("admit-receiver", slow.ssrc))
        self.wait_for_clr(self.source, [slow.ssrc])
        self.assertEqual(len(self.source.news("tfmcc-slow-receiver")), 1)

    def plain_member(self, bind_port, lossy=""):
        """An rtpbin, which reports to `bind_port` + 1."""
        def on_loopback(port, caps):
            return (f"udpsrc address={GROUP} multicast-iface=lo port={port} "
                    f"caps={caps}")
        return self.start(Pipeline(
            f"rtpbin name=bin {on_loopback(self.port, RTP_CAPS)} ! "
            f"identity {lossy} ! bin.recv_rtp_sink_0 "
            f"{on_loopback(self.port + 1, 'application/x-rtcp')} ! "
            f"bin.recv_rtcp_sink_0 "
            f"bin.send_rtcp_src_0 ! {UDPSINK} port={bind_port + 1} "
            f"bin. ! rtph264depay ! fakesink sync=false"))

    def test_the_rate_goes_by_those_who_report_by_rtcp_alone(self):
        """Nobody else is there: eight times the rate of before with the fourth
        report, 20 s later."""
        bind_port = free_port(2)
        plain = self.plain_member(bind_port)
        self.source = self.sender(
            f"{QUICK} rtcp-mux=false bind-port={bind_port} min-bitrate=32000 "
            "max-bitrate=1000000")
        self.assertTrue(wait_for(
            lambda: self.source.stat("plain-bitrate") > 250000, 60))
        self.assertGreater(self.source.stat("allowed-rate") * 8, 250000)
        self.assertEqual(self.source.stat("feedback-state"), "working")
        plain.stop()

    def test_one_that_reports_by_rtcp_alone_is_named(self):
        """An rtpbin loses a quarter of min-bitrate."""
        other = self.receiver("rtcp-mux=false")
        bind_port = free_port(2)
        plain = self.plain_member(bind_port, "drop-probability=0.25")
        self.source = self.sender(
            f"{QUICK} rtcp-mux=false bind-port={bind_port} min-bitrate=200000 "
            "max-bitrate=400000")
        self.assertTrue(other.gets_frames(1, FIRST_FRAMES))
        self.assertTrue(wait_for(
            lambda: self.source.news("tfmcc-slow-receiver"), 40))
        news = self.source.news("tfmcc-slow-receiver")[0]
        self.assertTrue(news.get_value("plain"))
        self.assertRegex(news.get_value("address"), r"^127\.0\.0\.1:\d+$")
        self.assertLess(news.get_value("bitrate"), 400000)
        self.assertGreater(self.source.stat("plain-bitrate"), 0)
        self.wait_for_clr(self.source, [other.ssrc])
        self.assertEqual(
            {reporter.get_value("ssrc"): reporter.get_value("plain")
             for reporter in self.source.stat("reporters")},
            {news.get_value("ssrc"): True, other.ssrc: False})
        plain.stop()

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not there")
    def test_ffmpeg_plays_the_sdp_unseen(self):
        """It sends no RTCP, even where it is told to."""
        bind_port = free_port(2)
        self.source = self.sender(f"rtcp-mux=false bind-port={bind_port}")
        sink = self.source.get("sink")
        self.assertTrue(wait_for(lambda: sink.get_property("sdp")))
        with tempfile.NamedTemporaryFile("w", suffix=".sdp") as sdp:
            sdp.write(sink.get_property("sdp"))
            sdp.flush()
            played = subprocess.run(
                ["ffmpeg", "-nostdin", "-loglevel", "error",
                 "-protocol_whitelist", "file,udp,rtp", "-sdp_flags",
                 "rtcp_to_source", "-localaddr", "127.0.0.1", "-i", sdp.name,
                 "-frames:v", "60", "-f", "framecrc", "-"],
                capture_output=True, text=True, timeout=60, check=True)
        frames = [line for line in played.stdout.splitlines()
                  if not line.startswith("#")]
        self.assertEqual(len(frames), 60)
        self.assertEqual(self.source.stat("rtcp-members"), 0)
        self.assertEqual(len(self.source.stat("reporters")), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
