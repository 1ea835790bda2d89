/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who reports to a group's sender, and who of them is too slow, in virtual time. */

#include <gst/check/gstcheck.h>
#include <math.h>

#include "base/units.h"
#include "common/stats.h"
#include "send/flow.h"

#define SECOND TFRC_SECOND
#define LEAST 4000.0 /* bytes/s: 32 kbit/s */

static void
report (TfmccReporters *self, guint32 ssrc, TfrcRate rate, TfrcTime now)
{
  const TfmccReport sent = { .ssrc = ssrc, .rate = rate, .has_loss = true };

  tfmcc_reporters_on_report (self, &sent, 0, 50 * TFRC_MILLISECOND,
      "192.0.2.1:5004", LEAST, now);
}

static gboolean
poll (TfmccReporters *self, TfmccReporter *slow)
{
  const TfmccReporter *found = tfmcc_reporters_poll_slow (self);

  if (found != NULL)
    *slow = *found;
  return found != NULL;
}

/* Each second from 0 on: told with the report of second 10, and once; again when it has
 * been fast enough in between. */
GST_START_TEST (a_receiver_that_is_slow_for_ten_seconds_is_told)
{
  TfmccReporters self = { 0 };
  TfmccReporter slow;
  guint told = 0;

  for (guint i = 0; i <= 20; i++) {
    report (&self, 7, LEAST - 1, i * SECOND);
    report (&self, 8, LEAST, i * SECOND);
    if (poll (&self, &slow)) {
      fail_unless_equals_int (i, 10);
      fail_unless_equals_int (slow.ssrc, 7);
      fail_unless_equals_string (slow.address, "192.0.2.1:5004");
      fail_unless_equals_float (slow.rate, LEAST - 1);
      fail_unless_equals_uint64 (i * SECOND - slow.slow_since, 10 * SECOND);
      told++;
    }
  }
  fail_unless_equals_int (told, 1);
  /* Twice as long as it was slow, from 0 to 20. */
  for (guint i = 21; i <= 61; i++)
    report (&self, 7, LEAST, i * SECOND);
  for (guint i = 62; i < 72; i++) {
    report (&self, 7, 1, i * SECOND);
    fail_if (poll (&self, &slow));
  }
  report (&self, 7, 1, 72 * SECOND);
  fail_unless (poll (&self, &slow));
}

GST_END_TEST;

/* A second slow, a second fast: half a second remains of each two; a quarter of the time,
 * nothing. */
GST_START_TEST (a_receiver_that_flaps_is_told)
{
  TfmccReporters self = { 0 };
  TfmccReporter slow;
  guint told_at = 0;

  for (guint i = 1; i <= 1000 && told_at == 0; i++) {
    TfrcTime now = i * SECOND / 10;

    report (&self, 7, i / 10 % 2 == 0 ? 1 : LEAST, now);
    report (&self, 8, i / 10 % 4 == 0 ? 1 : LEAST, now);
    while (poll (&self, &slow)) {
      fail_unless_equals_int (slow.ssrc, 7);
      told_at = i;
    }
  }
  fail_unless (told_at > 300 && told_at < 420, "%u", told_at);
}

GST_END_TEST;

/* In slow start it reports twice what came, which a source may have made little of. */
/* Another SSRC and port each second, three reports each, with a leave or without: told
 * behind ten seconds, once.  That of another host is not taken for it. */
GST_START_TEST (a_receiver_that_comes_back_as_another_is_told)
{
  for (guint leaves = 0; leaves < 2; leaves++) {
    TfmccReporters self = { 0 };
    TfmccReporter slow;
    guint told = 0;

    for (guint i = 0; i < 60; i++) {
      TfrcTime now = 100 * SECOND + i * SECOND / 3;
      TfmccReport sent = { .ssrc = 50 + i / 3, .rate = 1, .has_loss = true };
      gchar *address = g_strdup_printf ("192.0.2.1:%u", 5000 + i / 3);

      tfmcc_reporters_on_report (&self, &sent, 0, 50 * TFRC_MILLISECOND,
          address, LEAST, now);
      if (poll (&self, &slow)) {
        fail_unless (i >= 30 && i < 33);
        fail_unless_equals_int (slow.ssrc, 50 + i / 3);
        fail_unless_equals_string (slow.address, address);
        told++;
      }
      sent.leaving = true;
      if (leaves && i % 3 == 2)
        tfmcc_reporters_on_report (&self, &sent, 0, 0, address, LEAST, now);
      g_free (address);
    }
    fail_unless_equals_int (told, 1);
    tfmcc_reporters_on_report (&self,
        &(TfmccReport) { .ssrc = 7, .rate = 1, .has_loss = true }, 0,
        50 * TFRC_MILLISECOND, "192.0.2.10:5004", LEAST, 120 * SECOND);
    fail_unless_equals_uint64 (self.reporters[0].slow_since, 120 * SECOND);
  }
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_has_lost_nothing_is_not_slow)
{
  const TfmccReport sent = { .ssrc = 7, .rate = 1 };
  TfmccReporters self = { 0 };
  TfmccReporter slow;

  for (guint i = 0; i <= 20; i++)
    tfmcc_reporters_on_report (&self, &sent, 0, 0, NULL, LEAST, i * SECOND);
  fail_if (poll (&self, &slow));
}

GST_END_TEST;

/* Two reports, ten seconds apart, say nothing of the time in between. */
GST_START_TEST (silence_is_not_slow)
{
  TfmccReporters self = { 0 };
  TfmccReporter slow;

  report (&self, 7, 1, 0);
  report (&self, 7, 1, 11 * SECOND);
  fail_if (poll (&self, &slow));
  fail_if (poll (&self, &slow));
}

GST_END_TEST;

static void
report_loss (TfmccReporters *self, guint32 ssrc, gdouble p, TfrcTime now)
{
  const TfmccReport sent = { .ssrc = ssrc, .rate = LEAST, .has_loss = true };

  tfmcc_reporters_on_report (self, &sent, p, 0, NULL, LEAST, now);
}

/* Of whoever it is, for 10 s, and of a thousandth on. */
GST_START_TEST (the_largest_loss_of_late_counts)
{
  TfmccReporters self = { 0 };

  report_loss (&self, 7, 0.0009, 0);
  fail_unless_equals_float (tfmcc_reporters_get_loss_event_rate (&self, 0), 0);
  report_loss (&self, 7, 0.03, 0);
  report_loss (&self, 8, 0.01, SECOND);
  fail_unless_equals_float (tfmcc_reporters_get_loss_event_rate (&self,
                                10 * SECOND),
      0.03);
  fail_unless_equals_float (tfmcc_reporters_get_loss_event_rate (&self,
                                11 * SECOND),
      0.01);
  fail_unless_equals_float (tfmcc_reporters_get_loss_event_rate (&self,
                                12 * SECOND),
      0);
  fail_unless (tfmcc_reporters_exclude (&self, 7, NULL));
  fail_unless_equals_float (tfmcc_reporters_get_loss_event_rate (&self, SECOND),
      0.01);
}

GST_END_TEST;

static void
report_blocks (TfmccReporters *self, guint8 of_video, guint8 of_sound,
    TfrcTime now)
{
  const RtpReportBlock blocks[] = {
    { .reporter_ssrc = 7, .fraction_lost = of_sound },
    { .reporter_ssrc = 7, .fraction_lost = of_video },
  };

  tfmcc_reporters_on_blocks (self, blocks, 2, "192.0.2.1:5005", 256e3, now);
}

/* Of a quarter lost, each 5 s; of less than a twentieth nothing is told. */
GST_START_TEST (who_reports_by_rtcp_alone_is_slow_where_it_loses)
{
  TfmccReporters self = { 0 };
  TfmccReporter slow;

  for (guint i = 1; i <= 10; i++) {
    report_blocks (&self, 12, 0, i * 5 * SECOND);
    fail_if (poll (&self, &slow));
  }
  for (guint i = 11; i <= 20; i++) {
    report_blocks (&self, 64, 0, i * 5 * SECOND);
    fail_unless (poll (&self, &slow) == (i == 13));
  }
  fail_unless_equals_int (slow.ssrc, 7);
  fail_unless (slow.rr_only);
  fail_unless_equals_float (slow.rate, 192e3);
  fail_unless_equals_string (slow.address, "192.0.2.1:5005");
}

GST_END_TEST;

/* Its reports say more. */
GST_START_TEST (regular_rtcp_of_a_reporter_says_nothing)
{
  TfmccReporters self = { 0 };
  TfmccReporter slow;

  for (guint i = 1; i <= 20; i++) {
    report (&self, 7, LEAST, i * SECOND);
    report_blocks (&self, 200, 200, i * SECOND);
    fail_if (poll (&self, &slow));
  }
  fail_unless_equals_int (self.n_reporters, 1);
  fail_if (self.reporters[0].rr_only);
  /* From now on it is plain: until it reports. */
  self.n_reporters = 0;
  report_blocks (&self, 200, 0, 21 * SECOND);
  fail_unless (self.reporters[0].rr_only);
  report (&self, 7, LEAST, 22 * SECOND);
  fail_if (self.reporters[0].rr_only);
}

GST_END_TEST;

static void
report_plain (TfmccReporters *self, guint32 ssrc, guint8 lost, TfrcTime now)
{
  const RtpReportBlock block = { .reporter_ssrc = ssrc, .fraction_lost = lost };

  tfmcc_reporters_on_blocks (self, &block, 1, NULL, 256e3, now);
}

/* 40 that report by RTCP alone, each 5 s, and the one that limits the group: those that
 * came first stay and are told of, and it is not forgotten. */
GST_START_TEST (who_reports_by_rtcp_alone_pushes_nobody_out)
{
  TfmccReporters self = { 0 };
  TfmccReporter slow;
  const TfmccReport sent = { .ssrc = 7, .rate = LEAST, .has_loss = true };
  guint told = 0;

  tfmcc_reporters_on_report (&self, &sent, 0.05, 50 * TFRC_MILLISECOND, NULL,
      LEAST, SECOND);
  for (guint i = 1; i <= 4; i++) {
    for (guint32 ssrc = 101; ssrc <= 140; ssrc++)
      report_plain (&self, ssrc, 64, i * 5 * SECOND);
    while (poll (&self, &slow))
      told++;
  }
  fail_unless_equals_int (told, TFMCC_REPORTERS_MAX - 1);
  fail_unless_equals_int (self.n_reporters, TFMCC_REPORTERS_MAX);
  fail_unless_equals_float (tfmcc_reporters_get_loss_event_rate (&self,
                                10 * SECOND),
      0.05);
  /* Whoever reports as TFMCC has it takes the place of one of them, and who comes when
   * they are gone, too. */
  report (&self, 8, LEAST, 20 * SECOND);
  fail_unless_equals_int (self.reporters[TFMCC_REPORTERS_MAX - 1].ssrc, 7);
  report_plain (&self, 200, 64, 60 * SECOND);
  fail_unless_equals_int (self.reporters[0].ssrc, 200);
  fail_unless_equals_int (self.reporters[TFMCC_REPORTERS_MAX - 1].ssrc, 7);
}

GST_END_TEST;

GST_START_TEST (a_bye_ends_who_reports_by_rtcp_alone)
{
  TfmccReporters self = { 0 };

  report (&self, 7, LEAST, SECOND);
  report_plain (&self, 8, 64, SECOND);
  tfmcc_reporters_on_bye (&self, 7);
  tfmcc_reporters_on_bye (&self, 8);
  tfmcc_reporters_on_bye (&self, 9);
  fail_unless_equals_int (self.n_reporters, 1);
  fail_unless_equals_int (self.reporters[0].ssrc, 7);
}

GST_END_TEST;

/* At 0 and 60 s, and nothing in between. */
GST_START_TEST (who_comes_back_by_rtcp_alone_counts_anew)
{
  TfmccReporters self = { 0 };
  TfmccReporter slow;

  report_plain (&self, 7, 64, 1);
  report_plain (&self, 7, 64, 60 * SECOND);
  fail_if (poll (&self, &slow));
  report_plain (&self, 7, 64, 70 * SECOND);
  fail_unless (poll (&self, &slow));
}

GST_END_TEST;

GST_START_TEST (whoever_leaves_or_is_excluded_is_no_reporter)
{
  TfmccReporters self = { 0 };
  const TfmccReport leave = { .ssrc = 7, .rate = 1, .leaving = true };

  report (&self, 7, 1, 0);
  report (&self, 8, 1, 0);
  fail_unless_equals_int (self.n_reporters, 2);
  tfmcc_reporters_on_report (&self, &leave, 0, 0, NULL, LEAST, SECOND);
  fail_unless_equals_int (self.n_reporters, 1);
  fail_unless (tfmcc_reporters_exclude (&self, 8, NULL));
  fail_unless_equals_int (self.n_reporters, 0);
  fail_unless (tfmcc_reporters_is_excluded (&self, 8, NULL));
  fail_if (tfmcc_reporters_is_excluded (&self, 7, NULL));
  fail_unless (tfmcc_reporters_exclude (&self, 8, NULL));
  fail_unless_equals_int (self.n_excluded, 1);
  fail_unless (tfmcc_reporters_admit (&self, 8, NULL));
  fail_if (tfmcc_reporters_admit (&self, 8, NULL));
  fail_if (tfmcc_reporters_is_excluded (&self, 8, NULL));
}

GST_END_TEST;

/* Whatever its port and SSRC are, and however the address is written. */
GST_START_TEST (an_address_is_excluded_with_all_its_ssrcs)
{
  static const gchar *const forms[] = { "192.0.2.1", "192.0.2.1:9",
    "::ffff:192.0.2.1", "[::ffff:192.0.2.1]:9" };
  static const gchar *const sixes[] = { "2001:db8::7", "2001:0db8:0::7",
    "[2001:db8::7]:5004", "2001:db8::7%2", "[2001:db8::7%2]:9" };
  TfmccReporters self = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
    report (&self, 7, 1, 0);
    report (&self, 8, 1, 0);
    fail_unless (tfmcc_reporters_exclude (&self, 0, forms[i]));
    fail_unless_equals_int (self.n_reporters, 0);
    fail_unless (tfmcc_reporters_is_excluded (&self, 9, "192.0.2.1:5006"));
    fail_unless (tfmcc_reporters_is_excluded (&self, 9,
        "[::ffff:192.0.2.1]:5006"));
    fail_if (tfmcc_reporters_is_excluded (&self, 9, "192.0.2.10:5006"));
    fail_if (tfmcc_reporters_is_excluded (&self, 0, NULL));
    fail_unless (tfmcc_reporters_admit (&self, 0, "192.0.2.1:1"));
    fail_if (tfmcc_reporters_admit (&self, 0, forms[i]));
  }
  for (guint i = 0; i < G_N_ELEMENTS (sixes); i++) {
    fail_unless (tfmcc_reporters_exclude (&self, 0, sixes[i]));
    fail_unless_equals_int (self.n_excluded, 1);
    fail_unless (tfmcc_reporters_is_excluded (&self, 9, sixes[i]));
  }
  fail_if (tfmcc_reporters_exclude (&self, 0, "receiver.example"));
  fail_if (tfmcc_reporters_exclude (&self, 0, ""));
  fail_if (tfmcc_reporters_exclude (&self, 0, "[:"));
}

GST_END_TEST;

/* Of a flood the newest stay, and no more than 64 are excluded. */
GST_START_TEST (nothing_grows)
{
  TfmccReporters self = { 0 };

  for (guint32 ssrc = 1; ssrc <= 1000; ssrc++)
    report (&self, ssrc, 1, ssrc * TFRC_MILLISECOND);
  fail_unless_equals_int (self.n_reporters, TFMCC_REPORTERS_MAX);
  fail_unless_equals_int (self.reporters[0].ssrc, 1000);
  fail_unless_equals_int (self.reporters[TFMCC_REPORTERS_MAX - 1].ssrc,
      1001 - TFMCC_REPORTERS_MAX);
  for (guint32 ssrc = 1; ssrc <= TFMCC_EXCLUDED_MAX; ssrc++)
    fail_unless (tfmcc_reporters_exclude (&self, ssrc, NULL));
  fail_if (tfmcc_reporters_exclude (&self, 5000, NULL));
  fail_unless (tfmcc_reporters_admit (&self, 1, NULL));
  fail_unless (tfmcc_reporters_exclude (&self, 5000, NULL));
}

GST_END_TEST;

/* 4000 bytes/s are 32,000 bits/s. */
GST_START_TEST (statistics_name_them)
{
  GstStructure *stats = tfrc_stats_new (TFRC_STATS_SEND_GROUP);
  TfmccReporters self = { 0 };
  const GstStructure *reporter;
  guint64 bitrate, age;
  const GValue *array;
  guint ssrc;

  report (&self, 7, LEAST, 0);
  report (&self, 8, LEAST, SECOND);
  tfmcc_reporters_set_stats (&self, stats, 3 * SECOND);
  array = gst_structure_get_value (stats, "reporters");
  fail_unless_equals_int (gst_value_array_get_size (array), 2);
  reporter = gst_value_get_structure (gst_value_array_get_value (array, 0));
  fail_unless (gst_structure_get (reporter, "ssrc", G_TYPE_UINT, &ssrc,
      "bitrate", G_TYPE_UINT64, &bitrate, "age-ns", G_TYPE_UINT64, &age, NULL));
  fail_unless_equals_int (ssrc, 8);
  fail_unless_equals_uint64 (bitrate, 32000);
  fail_unless_equals_uint64 (age, 2 * SECOND);
  gst_structure_free (stats);
}

GST_END_TEST;

#define VIDEO 5u

static TfrcSendFlow flow;

static void
setup (void)
{
  tfrc_send_flow_init (&flow);
}

static void
teardown (void)
{
  tfrc_send_flow_clear (&flow);
}

static TfrcResult
report_from (const gchar *address, guint32 ssrc, TfrcRate rate, TfrcTime now)
{
  const TfmccReport sent = {
    .ssrc = ssrc,
    .media_ssrc = VIDEO,
    .rate = rate,
    .has_rtt = true,
    .has_loss = true,
    .round = flow.group.sender.round.number,
    .echo_time_us = (uint32_t) ((now - 50 * TFRC_MILLISECOND)
        / TFRC_MICROSECOND),
  };

  return tfmcc_send_flow_on_report (&flow.group, &sent, 0, address, now);
}

static TfrcResult
report_to_flow (guint32 ssrc, TfrcTime now)
{
  return report_from (NULL, ssrc, 200e3, now);
}

/* Each 10 ms a packet leaves until `end`, and receiver 7 can take 200 kB/s. */
static void
send_until (guint16 *seq, TfrcTime *now, TfrcTime end)
{
  TfrcExtensionBytes extension;

  for (; *now < end; *now += 10 * TFRC_MILLISECOND) {
    const TfrcSentRtp packet = { .ssrc = VIDEO, .seq = *seq, .size = 1000 };

    tfrc_send_flow_charge (&flow, &packet, TRUE, &extension, *now);
    tfrc_send_flow_on_deadline (&flow, *now);
    if (*seq % 10 == 0)
      report_to_flow (7, *now);
    *seq += 1;
  }
}

static void
report_loss_to_flow (guint32 ssrc, guint16 seq, guint8 lost, TfrcTime now)
{
  const RtpReportBlock block = {
    .reporter_ssrc = ssrc,
    .media_ssrc = VIDEO,
    .highest_seq = (guint16) (seq - 10),
    .fraction_lost = lost,
  };

  tfrc_send_flow_on_blocks (&flow, &block, 1, NULL, 0, now);
}

static void
report_half_to_flow (guint32 ssrc, guint16 seq, TfrcTime now)
{
  report_loss_to_flow (ssrc, seq, 128, now);
}

/* A receiver of 1 kB/s comes back with another SSRC and port each second: excluded by
 * SSRC (0), it is the CLR again; by address (1), never. */
GST_START_TEST (who_comes_back_as_another_is_excluded_by_its_address)
{
  const TfrcSendFlowConfig config = {
    .mode = GST_TFRC_MODE_TFMCC,
    .unicast = tfrc_sender_config_default (),
    .feedback = GST_RTP_TFRC_FEEDBACK_AUTO,
    .group = tfmcc_sender_config_default (),
  };
  const TfmccSender *sender = &flow.group.sender;
  TfrcTime now = SECOND;
  guint16 seq = 0;

  tfrc_send_flow_start (&flow, &config);
  send_until (&seq, &now, 5 * SECOND);
  for (guint32 ssrc = 100; ssrc < 105; ssrc++) {
    g_autofree gchar *address = g_strdup_printf ("192.0.2.1:%u", ssrc);
    gboolean known = __i__ == 1 && ssrc > 100;

    fail_unless_equals_int (report_from (address, ssrc, 1e3, now),
        known ? TFRC_STALE : TFRC_OK);
    fail_unless (tfmcc_clr_choice_is (&sender->clr, known ? 7 : ssrc));
    fail_unless (tfmcc_send_flow_exclude (&flow.group, ssrc,
        __i__ == 1 ? address : NULL, now));
    fail_unless (tfmcc_clr_choice_is (&sender->clr, 7));
    send_until (&seq, &now, now + SECOND);
  }
  fail_unless_equals_int (flow.group.reporters.n_excluded, __i__ == 1 ? 1 : 5);
  fail_unless_equals_int (flow.group.reporters.n_reporters, 1);
}

GST_END_TEST;

typedef enum
{
  STAYS,
  IS_SILENT,
  SAYS_BYE,
  REPORTS_ITSELF,
  IS_EXCLUDED,
  NINE_MORE_COME,
  IS_THE_NINTH,
  IS_NOT_HEEDED,
  N_ENDS
} End;

/* Of what is sent, 100 kB/s, a member gets a half: X is no more than 42.5 kB/s until it
 * is gone, or reports as others do, or eight others were there first. */
GST_START_TEST (who_reports_by_rtcp_alone_limits_the_rate)
{
  const End end = (End) __i__;
  TfrcSendFlowConfig config = {
    .mode = GST_TFRC_MODE_TFMCC,
    .unicast = tfrc_sender_config_default (),
    .feedback = end == IS_NOT_HEEDED ? GST_RTP_TFRC_FEEDBACK_TFRC
                                     : GST_RTP_TFRC_FEEDBACK_AUTO,
    .group = tfmcc_sender_config_default (),
  };
  TfrcTime now = SECOND;
  guint16 seq = 65000;

  tfrc_send_flow_start (&flow, &config);
  send_until (&seq, &now, 10 * SECOND);
  for (guint32 ssrc = 10; end == IS_THE_NINTH && ssrc < 18; ssrc++)
    report_loss_to_flow (ssrc, seq, 0, now);
  report_half_to_flow (8, seq, now);
  fail_unless (isinf (flow.group.sender.limit)
      == (end == IS_NOT_HEEDED || end == IS_THE_NINTH));
  if (end == SAYS_BYE)
    tfrc_send_flow_on_bye (&flow, 8, now);
  if (end == REPORTS_ITSELF)
    report_to_flow (8, now);
  if (end == IS_EXCLUDED)
    tfmcc_send_flow_exclude (&flow.group, 8, NULL, now);
  for (guint32 ssrc = 10; end == NINE_MORE_COME && ssrc < 19; ssrc++)
    report_half_to_flow (ssrc, seq, now);
  send_until (&seq, &now, 20 * SECOND);
  if (end == IS_SILENT)
    send_until (&seq, &now, 30 * SECOND);
  if (end == STAYS || end == NINE_MORE_COME)
    fail_unless (tfmcc_sender_get_rate (&flow.group.sender, now) <= 42.6e3);
  else
    fail_unless (tfmcc_sender_get_rate (&flow.group.sender, now) >= 100e3);
}

GST_END_TEST;

/* Whose place somebody has who was silent for half a minute. */
GST_START_TEST (the_ninth_limits_when_another_is_gone)
{
  TfrcSendFlowConfig config = { .mode = GST_TFRC_MODE_TFMCC,
    .unicast = tfrc_sender_config_default (),
    .feedback = GST_RTP_TFRC_FEEDBACK_AUTO,
    .group = tfmcc_sender_config_default () };
  TfrcTime now = SECOND;
  guint16 seq = 65000;

  tfrc_send_flow_start (&flow, &config);
  send_until (&seq, &now, 10 * SECOND);
  for (guint32 ssrc = 10; ssrc < 18; ssrc++)
    report_loss_to_flow (ssrc, seq, 0, now);
  send_until (&seq, &now, 30 * SECOND);
  for (guint32 ssrc = 11; ssrc < 18; ssrc++)
    report_loss_to_flow (ssrc, seq, 0, now);
  report_half_to_flow (8, seq, now);
  fail_unless (isinf (flow.group.sender.limit));
  send_until (&seq, &now, 41 * SECOND);
  report_half_to_flow (8, seq, now);
  fail_if (isinf (flow.group.sender.limit));
  /* The one that comes back is the ninth now. */
  tfrc_send_flow_on_bye (&flow, 8, now);
  report_loss_to_flow (8, seq, 0, now);
  report_half_to_flow (10, seq, now);
  fail_unless (isinf (flow.group.sender.limit));
}

GST_END_TEST;

/* A member that reports by RTCP alone each 5 s, 50 ms away, behind a link of which half a
 * second fits into the queue. */
typedef struct
{
  guint32 ssrc;
  TfrcRate link;
  gdouble room; /* [bytes] */
  gint32 lost;
  guint32 expected, lost_before, expected_before;
  guint16 newest;
  RtpReportBlock block; /* on its way */
} Plain;

static void
give_packet (Plain *self, guint16 seq)
{
  self->expected++;
  self->newest = seq;
  if (self->room < 1000)
    self->lost++;
  else
    self->room -= 1000;
}

static void
make_block (Plain *self)
{
  guint32 expected = self->expected - self->expected_before;
  guint32 lost = (guint32) self->lost - self->lost_before;

  self->block = (RtpReportBlock) {
    .reporter_ssrc = self->ssrc,
    .media_ssrc = VIDEO,
    .highest_seq = self->newest,
    .cumulative_lost = self->lost,
    .fraction_lost = (guint8) (expected > 0 ? 255 * lost / expected : 0),
  };
  self->expected_before = self->expected;
  self->lost_before = (guint32) self->lost;
}

/* As much as may be sent, until `end`; a frame of 33 ms at once.  Returns how much it was
 * in the last 20 s [bytes/s]. */
static TfrcRate
send_to_plain (Plain *members, guint n, guint16 *seq, TfrcTime *now,
    TfrcTime end)
{
  TfrcExtensionBytes extension;
  gdouble sent = 0;

  for (; *now < end; *now += TFRC_MILLISECOND) {
    tfrc_send_flow_on_deadline (&flow, *now);
    for (guint i = 0; i < n; i++) {
      Plain *member = &members[i];

      member->room = MIN (member->room + member->link / 1000, member->link / 2);
      if (*now / TFRC_MILLISECOND % 5000 == 1000 * i + 500)
        make_block (member);
      if (*now / TFRC_MILLISECOND % 5000 == 1000 * i + 550)
        tfrc_send_flow_on_blocks (&flow, &member->block, 1, NULL, 0, *now);
    }
    while (tfmcc_sender_next_send_at (&flow.group.sender) <= *now) {
      const TfrcSentRtp packet = { .ssrc = VIDEO, .seq = *seq, .size = 1000 };

      tfrc_send_flow_charge (&flow, &packet, TRUE, &extension, *now);
      for (guint i = 0; i < n; i++)
        give_packet (&members[i], *seq);
      *seq += 1;
      sent += *now + 20 * SECOND >= end ? 1000 : 0;
    }
  }
  return sent / 20;
}

/* Nobody reports as TFMCC has it: X follows the slower link up, down and up again, goes to
 * the other one when that member says BYE, and falls to the least when all are silent. */
GST_START_TEST (members_alone_that_report_by_rtcp_are_followed)
{
  TfrcSendFlowConfig config = {
    .mode = GST_TFRC_MODE_TFMCC,
    .unicast = tfrc_sender_config_default (),
    .feedback = GST_RTP_TFRC_FEEDBACK_AUTO,
    .group = tfmcc_sender_config_default (),
  };
  Plain members[] = { { .ssrc = 8, .link = 100e3 },
    { .ssrc = 9, .link = 300e3 } };
  static const TfrcRate links[] = { 100e3, 30e3, 200e3 };
  TfrcTime now = SECOND;
  TfrcRate rate;
  guint16 seq = 0;

  config.group.min_rate = LEAST;
  tfrc_send_flow_start (&flow, &config);
  for (guint i = 0; i < G_N_ELEMENTS (links); i++) {
    members[0].link = links[i];
    rate = send_to_plain (members, 2, &seq, &now, (i + 1) * 100 * SECOND);
    fail_unless (rate > 0.7 * links[i] && rate < 1.15 * links[i],
        "%.0f of %.0f", rate, links[i]);
  }
  tfrc_send_flow_on_bye (&flow, 8, now);
  rate = send_to_plain (members + 1, 1, &seq, &now, 400 * SECOND);
  fail_unless (rate > 0.7 * 300e3 && rate < 1.15 * 300e3, "%.0f", rate);
  send_to_plain (NULL, 0, &seq, &now, 500 * SECOND);
  fail_unless_equals_float (tfmcc_sender_get_rate (&flow.group.sender, now),
      LEAST);
}

GST_END_TEST;

static Suite *
group_reporters_suite (void)
{
  Suite *s = suite_create ("group-reporters");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_receiver_that_is_slow_for_ten_seconds_is_told);
  tcase_add_test (tc, a_receiver_that_flaps_is_told);
  tcase_add_test (tc, a_receiver_that_comes_back_as_another_is_told);
  tcase_add_test (tc, a_receiver_that_has_lost_nothing_is_not_slow);
  tcase_add_test (tc, silence_is_not_slow);
  tcase_add_test (tc, the_largest_loss_of_late_counts);
  tcase_add_test (tc, who_reports_by_rtcp_alone_is_slow_where_it_loses);
  tcase_add_test (tc, regular_rtcp_of_a_reporter_says_nothing);
  tcase_add_test (tc, who_reports_by_rtcp_alone_pushes_nobody_out);
  tcase_add_test (tc, a_bye_ends_who_reports_by_rtcp_alone);
  tcase_add_test (tc, who_comes_back_by_rtcp_alone_counts_anew);
  tcase_add_test (tc, whoever_leaves_or_is_excluded_is_no_reporter);
  tcase_add_test (tc, an_address_is_excluded_with_all_its_ssrcs);
  tcase_add_loop_test (tc, who_comes_back_as_another_is_excluded_by_its_address,
      0, 2);
  tcase_add_test (tc, members_alone_that_report_by_rtcp_are_followed);
  tcase_add_test (tc, nothing_grows);
  tcase_add_test (tc, statistics_name_them);
  tcase_add_loop_test (tc, who_reports_by_rtcp_alone_limits_the_rate, 0,
      N_ENDS);
  tcase_add_test (tc, the_ninth_limits_when_another_is_gone);
  return s;
}

GST_CHECK_MAIN (group_reporters);
