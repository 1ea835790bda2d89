#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tfrcsink and tfrcsrc through the states of an element."""

import contextlib
import os
import pathlib
import socket
import tempfile
import threading
import time
import unittest

from loopback import (GObject, Gst, Pipeline, Receiver, Sender, VIDEO, free_port,
                      wait_for)
from watched import PipelineTest, SLOWNESS

# For a stream to be back, key frame included.  x264enc alone has taken three
# seconds to open where four of these scripts ran on two busy cores.
BACK_WITHIN = 6 * SLOWNESS


class States(PipelineTest):
    def test_receiver_cycles(self):
        port = free_port()
        self.start(Sender(port))
        receiver = self.start(Receiver(port))
        self.assertTrue(receiver.gets_frames())
        for state in (Gst.State.PAUSED, Gst.State.READY, Gst.State.NULL):
            receiver.set_state(state)
            time.sleep(0.5)
            receiver.play()
            self.assertTrue(receiver.gets_frames(10, BACK_WITHIN), state)
        self.assert_quiet(receiver)

    def test_playbin_plays_into_it(self):
        """playsink has the first sink that it finds inside wait for a packet, of which
        RTCP has none in PAUSED."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        clip = pathlib.Path(folder.name) / "clip.mkv"
        made = self.start(Pipeline(
            "videotestsrc num-buffers=300 ! video/x-raw,width=160,height=120,"
            "framerate=30/1 ! x264enc tune=zerolatency ! matroskamux ! "
            f"filesink location={clip}"))
        self.assertTrue(wait_for(made.has_eos))
        port = free_port()
        receiver = self.start(Receiver(port))
        self.start(Pipeline(
            f"playbin uri={clip.as_uri()} video-sink=\"videoconvert ! x264enc "
            f"tune=zerolatency ! rtph264pay ! tfrcsink port={port}\""))
        self.assertTrue(receiver.gets_frames())

    def test_receiver_stops_while_a_report_waits_in_its_udpsink(self):
        """In PAUSED a udpsink keeps what comes, and the thread with it."""
        port = free_port()
        self.start(Sender(port))
        receiver = self.start(Receiver(port))
        self.assertTrue(receiver.gets_frames())
        # Who has spoken says BYE at the end.
        spoken = []
        receiver.find("src", "rtpbin")[0].get_static_pad(
            "send_rtcp_src_0").add_probe(
                Gst.PadProbeType.BUFFER, lambda *_: (
                    spoken.append(1), Gst.PadProbeReturn.OK)[1])
        self.assertTrue(wait_for(lambda: spoken))
        udpsink = receiver.find("src", "udpsink")[0]
        # Counted when it leaves; one at least does, and the next one cannot.
        waiting = receiver.stats().get_value("rtcp-packets") + 1
        udpsink.set_state(Gst.State.PAUSED)
        self.assertTrue(wait_for(lambda: receiver.stats().get_value(
            "rtcp-packets") >= waiting))
        receiver.stop()

    def test_cycles_of_the_receiver_leave_no_jitter_buffer(self):
        port = free_port()
        self.start(Sender(port))
        receiver = self.start(Receiver(port))
        for _ in range(3):
            self.assertTrue(receiver.gets_frames())
            receiver.stop()
            self.assertEqual(receiver.find("src", "rtpjitterbuffer"), [])
            receiver.play()

    def test_pause_while_a_sender_that_left_is_forgotten(self):
        """Its jitter buffer's thread waits in a sink in PAUSED.  Whoever waited
        for that one to end would keep the receiver from ever playing on."""
        port = free_port()
        receiver = self.start(Receiver(port))
        rtpbin = receiver.find("src", "rtpbin")[0]
        buffered, left, cleared = set(), set(), set()
        # An SSRC that sends RTCP alone has none, and may say BYE, too.
        rtpbin.connect("new-jitterbuffer", lambda _, buffer, session, ssrc:
                       buffered.add(ssrc))
        rtpbin.connect("on-bye-timeout", lambda _, session, ssrc: left.add(
            ssrc))
        rtpbin.connect("clear-ssrc", lambda _, session, ssrc: cleared.add(
            ssrc))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        frames = receiver.get("frames")
        # So that the pipeline does not let it play on.
        frames.set_locked_state(True)
        frames.set_state(Gst.State.PAUSED)
        # A packet waits there.
        self.assertEqual(frames.get_state(10 * SLOWNESS * Gst.SECOND)[0],
                         Gst.StateChangeReturn.SUCCESS)
        sender.stop()
        self.assertTrue(wait_for(lambda: left & buffered))
        # It is told in another thread.
        time.sleep(0.3)
        pausing = threading.Thread(
            target=receiver.set_state, args=(Gst.State.PAUSED,))
        pausing.start()
        pausing.join(5 * SLOWNESS)
        paused = not pausing.is_alive()
        # Lets that thread go, and with it whoever waits for it.
        frames.set_state(Gst.State.PLAYING)
        frames.set_locked_state(False)
        pausing.join()
        self.assertTrue(paused)
        receiver.play()
        self.assertTrue(wait_for(lambda: cleared >= left & buffered))
        self.start(Sender(port))
        self.assertTrue(receiver.gets_frames(10, BACK_WITHIN))
        self.assertEqual(len(receiver.find("src", "rtpjitterbuffer")), 1)
        self.assert_quiet(receiver)

    def test_nor_does_one_that_had_no_time_to_let_a_packet_out(self):
        port = free_port()
        self.start(Sender(port))
        receiver = self.start(Receiver(port, "latency=10000"))
        self.assertTrue(wait_for(
            lambda: receiver.find("src", "rtpjitterbuffer")))
        self.assertEqual(receiver.pads, [])
        receiver.stop()
        self.assertEqual(receiver.find("src", "rtpjitterbuffer"), [])

    def test_sender_cycles(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        for state in (Gst.State.PAUSED, Gst.State.READY, Gst.State.NULL):
            sender.set_state(state)
            time.sleep(0.5)
            sender.play()
            self.assertTrue(receiver.gets_frames(10, BACK_WITHIN), state)
        self.assert_quiet(sender, receiver)

    def test_who_stamps_pauses_before_the_sockets(self):
        """A packet or a report that waits in a udpsink for PLAYING looks like
        a round trip of so long."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        for pipeline, stamps in ((sender, "rtptfrcsend"),
                                 (receiver, "rtptfrcreceive")):
            pipeline.poll().clear()
            pipeline.set_state(Gst.State.PAUSED)
            paused = [message.src.get_factory().get_name() for message in
                      pipeline.of_type(Gst.MessageType.STATE_CHANGED)
                      if message.src.get_factory()
                      and message.parse_state_changed()[1] == Gst.State.PAUSED]
            self.assertLess(paused.index(stamps), paused.index("udpsink"))

    def test_what_waits_in_the_pacer_leaves_in_playing_only(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = Sender(port, "sync=false max-queue-time=60000",
                        VIDEO.replace("is-live=true", "num-buffers=30"))
        self.running.append(sender)
        came, ended = [], []

        def on_packet(_, info):
            if info.type & Gst.PadProbeType.BUFFER:
                came.append(1)
            elif info.type & Gst.PadProbeType.BUFFER_LIST:
                came.append(info.get_buffer_list().length())
            elif info.get_event().type == Gst.EventType.EOS:
                ended.append(True)
            return Gst.PadProbeReturn.OK

        sender.find("sink", "rtptfrcsend")[0].get_static_pad("sink_0").add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
            | Gst.PadProbeType.EVENT_DOWNSTREAM, on_packet)
        sender.set_state(Gst.State.PAUSED)
        # The first packet of a stream has nothing else to wait for.
        self.assertTrue(wait_for(lambda: ended))
        self.assertEqual(sender.stats().get_value("queue-packets"), sum(came))
        self.assertEqual(sender.stats().get_value("packets"), 0)
        self.assertEqual(receiver.stats().get_value("packets"), 0)
        sender.play()
        self.assertTrue(receiver.gets_frames())

    def test_clock_that_is_lost(self):
        """What an application does then: PAUSED, another clock, PLAYING.  The
        new one is at another time, as that of a sound card would be."""
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        for pipeline in sender, receiver:
            pipeline.set_state(Gst.State.PAUSED)
            pipeline.pipeline.use_clock(GObject.new(
                Gst.SystemClock, clock_type=Gst.ClockType.REALTIME))
            pipeline.play()
        self.assertTrue(receiver.gets_frames(10, BACK_WITHIN))
        # Held by no clock: a second of frames takes one.
        started = time.monotonic()
        self.assertTrue(receiver.gets_frames(15))
        self.assertGreater(time.monotonic() - started, 0.5)
        self.assert_quiet(sender, receiver)

    def pause_unseen_by(self, udpsrc, pipeline):
        """PAUSED and PLAYING again before the thread of the udpsrc gets to run,
        as may happen on any busy machine: it shares one core with this thread,
        and has to wait for it."""
        name = f"{udpsrc.get_name()}:src"[:15]
        mine, cores = threading.get_native_id(), os.sched_getaffinity(0)
        its = next(int(task.name) for task
                   in pathlib.Path("/proc/self/task").iterdir()
                   if (task / "comm").read_text().strip() == name)
        for thread in mine, its:
            os.sched_setaffinity(thread, [min(cores)])
        os.sched_setscheduler(its, os.SCHED_IDLE, os.sched_param(0))
        pipeline.set_state(Gst.State.PAUSED)
        pipeline.play()
        os.sched_setaffinity(mine, cores)
        # Another thread after the pause, maybe.  GLib keeps this one for any task to
        # come, which would starve on a busy machine; not everybody may undo it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.sched_setaffinity(its, cores)
            os.sched_setscheduler(its, os.SCHED_OTHER, os.sched_param(0))

    def test_receiver_survives_a_pause_that_its_thread_has_not_seen(self):
        port = free_port()
        self.start(Sender(port))
        receiver = self.start(Receiver(port))
        self.assertTrue(receiver.gets_frames())
        self.pause_unseen_by(
            receiver.find("src", "udpsrc")[0], receiver)
        self.assertTrue(receiver.gets_frames(10, BACK_WITHIN))
        self.assert_quiet(receiver)

    def test_so_does_the_sender(self):
        port = free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        self.pause_unseen_by(
            sender.find("sink", "udpsrc")[0], sender)
        reports = sender.stats().get_value("feedback")
        self.assertTrue(wait_for(lambda: sender.stats().get_value(
            "feedback") >= reports + 3, BACK_WITHIN))
        self.assert_quiet(sender)

    def test_what_comes_in_paused_is_old_news(self):
        """It would look as if it had been on its way all the time."""
        port, bind_port = free_port(), free_port()
        receiver = self.start(Receiver(port))
        sender = self.start(Sender(port, f"bind-port={bind_port}"))
        self.assertTrue(receiver.gets_frames())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as another:
            for paused, at in (receiver, port), (sender, bind_port):
                paused.set_state(Gst.State.PAUSED)
                # An RTCP packet that is cut off.
                another.sendto(bytes([0x80, 200, 0, 9]), ("127.0.0.1", at))
                paused.play()
                self.assertTrue(receiver.gets_frames())
                self.assertEqual(
                    paused.stats().get_value("rtcp-malformed"), 0)

    def test_rtcp_of_the_receiver_is_set_up_in_paused(self):
        """By an rtpsession it would be with the first packet, which gets no
        number for the events when another thread flushes meanwhile."""
        receiver = self.start(Receiver(free_port()))
        rtpbin, = receiver.find("src", "rtpbin")
        session = rtpbin.emit("get-session", 0)
        for state in (Gst.State.READY, Gst.State.PAUSED) * 2:
            receiver.set_state(state)
            for name in ("send_rtcp_src", "sync_src"):
                caps = session.get_static_pad(name).get_current_caps()
                self.assertEqual(bool(caps), state == Gst.State.PAUSED, name)

    def test_sink_does_not_preroll(self):
        """As rtpsink does: a pipeline that believes it has prerolled while
        its decodebin has not may lose its EOS."""
        sender = Sender(free_port(),
                        media=VIDEO.replace("is-live=true", "num-buffers=9"))
        self.running.append(sender)
        sender.set_state(Gst.State.PAUSED)
        result, state, _ = sender.pipeline.get_state(5 * Gst.SECOND)
        self.assertEqual(result, Gst.StateChangeReturn.NO_PREROLL)
        self.assertEqual(state, Gst.State.PAUSED)

    def test_source_is_live(self):
        receiver = Receiver(free_port(), "latency=250")
        self.running.append(receiver)
        self.assertEqual(receiver.get("src").set_state(Gst.State.PAUSED),
                         Gst.StateChangeReturn.NO_PREROLL)
        receiver.get("src").set_state(Gst.State.NULL)

    def test_latency_of_the_source_is_that_of_its_jitter_buffer(self):
        port = free_port()
        receiver = self.start(Receiver(port, "latency=250"))
        self.start(Sender(port))
        self.assertTrue(receiver.gets_frames())
        query = Gst.Query.new_latency()
        self.assertTrue(receiver.get("src").get_static_pad("src_96")
                        .query(query))
        live, minimum, _ = query.parse_latency()
        self.assertTrue(live)
        self.assertEqual(minimum, 250 * Gst.MSECOND)


if __name__ == "__main__":
    unittest.main(verbosity=2)
