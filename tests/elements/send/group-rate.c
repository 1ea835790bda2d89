/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whom rtptfrcsend follows as the sender of a TFMCC group, and how fast. */

#include <math.h>

#include "send/group-fixture.h"
#include "units.h"

#define A 0xAAAA
#define B 0xBBBB

static gdouble
get_bitrate (SendFixture *f)
{
  GstStructure *stats;
  gdouble rate;

  g_object_get (f->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, "allowed-rate", &rate));
  gst_structure_free (stats);
  return 8 * rate;
}

static guint
get_uint (SendFixture *f, const gchar *name)
{
  GstStructure *stats;
  guint value;

  g_object_get (f->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

static guint
get_clr (SendFixture *f)
{
  return get_uint (f, "clr-ssrc");
}

/* The first packet leaves at START. */
static TfmccExtension
start_group (SendFixture *f)
{
  group_fixture_init (f);
  send_fixture_start (f, GROUP_AUDIO_CAPS);
  send_fixture_push_packets (f, 1);
  return group_fixture_pull_extension (f, NULL);
}

static void
report (SendFixture *f, guint32 ssrc, guint64 bitrate,
    const TfmccExtension *extension)
{
  TfmccReport report = group_fixture_make_report (f, ssrc, bitrate, extension,
      RTT);

  group_fixture_push_report (f, &report);
}

static guint
get_percentage (SendFixture *f)
{
  return get_uint (f, "fec-percentage");
}

static void
assert_loss_event_rate (SendFixture *f, gdouble expected)
{
  gdouble p = send_fixture_get_rate (f, "loss-event-rate");

  fail_unless (fabs (p - expected) <= 0.001 * expected, "p is %g", p);
}

/* The task posts with no lock held: statistics can be read there. */
static GstBusSyncReply
read_stats (GstBus *bus, GstMessage *message, gpointer f)
{
  if (gst_message_has_name (message, "tfmcc-clr"))
    send_fixture_get_stat (f, "clr-changes");
  return GST_BUS_PASS;
}

static void
assert_message (GstBus *bus, guint ssrc, guint previous_ssrc, guint64 bitrate,
    guint64 rtt, const gchar *reason)
{
  const GstStructure *structure;
  GstMessage *message;
  guint64 rtt_found, bitrate_found;
  guint found, previous;

  message = gst_bus_timed_pop_filtered (bus, 5 * GST_SECOND,
      GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL, "no message: %s", reason);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "tfmcc-clr"));
  fail_unless (gst_structure_get (structure, "ssrc", G_TYPE_UINT, &found,
          "previous-ssrc", G_TYPE_UINT, &previous, "bitrate", G_TYPE_UINT64,
          &bitrate_found, "rtt-ns", G_TYPE_UINT64, &rtt_found, NULL));
  assert_equals_string (gst_structure_get_string (structure, "reason"), reason);
  assert_equals_int (found, ssrc);
  assert_equals_int (previous, previous_ssrc);
  assert_equals_uint64 (bitrate_found, bitrate);
  assert_equals_uint64 (rtt_found, rtt);
  gst_message_unref (message);
}

/* 20 and 10 kbit/s are exact on the wire: 12.8 and 6.4 kbit/s times
 * (1 + 72/128).  X begins at a packet of 1400 bytes per 500 ms, 22.4 kbit/s.  B, once
 * lower than A, leaves 100 ms later; A follows, and is silent for ten times a packet's
 * time while packets go on. */
GST_START_TEST (each_change_of_the_limiting_receiver_is_told)
{
  TfmccReport leave;
  TfmccExtension extension;
  SendFixture f;

  extension = start_group (&f);
  gst_bus_set_sync_handler (f.bus, read_stats, &f, NULL);
  send_fixture_run_until (&f, START + 100 * MS);
  report (&f, A, 20000, &extension);
  assert_message (f.bus, A, 0, 20000, RTT, "first");
  send_fixture_run_until (&f, START + 200 * MS);
  report (&f, B, 10000, &extension);
  assert_message (f.bus, B, A, 10000, RTT, "lower");
  send_fixture_run_until (&f, START + 300 * MS);
  leave = group_fixture_make_report (&f, B, 10000, &extension, RTT);
  leave.leaving = TRUE;
  group_fixture_push_report (&f, &leave);
  assert_message (f.bus, A, B, 20000, RTT, "succeeded");
  assert_equals_uint64 (send_fixture_get_stat (&f, "leaves"), 1);

  group_fixture_run (&f, NULL, 0, START + 6 * S);
  assert_equals_int (get_clr (&f), 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "clr-timeouts"), 1);
  assert_message (f.bus, 0, A, (guint64) (get_bitrate (&f) + 0.5), 0,
      "timeout");

  report (&f, A, 20000, &extension);
  assert_message (f.bus, A, 0, 20000, RTT, "succeeded");
  leave = group_fixture_make_report (&f, A, 20000, &extension, RTT);
  leave.leaving = TRUE;
  group_fixture_push_report (&f, &leave);
  group_fixture_run (&f, NULL, 0, START + 12 * S);
  assert_equals_uint64 (send_fixture_get_stat (&f, "clr-timeouts"), 1);
  assert_message (f.bus, 0, A, (guint64) (get_bitrate (&f) + 0.5), 0, "left");
  send_fixture_clear (&f);
}

GST_END_TEST;

/* 100 bit/s is the least that a report can say.  32 kbit/s are packets of 450
 * bytes every 112.5 ms, 64 kbit/s every 56.25. */
GST_START_TEST (no_report_takes_the_rate_below_min_bitrate)
{
  const guint interval_us[] = { 112500, 56250 };
  TfmccExtension extension, last;
  SendFixture f;
  guint bitrate;

  group_fixture_init (&f);
  g_object_set (f.element, "min-bitrate", 32000, "max-queue-time", 10000, NULL);
  send_fixture_start (&f, GROUP_AUDIO_CAPS);
  send_fixture_push_packets (&f, 1);
  extension = group_fixture_pull_extension (&f, NULL);
  send_fixture_run_until (&f, START + 100 * MS);
  report (&f, A, 1, &extension);
  assert_equals_int (get_clr (&f), A);

  for (guint i = 0; i < 2; i++) {
    TfrcTime start = START + (1 + i) * S;

    g_object_set (f.element, "min-bitrate", 32000 * (1 + i), NULL);
    send_fixture_run_until (&f, start);
    send_fixture_push_packets (&f, 8);
    last = group_fixture_pull_extension (&f, NULL);
    send_fixture_run_until (&f, start + 950 * MS);
    for (guint j = 1; j < 8; j++, last = extension) {
      extension = group_fixture_pull_extension (&f, NULL);
      /* The first ones use up what time was saved. */
      if (j >= 3)
        assert_equals_int (extension.send_time_us - last.send_time_us,
            interval_us[i]);
    }
    g_object_get (f.element, "bitrate", &bitrate, NULL);
    assert_equals_int (bitrate, 32000 * (1 + i));
    assert_equals_uint64 (send_fixture_get_stat (&f, "smoothed-bitrate"),
        bitrate);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

/* 450 bytes in 22.5 ms and an RTT of 100 ms are p = 0.04, by hand: sqrt (2p/3) is
 * 0.1633, 12 sqrt (3p/8) p (1+32p^2) 0.0618, and 450 / 0.2251 / 100 ms = 19992
 * bytes/s, which is 160 kbit/s.  That needs 50 % of parity. */
static TfmccExtension
start_with_automatic_parity (SendFixture *f)
{
  TfmccExtension extension;

  group_fixture_init (f);
  g_object_set (f->element, "fec", -1, "min-bitrate", 100000, NULL);
  send_fixture_start (f, GROUP_AUDIO_CAPS);
  send_fixture_push_packets (f, 1);
  extension = group_fixture_pull_extension (f, NULL);
  send_fixture_run_until (f, START + 100 * MS);
  return extension;
}

static void
report_loss (SendFixture *f, guint32 ssrc, gdouble p,
    const TfmccExtension *extension)
{
  TfmccReport report = group_fixture_make_report (f, ssrc, 160000, extension,
      RTT);

  group_fixture_push_loss (f, &report, p);
}

/* B loses more than A, who limits the group, and reports once: for 10 s; that a rate is
 * withheld, as a queue is to be kept short, is no loss. */
GST_START_TEST (automatic_parity_is_for_who_loses_most)
{
  SendFixture f;
  TfmccExtension extension = start_with_automatic_parity (&f);

  report (&f, A, 80000, &extension);
  send_fixture_run_until (&f, START + 1500 * MS);
  send_fixture_push_packets (&f, 1);
  send_fixture_run_until (&f, START + 1510 * MS);
  assert_equals_int (get_percentage (&f), 0);
  report_loss (&f, B, 0.04, &extension);
  for (guint i = 2; i <= 14; i++) {
    report_loss (&f, A, 0.0064, &extension);
    send_fixture_push_packets (&f, 1);
    send_fixture_run_until (&f, START + i * 1000 * MS);
    assert_loss_event_rate (&f, i <= 11 ? 0.04 : 0.0064);
    if (i >= 4)
      assert_equals_int (get_percentage (&f), i <= 11 ? 50 : 23);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Three receivers that report at once are echoed by the next three packets,
 * the one that limits the group first, and it again when nobody waits. */
GST_START_TEST (reports_are_echoed_by_the_next_packets)
{
  const guint32 echoed[] = { A, B, B + 1, A };
  TfmccReport reports[3];
  TfmccExtension extension;
  SendFixture f;

  group_fixture_init (&f);
  g_object_set (f.element, "min-bitrate", 1000000, NULL);
  send_fixture_start (&f, GROUP_AUDIO_CAPS);
  send_fixture_push_packets (&f, 1);
  extension = group_fixture_pull_extension (&f, NULL);
  send_fixture_run_until (&f, START + RTT);
  for (guint i = 0; i < 3; i++) {
    reports[i] = group_fixture_make_report (&f, echoed[i], 1000000 * (i + 1),
        &extension, RTT);
    reports[i].has_rtt = FALSE;
    reports[i].report_time_us = 7000 * (i + 1);
    group_fixture_push_report (&f, &reports[i]);
  }
  for (guint i = 0; i < 4; i++) {
    guint held_ms = 5 * (i + 1);

    send_fixture_run_until (&f, START + RTT + held_ms * MS);
    send_fixture_push_packets (&f, 1);
    extension = group_fixture_pull_extension (&f, NULL);
    fail_unless (extension.has_echo);
    assert_equals_int (extension.echo.ssrc, echoed[i]);
    assert_equals_int (extension.echo.report_time_us,
        7000 * (i % 3 + 1) + 1000 * held_ms);
    assert_equals_int (extension.echo.is_clr, i % 3 == 0);
  }
  send_fixture_clear (&f);
}

GST_END_TEST;

/* The mode that is set in PLAYING waits for the next start. */
GST_START_TEST (another_mode_takes_a_restart)
{
  GstStructure *stats;
  SendFixture f;

  start_group (&f);
  gst_util_set_object_arg (G_OBJECT (f.element), "mode", "tfrc");
  send_fixture_run_until (&f, START + S);
  send_fixture_push_packets (&f, 1);
  group_fixture_pull_extension (&f, NULL);

  gst_element_set_state (f.element, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (f.element), "mode", "tfrc");
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  gst_pad_set_active (f.rtp->srcpad, FALSE);
  gst_pad_set_active (f.rtp->srcpad, TRUE);
  gst_harness_push_event (f.rtp, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (f.rtp, VIDEO_CAPS);
  send_fixture_push_packets (&f, 1);
  send_fixture_pull_packet (&f);
  g_object_get (f.element, "stats", &stats, NULL);
  assert_equals_string (gst_structure_get_string (stats, "mode"), "tfrc");
  fail_if (gst_structure_has_field (stats, "clr-ssrc"));
  gst_structure_free (stats);
  send_fixture_clear (&f);
}

GST_END_TEST;

GST_START_TEST (a_group_begins_with_start_bitrate)
{
  SendFixture f;

  group_fixture_init (&f);
  g_object_set (f.element, "start-bitrate", 300000, NULL);
  send_fixture_start (&f, GROUP_AUDIO_CAPS);
  send_fixture_push_packets (&f, 1);
  group_fixture_pull_extension (&f, NULL);
  fail_unless_equals_float (get_bitrate (&f), 300000);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Packets are gone; numbers, the CLR and the echo that it is owed stay. */
GST_START_TEST (a_flush_leaves_the_group_alone)
{
  GstSegment segment;
  TfmccExtension extension;
  SendFixture f;
  guint16 before, seq;

  group_fixture_init (&f);
  send_fixture_start (&f, GROUP_AUDIO_CAPS);
  send_fixture_push_packets (&f, 3);
  extension = group_fixture_pull_extension (&f, &before);
  send_fixture_run_until (&f, START + RTT);
  report (&f, A, 20000, &extension);
  gst_harness_push_event (f.rtp, gst_event_new_flush_start ());
  gst_harness_push_event (f.rtp, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f.rtp, gst_event_new_segment (&segment));
  assert_equals_uint64 (send_fixture_get_stat (&f, "queue-packets"), 0);
  assert_equals_int (get_clr (&f), A);
  send_fixture_push_packets (&f, 1);
  send_fixture_run_until (&f, START + S);
  extension = group_fixture_pull_extension (&f, &seq);
  assert_equals_int (seq, (guint16) (before + 1));
  fail_unless (extension.has_echo && extension.echo.ssrc == A);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* At 22.4 kbit/s packets of 450 bytes are 161 ms apart. */
GST_START_TEST (eos_leaves_behind_the_packets)
{
  GstEvent *event = NULL;
  SendFixture f;

  group_fixture_init (&f);
  send_fixture_start (&f, GROUP_AUDIO_CAPS);
  send_fixture_push_packets (&f, 3);
  gst_harness_push_event (f.rtp, gst_event_new_eos ());
  group_fixture_pull_extension (&f, NULL);
  send_fixture_run_until (&f, START + 170 * MS);
  group_fixture_pull_extension (&f, NULL);
  while ((event = gst_harness_try_pull_event (f.rtp)) != NULL) {
    fail_if (GST_EVENT_TYPE (event) == GST_EVENT_EOS);
    gst_event_unref (event);
  }
  send_fixture_run_until (&f, START + 330 * MS);
  group_fixture_pull_extension (&f, NULL);
  event = gst_harness_pull_event (f.rtp);
  assert_equals_int (GST_EVENT_TYPE (event), GST_EVENT_EOS);
  gst_event_unref (event);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* Runs until the rate has reached `bitrate`; how long that took. */
static TfrcDuration
run_to_bitrate (SendFixture *f, GroupMember *member, gdouble bitrate,
    TfrcDuration at_most)
{
  TfrcTime start = gst_clock_get_time (GST_CLOCK (f->clock)), now = start;

  while (get_bitrate (f) < bitrate) {
    fail_unless (now - start < at_most, "%.0f bit/s after %" GST_TIME_FORMAT,
        get_bitrate (f), GST_TIME_ARGS (now - start));
    now += 100 * MS;
    group_fixture_run (f, member, 1, now);
  }
  return now - start;
}

/* Nobody listens: the floor.  The first receiver, and the next after nobody
 * was left, lift it to ten times that, in some rounds of slow start: 11.1 and
 * 8.4 s were measured; the bounds leave room for other timers. */
GST_START_TEST (the_first_receiver_lifts_a_group_from_its_floor)
{
  GroupMember member = { 0 };
  SendFixture f;

  group_fixture_init (&f);
  g_object_set (f.element, "min-bitrate", 32000, NULL);
  send_fixture_start (&f, GROUP_AUDIO_CAPS);
  group_fixture_run (&f, NULL, 0, START + 60 * S);
  fail_unless (get_bitrate (&f) == 32000);
  assert_equals_uint64 (send_fixture_get_stat (&f, "state"), 0);

  group_member_join (&member, A);
  run_to_bitrate (&f, &member, 320000, 16 * S);
  assert_equals_int (get_clr (&f), A);

  member.present = FALSE;
  group_fixture_run (&f, &member, 1, START + 180 * S);
  fail_unless (get_bitrate (&f) == 32000);
  assert_equals_int (get_clr (&f), 0);
  assert_equals_uint64 (send_fixture_get_stat (&f, "state"), 3);

  group_member_join (&member, B);
  run_to_bitrate (&f, &member, 320000, 12 * S);
  assert_equals_int (get_clr (&f), B);
  send_fixture_clear (&f);
}

GST_END_TEST;

/* In a minute of PAUSED nobody can answer: no receiver is given up for that, no
 * rate is halved for silence, and slow start leads back to what it was. */
GST_START_TEST (a_group_survives_a_pause)
{
  GroupMember member = { 0 };
  guint64 starvations, timeouts;
  SendFixture f;

  group_fixture_init (&f);
  g_object_set (f.element, "min-bitrate", 32000, NULL);
  send_fixture_start (&f, GROUP_AUDIO_CAPS);
  group_member_join (&member, A);
  run_to_bitrate (&f, &member, 320000, 30 * S);
  starvations = send_fixture_get_stat (&f, "starvations");
  timeouts = send_fixture_get_stat (&f, "clr-timeouts");

  gst_element_set_state (f.element, GST_STATE_PAUSED);
  group_fixture_run (&f, &member, 1,
      gst_clock_get_time (GST_CLOCK (f.clock)) + 60 * S);
  assert_equals_uint64 (send_fixture_get_stat (&f, "clr-timeouts"), timeouts);
  assert_equals_int (get_clr (&f), A);
  gst_element_set_state (f.element, GST_STATE_PLAYING);
  group_fixture_run (&f, &member, 1,
      gst_clock_get_time (GST_CLOCK (f.clock)) + 100 * MS);
  fail_unless (get_bitrate (&f) < 320000);
  run_to_bitrate (&f, &member, 320000, 10 * S);
  assert_equals_uint64 (send_fixture_get_stat (&f, "starvations"), starvations);
  assert_equals_uint64 (send_fixture_get_stat (&f, "clr-timeouts"), timeouts);
  send_fixture_clear (&f);
}

GST_END_TEST;

static Suite *
rtptfrcsendgrouprate_suite (void)
{
  Suite *suite = suite_create ("rtptfrcsendgrouprate");
  TCase *clr = tcase_create ("clr");
  TCase *rate = tcase_create ("rate");

  tcase_add_test (clr, each_change_of_the_limiting_receiver_is_told);
  tcase_add_test (clr, reports_are_echoed_by_the_next_packets);
  suite_add_tcase (suite, clr);
  tcase_add_test (rate, no_report_takes_the_rate_below_min_bitrate);
  tcase_add_test (rate, automatic_parity_is_for_who_loses_most);
  tcase_add_test (rate, another_mode_takes_a_restart);
  tcase_add_test (rate, a_group_begins_with_start_bitrate);
  tcase_add_test (rate, a_flush_leaves_the_group_alone);
  tcase_add_test (rate, eos_leaves_behind_the_packets);
  tcase_add_test (rate, the_first_receiver_lifts_a_group_from_its_floor);
  tcase_add_test (rate, a_group_survives_a_pause);
  suite_add_tcase (suite, rate);
  return suite;
}

GST_CHECK_MAIN (rtptfrcsendgrouprate);
