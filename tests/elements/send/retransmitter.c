/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is sent again: the store in virtual time, and rtptfrcsend with NACKs at
 * its RTCP pad. */

#include "send/repair.h"

#include "common/stats.h"
#include "send/fixture.h"
#include "tfrc-wire.h"

#define RTX_TYPE 127 /* of 96 */
#define MAX_AGE (200 * TFRC_MILLISECOND)
#define RTX_SIZE (PACKET_SIZE + 2)

/* The store */

/* A packet of SSRC leaves, of 12 + `payload_size` bytes. */
static void
send_of_size (TfrcRetransmitter *self, guint16 seq, guint payload_size,
    TfrcTime now)
{
  GstBuffer *buffer = send_fixture_make_packet (seq, seq * 3000u, payload_size);
  TfrcQueueItem item = {
    .object = GST_MINI_OBJECT_CAST (buffer),
    .size = (guint) gst_buffer_get_size (buffer),
    .seq = seq,
    .ssrc = SSRC,
    .payload_type = 96,
  };

  tfrc_retransmitter_on_sent (self, &item, now);
  gst_buffer_unref (buffer);
}

static void
send (TfrcRetransmitter *self, guint16 seq, TfrcTime now)
{
  send_of_size (self, seq, PAYLOAD_SIZE, now);
}

static guint32 asker;

static void
ask (TfrcRetransmitter *self, guint32 ssrc, guint16 seq, TfrcDuration rtt,
    TfrcTime now)
{
  tfrc_retransmitter_on_nack (self, ssrc, (TfrcNackEntry) { seq, 0 }, asker,
      rtt, now);
}

/* The number of the packet that is sent again; -1 = none. */
static gint
pop (TfrcRetransmitter *self, TfrcTime now)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcQueueItem item;
  gint seq;

  if (!tfrc_retransmitter_pop (self, &item, MAX_AGE, now))
    return -1;
  assert_equals_int (item.repaired_ssrc, SSRC);
  fail_unless (gst_rtp_buffer_map (GST_BUFFER_CAST (item.object), GST_MAP_READ,
      &rtp));
  seq = GST_READ_UINT16_BE (gst_rtp_buffer_get_payload (&rtp));
  gst_rtp_buffer_unmap (&rtp);
  gst_mini_object_unref (item.object);
  return seq;
}

static guint64
get_stat (TfrcRetransmitter *self, const gchar *name)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SEND);
  guint64 value;

  tfrc_retransmitter_set_stats (self, stats);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "%s", name);
  gst_structure_free (stats);
  return value;
}

static TfrcRetransmitter *
start (void)
{
  TfrcRetransmitter *self = tfrc_retransmitter_new ();

  tfrc_retransmitter_start (self, TRUE, NULL);
  return self;
}

/* RFC 4588 section 4: payload type, SSRC and number of their own, the rest of
 * the header as it was, the original number in front of the payload. */
GST_START_TEST (an_rtx_packet_is_the_packet_under_other_numbers)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcRetransmitter *self = start ();
  TfrcQueueItem item;
  guint16 rtx_seq = 0;
  guint i;

  send (self, 65535, START);
  send (self, 0, START);
  ask (self, SSRC, 65535, RTT, START + RTT);
  ask (self, SSRC, 0, RTT, START + RTT);
  for (i = 0; i < 2; i++) {
    guint16 seq = (guint16) (65535 + i);
    const guint8 *payload;

    fail_unless (tfrc_retransmitter_pop (self, &item, MAX_AGE, START + RTT));
    assert_equals_int (gst_buffer_get_size (GST_BUFFER_CAST (item.object)),
        item.size);
    fail_unless (gst_rtp_buffer_map (GST_BUFFER_CAST (item.object),
        GST_MAP_READ, &rtp));
    assert_equals_int (gst_rtp_buffer_get_payload_type (&rtp), RTX_TYPE);
    assert_equals_int (gst_rtp_buffer_get_ssrc (&rtp), item.ssrc);
    fail_if (item.ssrc == SSRC);
    fail_unless (tfrc_repair_has_ssrc (self->streams,
        gst_rtp_buffer_get_ssrc (&rtp)));
    assert_equals_int (gst_rtp_buffer_get_timestamp (&rtp), seq * 3000u);
    if (i == 0)
      rtx_seq = gst_rtp_buffer_get_seq (&rtp);
    assert_equals_int (gst_rtp_buffer_get_seq (&rtp), (guint16) (rtx_seq + i));
    payload = gst_rtp_buffer_get_payload (&rtp);
    assert_equals_int (gst_rtp_buffer_get_payload_len (&rtp), PAYLOAD_SIZE + 2);
    assert_equals_int (GST_READ_UINT16_BE (payload), seq);
    assert_equals_int (payload[2], 0x11);
    assert_equals_int (payload[PAYLOAD_SIZE + 1], 0x11);
    gst_rtp_buffer_unmap (&rtp);
    gst_mini_object_unref (item.object);
  }
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* Who asks again may have measured a shorter one; another receiver has the first answer
 * on its way. */
GST_START_TEST (a_packet_is_answered_once_per_rtt)
{
  TfrcRetransmitter *self = start ();
  guint i;

  send (self, 7, START);
  for (i = 0; i < 10; i++)
    ask (self, SSRC, 7, RTT, START);
  assert_equals_int (pop (self, START), 7);
  ask (self, SSRC, 7, RTT, START + RTT / 2 - 1);
  assert_equals_int (pop (self, START + RTT / 2 - 1), -1);
  ask (self, SSRC, 7, RTT, START + RTT / 2);
  assert_equals_int (pop (self, START + RTT / 2), 7);
  asker = 1;
  ask (self, SSRC, 7, RTT, START + 3 * RTT / 2 - 1);
  assert_equals_int (pop (self, START + 3 * RTT / 2 - 1), -1);
  ask (self, SSRC, 7, RTT, START + 3 * RTT / 2);
  assert_equals_int (pop (self, START + 3 * RTT / 2), 7);
  assert_equals_uint64 (get_stat (self, "retransmissions-asked"), 14);
  assert_equals_uint64 (get_stat (self, "retransmissions-sent"), 3);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* Bits 0, 2 and 15: the packet, and the 1st, 3rd and 16th behind it. */
GST_START_TEST (an_entry_of_a_nack_names_up_to_17_packets)
{
  TfrcRetransmitter *self = start ();

  for (guint i = 0; i < 20; i++)
    send (self, (guint16) (65530 + i), START);
  tfrc_retransmitter_on_nack (self, SSRC, (TfrcNackEntry) { 65530, 0x8005 },
      asker, RTT, START);
  assert_equals_int (pop (self, START), 65530);
  assert_equals_int (pop (self, START), 65531);
  assert_equals_int (pop (self, START), 65533);
  assert_equals_int (pop (self, START), 65530 + 16 - 65536);
  assert_equals_int (pop (self, START), -1);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

GST_START_TEST (an_answer_that_waited_too_long_is_dropped)
{
  TfrcRetransmitter *self = start ();

  send (self, 7, START);
  ask (self, SSRC, 7, RTT, START);
  assert_equals_int (pop (self, START + MAX_AGE + 1), -1);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* One second, however many packets that are, and however the numbers wrap. */
GST_START_TEST (what_left_within_a_second_is_there)
{
  const TfrcDuration spacing = TFRC_MILLISECOND;
  TfrcRetransmitter *self = start ();
  TfrcTime now = START;
  guint i;

  for (i = 0; i < 70000; i++, now += spacing)
    send (self, (guint16) i, now);
  ask (self, SSRC, (guint16) (70000 - 1000), RTT, now);
  assert_equals_int (pop (self, now), 70000 - 1000 - 65536);
  ask (self, SSRC, (guint16) (70000 - 1001), RTT, now);
  assert_equals_int (pop (self, now), -1);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

static void
send_of (TfrcRetransmitter *self, guint32 ssrc, guint16 seq, TfrcTime now)
{
  GstBuffer *buffer = send_fixture_make_packet (seq, 0, PAYLOAD_SIZE);
  TfrcQueueItem item = {
    .object = GST_MINI_OBJECT_CAST (buffer),
    .size = (guint) gst_buffer_get_size (buffer),
    .seq = seq,
    .ssrc = ssrc,
    .payload_type = 96,
  };

  tfrc_retransmitter_on_sent (self, &item, now);
  gst_buffer_unref (buffer);
}

/* Of ten packets the first are large, and these are lost. */
static const struct
{
  guint n_large;
  guint lost; /* bits */
  gboolean is_black_hole;
} paths[] = {
  { 5, 0x01f, TRUE }, { 5, 0x00f, FALSE }, /* one in five arrives */
  { 5, 0x0ff, FALSE },                     /* and so do few of those that fit */
  { 5, 0x000, FALSE }, { 0, 0x01f, FALSE },
  { 10, 0x3ff, FALSE }, /* nothing arrives */
};

/* Behind 2000 packets that arrived, over a wrap; each is asked for twice. */
GST_START_TEST (a_path_that_drops_large_packets_is_told_once)
{
  TfrcRetransmitter *self = start ();
  guint16 seq = 63000;
  gboolean told = FALSE;

  for (guint i = 0; i < 2000; i++)
    send_of_size (self, seq++, 1300, START);
  for (guint round = 0; round < 100; round++, seq += 10) {
    for (guint i = 0; i < 10; i++)
      send_of_size (self, (guint16) (seq + i),
          i < paths[__i__].n_large ? TFRC_FITTING_SIZE - 11
                                   : TFRC_FITTING_SIZE - 12,
          START);
    for (guint i = 0; i < 20; i++)
      if ((paths[__i__].lost >> i % 10 & 1) != 0)
        ask (self, SSRC, (guint16) (seq + i % 10), RTT, START);
    if (tfrc_retransmitter_poll_black_hole (self, FALSE, FALSE,
            START + TFRC_SECOND / 2)) {
      fail_if (told);
      told = TRUE;
    }
  }
  assert_equals_int (told, paths[__i__].is_black_hole);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* Bit i of `large` and of `lost` is of packet `seq` + i. */
static void
send_and_lose (TfrcRetransmitter *self, guint16 seq, guint n, guint large,
    guint lost, TfrcTime now)
{
  for (guint i = 0; i < n; i++)
    send_of_size (self, (guint16) (seq + i), large >> i & 1 ? 1300 : 100, now);
  for (guint i = 0; i < n; i++)
    if (lost >> i & 1)
      ask (self, SSRC, (guint16) (seq + i), RTT, now);
}

/* A full queue of bytes has room for small packets where it has none for large ones. */
GST_START_TEST (large_packets_that_a_queue_drops_are_no_narrow_path)
{
  TfrcRetransmitter *self = start ();
  guint16 seq = 0;

  for (guint round = 0; round < 10; round++, seq += 10) {
    send_and_lose (self, seq, 10, 0x1f, 0x1f, START);
    fail_if (tfrc_retransmitter_poll_black_hole (self, round % 2 == 1, FALSE,
        START + TFRC_SECOND / 2));
  }
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* All nine large packets of a picture, and one of twenty small ones of a still scene. */
GST_START_TEST (a_burst_of_losses_is_no_narrow_path)
{
  TfrcRetransmitter *self = start ();

  send_and_lose (self, 0, 30, 0x1ff, 0x1ff | 1 << 29, START);
  fail_if (tfrc_retransmitter_poll_black_hole (self, FALSE, FALSE,
      START + TFRC_SECOND));
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* Each 50 ms 15 large ones, and a small one behind three of them: the last large one
 * arrives, which the losses of the next 50 ms show; then it does not.  Half a second. */
GST_START_TEST (a_policer_passes_some_large_packets_and_a_narrow_path_none)
{
  TfrcRetransmitter *self = start ();
  guint16 seq = 0;

  for (guint round = 0; round < 40; round++, seq += 20) {
    const TfrcTime now = START + round * 50 * TFRC_MILLISECOND;

    send_and_lose (self, seq, 20, 0x77777, __i__ == 1 ? 0x77777 : 0x37777, now);
    if (tfrc_retransmitter_poll_black_hole (self, FALSE, FALSE, now))
      break;
  }
  assert_equals_int (seq / 20, __i__ == 1 ? 10 : 40);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* Behind more than half of all numbers that nobody asked for, three minutes of 2 Mbit/s. */
GST_START_TEST (a_path_that_begins_to_drop_large_packets_is_told)
{
  TfrcRetransmitter *self = start ();
  guint16 seq = 63000;

  for (guint i = 0; i < 40000; i++)
    send_of_size (self, seq++, 1300, START);
  for (guint round = 0; round < 10; round++, seq += 10)
    send_and_lose (self, seq, 10, 0x1f, 0x1f, START);
  fail_unless (tfrc_retransmitter_poll_black_hole (self, FALSE, FALSE,
      START + TFRC_SECOND / 2));
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

GST_START_TEST (each_path_is_judged_anew)
{
  TfrcRetransmitter *self = start ();
  guint16 seq = 0;

  for (guint path = 0; path < 2; path++) {
    for (guint round = 0; round < 10; round++, seq += 10)
      send_and_lose (self, seq, 10, 0x1f, 0x1f, START);
    fail_unless (tfrc_retransmitter_poll_black_hole (self, FALSE, FALSE,
        START + TFRC_SECOND / 2));
    self->black_hole = (TfrcBlackHole) { 0 };
    fail_if (tfrc_retransmitter_poll_black_hole (self, FALSE, FALSE,
        START + TFRC_SECOND / 2));
  }
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* The SSRC and number of the answer. */
static guint32
get_answer (TfrcRetransmitter *self, guint16 *rtx_seq, TfrcTime now)
{
  TfrcQueueItem item;

  fail_unless (tfrc_retransmitter_pop (self, &item, MAX_AGE, now));
  *rtx_seq = item.seq;
  gst_mini_object_unref (item.object);
  return item.ssrc;
}

/* Whatever begins beside it and ends: its packets are kept for a second, and its numbers
 * go on, of the same SSRC. */
GST_START_TEST (a_stream_that_comes_back_has_its_numbers_again)
{
  TfrcRetransmitter *self = start ();
  guint16 rtx_seq, next;
  guint32 rtx_ssrc;

  send (self, 98, START);
  ask (self, SSRC, 98, RTT, START + RTT);
  rtx_ssrc = get_answer (self, &rtx_seq, START + RTT);
  for (guint32 i = 1; i < TFRC_QUEUE_MAX_STREAMS; i++)
    send_of (self, SSRC + i, 1, START + TFRC_SECOND);
  ask (self, SSRC, 98, RTT, START + TFRC_SECOND);
  get_answer (self, &next, START + TFRC_SECOND);
  assert_equals_int (next, (guint16) (rtx_seq + 1));
  send (self, 99, START + 2 * TFRC_SECOND);
  ask (self, SSRC, 98, RTT, START + 2 * TFRC_SECOND);
  assert_equals_int (pop (self, START + 2 * TFRC_SECOND), -1);
  ask (self, SSRC, 99, RTT, START + 2 * TFRC_SECOND);
  fail_unless (get_answer (self, &next, START + 2 * TFRC_SECOND) == rtx_ssrc);
  assert_equals_int (next, (guint16) (rtx_seq + 2));
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* As many as the queue knows.  It is the one that is silent for longest that goes. */
GST_START_TEST (a_stream_that_sends_keeps_its_place)
{
  TfrcRetransmitter *self = start ();
  guint16 rtx_seq;

  send (self, 98, START);
  send_of (self, SSRC + 1, 1, START);
  send (self, 99, START + 1);
  for (guint32 i = 2; i <= TFRC_QUEUE_MAX_STREAMS; i++)
    send_of (self, SSRC + i, 1, START + 1);
  ask (self, SSRC + 1, 1, RTT, START + 1);
  assert_equals_int (pop (self, START + 1), -1);
  ask (self, SSRC, 99, RTT, START + 1);
  get_answer (self, &rtx_seq, START + 1);
  assert_equals_uint64 (self->kept_bytes,
      (TFRC_QUEUE_MAX_STREAMS + 1) * (12 + PAYLOAD_SIZE));
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

GST_START_TEST (what_never_was_is_not_answered)
{
  TfrcRetransmitter *self = start ();
  guint seq;

  send (self, 7, START);
  for (seq = 0; seq < 65536; seq++)
    if (seq != 7)
      ask (self, SSRC, (guint16) seq, RTT, START);
  ask (self, SSRC + 1, 7, RTT, START);
  assert_equals_int (pop (self, START), -1);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* 100 packets a second of which all are asked for again and again: a quarter of
 * their bytes, and what was saved up before. */
GST_START_TEST (repair_takes_a_quarter_of_what_is_new)
{
  TfrcRetransmitter *self = start ();
  guint answers = 0, sent = 0;
  TfrcTime now;
  guint16 seq;

  for (now = START; now < START + 20 * TFRC_SECOND;
      now += 10 * TFRC_MILLISECOND) {
    send (self, (guint16) sent++, now);
    for (seq = 0; seq < 100 && seq < sent; seq++)
      ask (self, SSRC, (guint16) (sent - 1 - seq), 10 * TFRC_MILLISECOND, now);
    while (pop (self, now) >= 0)
      answers++;
  }
  /* Packets of 426 bytes, answers of 428: 2000 x 426 / 4 / 428 = 497, and 6000
   * bytes at the start, which are 14. */
  assert_equals_int (sent, 2000);
  assert_equals_int (answers, 511);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* Then a receiver could not tell whose it is. */
GST_START_TEST (a_stream_whose_rtx_type_is_taken_has_none)
{
  TfrcRetransmitter *self = start ();
  GstBuffer *buffer = send_fixture_make_packet (1, 1, PAYLOAD_SIZE);
  TfrcQueueItem item = {
    .object = GST_MINI_OBJECT_CAST (buffer),
    .seq = 1,
    .ssrc = SSRC + 1,
    .payload_type = RTX_TYPE,
  };

  send (self, 7, START);
  tfrc_retransmitter_on_sent (self, &item, START);
  gst_buffer_unref (buffer);
  ask (self, SSRC, 7, RTT, START);
  assert_equals_int (pop (self, START), -1);
  tfrc_retransmitter_free (self);
}

GST_END_TEST;

/* rtptfrcsend */

static void
push_nack (SendFixture *self, const guint16 *seqs, guint n)
{
  guint8 data[TFRC_WIRE_NACK_SIZE (32)];

  send_fixture_push_rtcp (self, data,
      tfrc_wire_write_nack (data, RECEIVER_SSRC, SSRC, seqs, n));
}

/* The first packet has left and was reported; X is 43800 bytes/s. */
static SendPacket
start_element (SendFixture *self, const gchar *retransmission)
{
  send_fixture_init (self);
  gst_util_set_object_arg (G_OBJECT (self->element), "retransmission",
      retransmission);
  send_fixture_start (self, VIDEO_CAPS);
  return send_fixture_start_flow (self);
}

/* Ten packets wait, 10 ms apart; the answer goes before them, takes its 440
 * bytes / 43800 bytes/s = 10 ms, and has an extension of its own. */
GST_START_TEST (an_answer_leaves_before_new_packets_at_the_same_rate)
{
  SendFixture f;
  SendPacket original = start_element (&f, "auto"), packet, answer, last;
  GstBuffer *buffer;
  guint n;

  send_fixture_push_packets (&f, 12);
  send_fixture_run_until (&f, START + 130 * TFRC_MILLISECOND);
  for (n = gst_harness_buffers_in_queue (f.rtp); n > 0; n--)
    last = send_fixture_pull_packet (&f);
  push_nack (&f, &original.seq, 1);
  send_fixture_run_until (&f, START + 160 * TFRC_MILLISECOND);

  buffer = gst_harness_pull (f.rtp);
  assert_equals_int (gst_buffer_get_size (buffer), RTX_SIZE);
  answer = send_fixture_read_packet (buffer, SEND_ID);
  gst_buffer_unref (buffer);
  assert_equals_int (answer.timestamp, original.timestamp);
  fail_unless (answer.has_extension);
  assert_equals_uint64 (answer.extension.rtt, RTT);
  fail_unless (answer.extension.send_time_us - last.extension.send_time_us
      <= PACKET_TIME / TFRC_MICROSECOND + 1);
  packet = send_fixture_pull_packet (&f);
  assert_equals_int (packet.seq, (guint16) (last.seq + 1));
  fail_unless (packet.extension.send_time_us - answer.extension.send_time_us
      >= PACKET_TIME / TFRC_MICROSECOND);
  assert_equals_uint64 (send_fixture_get_stat (&f, "retransmissions-sent"), 1);
  /* Nothing of it is for rtpbin. */
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Reports of a flow may echo any of its packets. */
GST_START_TEST (a_report_may_name_the_ssrc_of_repair)
{
  guint8 feedback[TFRC_WIRE_FEEDBACK_SIZE];
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  SendFixture f;
  SendPacket original = start_element (&f, "on"), answer;
  GstBuffer *buffer;
  guint32 ssrc;

  push_nack (&f, &original.seq, 1);
  send_fixture_run_until (&f, START + 2 * RTT);
  buffer = gst_harness_pull (f.rtp);
  answer = send_fixture_read_packet (buffer, SEND_ID);
  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  send_fixture_make_feedback (feedback, &answer, ssrc);
  send_fixture_run_until (&f, START + 3 * RTT);
  send_fixture_push_rtcp (&f, feedback, sizeof feedback);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback"), 2);
  assert_equals_uint64 (send_fixture_get_stat (&f, "feedback-foreign"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* An rtprtxsend upstream of a plain rtpbin may want it. */
GST_START_TEST (a_nack_goes_on_to_rtpbin_where_nothing_is_sent_again)
{
  SendFixture f;
  SendPacket original = start_element (&f, "off");

  push_nack (&f, &original.seq, 1);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtcp), 1);
  assert_equals_uint64 (send_fixture_get_stat (&f, "retransmissions-asked"), 0);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* 10,000 NACKs of 544 packets each, in a second of virtual time, for all that
 * left and more: no more goes out than the rate allows. */
GST_START_TEST (a_flood_of_nacks_is_bounded)
{
  guint16 seqs[32];
  SendFixture f;
  guint i, n_before;

  start_element (&f, "auto");
  send_fixture_push_packets (&f, 10);
  send_fixture_run_until (&f, START + 3 * RTT);
  n_before = gst_harness_buffers_in_queue (f.rtp);
  assert_equals_int (n_before, 10);
  for (i = 0; i < 10000; i++) {
    for (guint k = 0; k < 32; k++)
      seqs[k] = (guint16) (f.seq - 16 + k);
    push_nack (&f, seqs, 32);
  }
  send_fixture_run_until (&f, START + 4 * RTT);
  /* Eleven packets left, each may come again once. */
  fail_unless (gst_harness_buffers_in_queue (f.rtp) > n_before);
  fail_unless (gst_harness_buffers_in_queue (f.rtp) <= n_before + 11);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* A packet waits to leave again when the next frame comes: a key frame that a
 * receiver has asked for (__i__ = 0), one that nobody has (1), or another (2).  A
 * receiver that waits for the first has no use for what left before it, and at a rate
 * that just fell the key frame would wait for it for long.  The newest four (3) may be
 * its own, or are next to it. */
GST_START_TEST (a_key_frame_that_was_asked_for_replaces_answers)
{
  guint8 pli[TFRC_WIRE_PLI_SIZE];
  SendFixture f;
  SendPacket original = start_element (&f, "on"), newest;
  guint replaced = __i__ == 0;

  send_fixture_push_packets (&f, __i__ == 3 ? 1 : 5);
  if (__i__ == 0 || __i__ == 3) {
    tfrc_wire_write_pli (pli, RECEIVER_SSRC, SSRC);
    send_fixture_push_rtcp (&f, pli, sizeof pli);
  }
  send_fixture_run_until (&f, START + 3 * RTT);
  while (gst_harness_buffers_in_queue (f.rtp) > 0)
    gst_buffer_unref (gst_harness_pull (f.rtp));
  /* Ten milliseconds apart: only the first of two leaves before the frame comes. */
  send_fixture_push_packets (&f, 2);
  send_fixture_run_until (&f, START + 3 * RTT);
  push_nack (&f, &original.seq, 1);
  send_fixture_push_frame (&f, __i__ != 2);
  push_nack (&f, &original.seq, 1);
  send_fixture_run_until (&f, START + 5 * RTT);

  assert_equals_int (gst_harness_buffers_in_queue (f.rtp), 4 - replaced);
  assert_equals_uint64 (send_fixture_get_stat (&f, "retransmissions-sent"),
      1 - replaced);
  /* What left since is sent again. */
  for (guint i = 0; i < 3 - replaced; i++)
    gst_buffer_unref (gst_harness_pull (f.rtp));
  newest = send_fixture_pull_packet (&f);
  push_nack (&f, &newest.seq, 1);
  send_fixture_run_until (&f, START + 7 * RTT);
  assert_equals_uint64 (send_fixture_get_stat (&f, "retransmissions-sent"),
      2 - replaced);
  send_fixture_clear (&f);
}

GST_END_TEST;

static void
push_stream_start (SendFixture *self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (self->rtp,
      gst_event_new_stream_start ("next")));
  fail_unless (gst_harness_push_event (self->rtp,
      gst_event_new_segment (&segment)));
}

/* Behind EOS, and behind a flush until the next segment, no packet may leave; and
 * another stream may follow. */
GST_START_TEST (nothing_is_repeated_of_a_stream_that_ended)
{
  SendFixture f;
  SendPacket original = start_element (&f, "on");

  if (__i__ == 0) {
    fail_unless (gst_harness_push_event (f.rtp, gst_event_new_eos ()));
  } else {
    fail_unless (gst_harness_push_event (f.rtp, gst_event_new_flush_start ()));
    fail_unless (gst_harness_push_event (f.rtp,
        gst_event_new_flush_stop (FALSE)));
  }
  send_fixture_run_until (&f, START + 2 * RTT);
  push_nack (&f, &original.seq, 1);
  send_fixture_run_until (&f, START + 3 * RTT);
  assert_equals_uint64 (send_fixture_get_stat (&f, "retransmissions-sent"), 0);
  push_stream_start (&f);
  send_fixture_push_packets (&f, 1);
  send_fixture_run_until (&f, START + 4 * RTT);
  assert_equals_int (gst_harness_buffers_in_queue (f.rtp), 1);
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
retransmitter_suite (void)
{
  Suite *suite = suite_create ("retransmitter");
  TCase *tc = tcase_create ("store");

  tcase_add_test (tc, an_rtx_packet_is_the_packet_under_other_numbers);
  tcase_add_test (tc, a_packet_is_answered_once_per_rtt);
  tcase_add_test (tc, an_entry_of_a_nack_names_up_to_17_packets);
  tcase_add_test (tc, an_answer_that_waited_too_long_is_dropped);
  tcase_add_test (tc, what_left_within_a_second_is_there);
  tcase_add_test (tc, a_stream_that_comes_back_has_its_numbers_again);
  tcase_add_test (tc, a_stream_that_sends_keeps_its_place);
  tcase_add_test (tc, what_never_was_is_not_answered);
  tcase_add_test (tc, repair_takes_a_quarter_of_what_is_new);
  tcase_add_test (tc, a_stream_whose_rtx_type_is_taken_has_none);
  tcase_add_loop_test (tc, a_path_that_drops_large_packets_is_told_once, 0,
      G_N_ELEMENTS (paths));
  tcase_add_test (tc, a_path_that_begins_to_drop_large_packets_is_told);
  tcase_add_test (tc, each_path_is_judged_anew);
  tcase_add_test (tc, large_packets_that_a_queue_drops_are_no_narrow_path);
  tcase_add_test (tc, a_burst_of_losses_is_no_narrow_path);
  tcase_add_loop_test (tc,
      a_policer_passes_some_large_packets_and_a_narrow_path_none, 0, 2);
  suite_add_tcase (suite, tc);
  tc = tcase_create ("element");
  tcase_add_test (tc, an_answer_leaves_before_new_packets_at_the_same_rate);
  tcase_add_test (tc, a_report_may_name_the_ssrc_of_repair);
  tcase_add_test (tc, a_nack_goes_on_to_rtpbin_where_nothing_is_sent_again);
  tcase_add_test (tc, a_flood_of_nacks_is_bounded);
  tcase_add_loop_test (tc, a_key_frame_that_was_asked_for_replaces_answers, 0,
      4);
  tcase_add_loop_test (tc, nothing_is_repeated_of_a_stream_that_ended, 0, 2);
  suite_add_tcase (suite, tc);
  return suite;
}

GST_CHECK_MAIN (retransmitter);
