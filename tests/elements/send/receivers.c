/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow that several receivers get, each behind a link of its own, and that all report
 * by RFC 8888, or by reception reports: in virtual time. */

#include <gst/check/gstcheck.h>

#include "base/rng.h"
#include "send/flow.h"
#include "tfrc-wire-packet-feedback.h"
#include "units.h"

#define SECOND TFRC_SECOND
#define VIDEO 5u
#define SIZE 1000u
#define DELAY (25 * MS) /* one way */
#define QUEUE (100 * MS)
#define INTERVAL (50 * MS) /* of reports */
#define MAX_RECEIVERS 100
#define MAX_ARRIVALS 512

typedef struct
{
  guint32 ssrc;
  TfrcRate rate;    /* of its link [bytes/s] */
  TfrcTime free_at; /* the link's queue is empty */
  gboolean silent;
  guint64 lost;
  struct
  {
    guint16 seq;
    TfrcTime at;
  } arrivals[MAX_ARRIVALS]; /* not reported, by their order */
  guint n_arrivals;
  gdouble loses;   /* part of what its link carries */
  guint32 highest; /* number that arrived */
} Receiver;

typedef struct
{
  TfrcSendFlow flow;
  Receiver receivers[MAX_RECEIVERS];
  guint n;
  guint16 seq;
  guint64 bytes;
  TfrcTime now;
  TfrcSlowestReceiver told;
  guint32 ignored; /* of whom was told that */
  gboolean plain;  /* reports are reception reports */
  TfrcRng rng;
} World;

static World world;

static void
begin_with (guint n, const gdouble *kbits, GstRtpTfrcFeedback feedback)
{
  TfrcSendFlowConfig config = {
    .unicast = tfrc_sender_config_default (),
    .feedback = feedback,
    .delay_target = 8 * MS,
  };

  if (feedback == GST_RTP_TFRC_FEEDBACK_RR)
    config.unicast.start_rate = 300 * 125.0;
  world = (World) { .n = n, .now = SECOND };
  world.plain = feedback == GST_RTP_TFRC_FEEDBACK_RR;
  tfrc_rng_init (&world.rng, 1, 0);
  tfrc_send_flow_init (&world.flow);
  tfrc_send_flow_start (&world.flow, &config);
  for (guint i = 0; i < n; i++) {
    world.receivers[i].ssrc = 100 + i;
    world.receivers[i].rate = kbits[i] * 125.0;
  }
}

static void
begin (guint n, const gdouble *kbits)
{
  begin_with (n, kbits, GST_RTP_TFRC_FEEDBACK_CCFB);
}

static void
deliver (Receiver *receiver, guint16 seq)
{
  TfrcTime start = MAX (world.now, receiver->free_at);

  if (start - world.now > QUEUE || receiver->n_arrivals == MAX_ARRIVALS
      || (receiver->loses > 0
          && tfrc_rng_uniform (&world.rng) < receiver->loses)) {
    receiver->lost++;
    return;
  }
  receiver->free_at = start + tfrc_rate_time_for (receiver->rate, SIZE);
  receiver->highest = seq;
  if (world.plain)
    return;
  receiver->arrivals[receiver->n_arrivals].seq = seq;
  receiver->arrivals[receiver->n_arrivals++].at = receiver->free_at + DELAY;
}

/* What arrived before `made_at`, a way back ago. */
static void
report (Receiver *receiver, TfrcTime made_at)
{
  const TfrcPacketReport head = { .reporter_ssrc = receiver->ssrc,
    .clock = made_at,
    .clock_period = 65536 * SECOND };
  TfrcReportedPacket packets[MAX_ARRIVALS];
  TfrcPacketFeedbackReader reader;
  guint8 data[2048];
  gsize size, n_written;
  guint n = 0;

  for (; n < receiver->n_arrivals && receiver->arrivals[n].at <= made_at; n++)
    packets[n] = (TfrcReportedPacket) {
      .ssrc = VIDEO,
      .seq = receiver->arrivals[n].seq,
      .missing = n > 0
          ? (guint16) (receiver->arrivals[n].seq - packets[n - 1].seq - 1)
          : 0,
      .arrived = TRUE,
      .has_time = TRUE,
      .age = made_at - receiver->arrivals[n].at,
    };
  if (n == 0)
    return;
  size = tfrc_wire_write_ccfb (data, sizeof data, &head, packets, n,
      &n_written);
  receiver->n_arrivals -= (guint) n_written;
  memmove (receiver->arrivals, receiver->arrivals + n_written,
      receiver->n_arrivals * sizeof receiver->arrivals[0]);
  fail_unless_equals_int (tfrc_packet_feedback_reader_open_rtcp (&reader, data,
                              size),
      TFRC_WIRE_FEEDBACK);
  if (!receiver->silent)
    tfrc_send_flow_on_packet_feedback (&world.flow, &reader, world.now);
}

static void
report_losses (const Receiver *receiver)
{
  const RtpReportBlock block = {
    .reporter_ssrc = receiver->ssrc,
    .media_ssrc = VIDEO,
    .highest_seq = receiver->highest,
    .cumulative_lost = (gint32) receiver->lost,
  };

  tfrc_send_flow_on_blocks (&world.flow, &block, 1, NULL, 0, world.now);
}

/* Mean rate meanwhile [kbit/s]. */
static gdouble
run (TfrcDuration time)
{
  TfrcTime end = world.now + time;
  guint64 bytes = world.bytes;
  TfrcExtensionBytes extension;
  TfrcSlowestReceiver slowest;

  for (; world.now < end; world.now += MS) {
    tfrc_send_flow_on_deadline (&world.flow, world.now);
    if (tfrc_send_flow_poll_slowest (&world.flow, &slowest, world.now))
      world.told = slowest;
    if (world.told.ignored)
      world.ignored = world.told.ssrc;
    while (tfrc_send_flow_next_send_at (&world.flow) <= world.now) {
      const TfrcSentRtp packet = { VIDEO, world.seq, SIZE, FALSE, FALSE };

      tfrc_send_flow_charge (&world.flow, &packet, TRUE, &extension, world.now);
      for (guint i = 0; i < world.n; i++)
        deliver (&world.receivers[i], world.seq);
      world.seq++;
      world.bytes += SIZE;
    }
    /* One after the other. */
    for (guint i = 0; i < world.n; i++)
      if (world.plain && (world.now / MS + 37 * i) % 5000 == 0)
        report_losses (&world.receivers[i]);
      else if (!world.plain && (world.now / MS + 7 * i) % (INTERVAL / MS) == 0)
        report (&world.receivers[i], world.now - DELAY);
  }
  return (gdouble) (world.bytes - bytes) * 8e6 / (gdouble) time;
}

static void
end (void)
{
  tfrc_send_flow_clear (&world.flow);
}

static const gdouble three[] = { 2000, 1000, 600 };

static void
assert_within (gdouble kbits, gdouble least, gdouble most)
{
  fail_unless (kbits >= least && kbits <= most, "%.0f kbit/s", kbits);
}

/* Then what it had is the next one's, in whatever way it leaves. */
GST_START_TEST (the_receiver_that_takes_least_rules_until_it_leaves)
{
  gboolean says_so = __i__ == 1;
  Receiver *slowest = &world.receivers[2];
  guint64 lost;

  begin (3, three);
  run (5 * SECOND);
  lost = slowest->lost;
  assert_within (run (5 * SECOND), 540, 605);
  fail_unless_equals_uint64 (slowest->lost, lost);
  fail_unless_equals_int (world.told.ssrc, slowest->ssrc);
  fail_unless_equals_int (world.told.n_receivers, 3);
  slowest->silent = TRUE;
  if (says_so)
    tfrc_send_flow_on_bye (&world.flow, slowest->ssrc, world.now);
  run (4 * SECOND);
  assert_within (run (2 * SECOND), 900, 1005);
  fail_unless_equals_int (world.told.ssrc, world.receivers[1].ssrc);
  fail_unless_equals_int (world.told.n_receivers, 2);
  slowest->silent = FALSE;
  run (3 * SECOND);
  assert_within (run (3 * SECOND), 540, 605);
  end ();
}

GST_END_TEST;

/* What the first receiver loses whose link becomes slower than that of the last, which
 * ruled. */
static guint64
lose_at_step (guint n, const gdouble *kbits)
{
  guint64 lost;

  begin (n, kbits);
  run (8 * SECOND);
  lost = world.receivers[0].lost;
  world.receivers[0].rate = 300 * 125.0;
  run (SECOND);
  assert_within (run (4 * SECOND), 200, 350);
  end ();
  return world.receivers[0].lost - lost;
}

/* As if it were alone. */
GST_START_TEST (who_becomes_the_slowest_rules_within_a_second)
{
  const gdouble alone = 600;

  fail_unless (lose_at_step (3, three) <= lose_at_step (1, &alone) + 5);
}

GST_END_TEST;

/* More than are remembered: each is looked at in turn, at most seven a second. */
GST_START_TEST (of_a_hundred_the_slowest_is_found)
{
  static const guint slow[] = { 0, 37, 60, 99 };
  gdouble kbits[MAX_RECEIVERS];

  for (guint i = 0; i < MAX_RECEIVERS; i++)
    kbits[i] = 2000;
  kbits[slow[__i__]] = 600;
  begin (MAX_RECEIVERS, kbits);
  run (30 * SECOND);
  assert_within (run (5 * SECOND), 500, 1100);
  end ();
}

GST_END_TEST;

/* One that loses half of whatever is sent takes nothing from the others, and is told of:
 * X is up to a tenth above the link as it ever is, while it looks for more. */
GST_START_TEST (one_of_a_hundred_that_loses_half_is_ignored)
{
  gdouble kbits[MAX_RECEIVERS];

  for (guint i = 0; i < MAX_RECEIVERS; i++)
    kbits[i] = 2000;
  begin_with (MAX_RECEIVERS, kbits, GST_RTP_TFRC_FEEDBACK_RR);
  run (20 * SECOND);
  world.receivers[60].loses = 0.5;
  run (10 * SECOND);
  assert_within (run (20 * SECOND), 1700, 2200);
  fail_unless_equals_int (world.ignored, world.receivers[60].ssrc);
  end ();
}

GST_END_TEST;

static Suite *
receivers_suite (void)
{
  Suite *suite = suite_create ("receivers");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      the_receiver_that_takes_least_rules_until_it_leaves, 0, 2);
  tcase_add_test (tcase, who_becomes_the_slowest_rules_within_a_second);
  tcase_add_loop_test (tcase, of_a_hundred_the_slowest_is_found, 0, 4);
  tcase_add_test (tcase, one_of_a_hundred_that_loses_half_is_ignored);
  return suite;
}

GST_CHECK_MAIN (receivers);
