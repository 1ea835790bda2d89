/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The effect of forged and too many reports, of another sender's packets and of
 * forged header extensions on a group: next to nothing, since all input is checked. */
#include <check.h>
#include <stdlib.h>

#include "check-suite.h"
#include "virtual-group.h"

static VirtualGroup *
begin (void)
{
  GroupConfig config = group_config_default ();

  config.sender.max_segment_size = config.packet_size;
  return group_new (&config);
}

/* 60 receivers leave at once. */
static double
reports_of_leavers (void)
{
  VirtualGroup *group = begin ();
  uint64_t before, reports;

  for (unsigned i = 0; i < 60; i++)
    group_join_by (group, 60 * MS, 0.0, 0.01);
  group_run (group, 60 * S);
  before = tfmcc_sender_get_counters (group_get_sender (group)).reports;
  for (unsigned i = 0; i < 60; i++)
    group_leave (group, i);
  group_run (group, 61 * S);
  reports = tfmcc_sender_get_counters (group_get_sender (group)).reports;
  group_free (group);
  return (double) (reports - before);
}

/* A report that a member of the group could forge now. */
static TfmccReport
report_of (const VirtualGroup *group, uint32_t ssrc, TfrcRate rate,
    TfrcDuration rtt, TfrcTime now)
{
  const TfmccSender *sender = group_get_sender (group);

  return (TfmccReport) {
    .ssrc = ssrc,
    .has_rtt = true,
    .has_loss = true,
    .rate = rate,
    .round = sender->round.number,
    .report_time_us = (uint32_t) (now / TFRC_MICROSECOND),
    .echo_time_us = (uint32_t) ((now - rtt) / TFRC_MICROSECOND)
        + sender->config.timestamp_offset_us,
  };
}

/* One source reports 500 times a second that it has no RTT, and so takes the
 * echoes: the share of the echoes that others get in a minute. */
static double
echoes_for_others (void)
{
  VirtualGroup *group = begin ();
  uint64_t echoes = 0;

  for (unsigned i = 0; i < 8; i++)
    group_join_by (group, 60 * MS, MBIT, 0.0);
  for (TfrcTime now = 2 * MS; now < 60 * S; now += 2 * MS) {
    TfmccReport flood = report_of (group, 0xBAD, 1e9, 60 * MS, now);

    group_run (group, now);
    flood.has_rtt = false;
    group_forge_report (group, &flood);
  }
  for (unsigned i = 0; i < 8; i++)
    echoes +=
        tfmcc_receiver_get_counters (group_get_receiver (group, i)).echoes;
  group_free (group);
  return (double) echoes / 60.0;
}

/* An attacker with the CLR's SSRC, ten times its rate and the same RTT: packets
 * that the CLR loses in a minute. */
static double
lost_by_one_of_two_of_an_ssrc (void)
{
  VirtualGroup *group = begin ();
  const TfmccReceiver *clr;
  uint64_t before;
  double lost;

  group_join_by (group, 20 * MS, MBIT, 0.0);
  clr = group_get_receiver (group, 0);
  group_run (group, 60 * S);
  before = tfmcc_receiver_get_counters (clr).packets_lost;
  for (TfrcTime now = 60 * S; now < 120 * S; now += 20 * MS) {
    TfmccReport other = report_of (group, 1, 10.0 * MBIT, 20 * MS, now);

    group_run (group, now);
    other.report_time_us += 0x40000000;
    group_forge_report (group, &other);
  }
  lost = (double) (tfmcc_receiver_get_counters (clr).packets_lost - before);
  group_free (group);
  return lost;
}

/* One report with an RTT of a minute. */
static double
max_rtt_after_lie (void)
{
  VirtualGroup *group = begin ();
  TfmccReport lie;
  double max_rtt;

  group_join_by (group, 60 * MS, MBIT, 0.0);
  group_run (group, 100 * S);
  lie = report_of (group, 0xBAD, 1e9, 60 * S, 100 * S);
  group_forge_report (group, &lie);
  group_run (group, 160 * S);
  max_rtt = tfrc_duration_to_seconds (group_get_sender (group)->round.max_rtt);
  group_free (group);
  return max_rtt;
}

/* Every 20 ms the receiver gets a packet with another sender's clock, or one of
 * ours with another extension. */
typedef void (*Forge) (TfrcDataPacket *packet, TfmccExtension *extension,
    unsigned n);

static VirtualGroup *
run_with_forged_packets (Forge forge, TfrcTime *until)
{
  VirtualGroup *group = begin ();
  unsigned n = 0;

  group_join_by (group, 60 * MS, MBIT, 0.0);
  group_run (group, 60 * S);
  for (TfrcTime now = 60 * S; now < 120 * S; now += 20 * MS) {
    const TfmccReceiver *receiver = group_get_receiver (group, 0);
    TfmccExtension extension;
    TfrcDataPacket packet = {
      .ssrc = receiver->media_ssrc,
      .seq = (uint16_t) (receiver->counters.packets
          + receiver->counters.packets_lost),
      .size = 1000,
    };

    group_run (group, now);
    extension = *tfmcc_receiver_get_extension (receiver);
    forge (&packet, &extension, n++);
    group_forge_packet (group, 0, &packet, &extension);
  }
  *until = 120 * S;
  return group;
}

static void
forge_clock (TfrcDataPacket *packet, TfmccExtension *extension, unsigned n)
{
  packet->ssrc = 0xBAD;
  packet->seq = (uint16_t) (2 * n);
  extension->send_time_us += 0x40000000;
  extension->has_echo = false;
}

static double
rate_beside_another_sender (void)
{
  TfrcTime now;
  VirtualGroup *group = run_with_forged_packets (forge_clock, &now);
  TfrcRate rate = group_get_rate (group, now);

  group_free (group);
  return rate / MBIT;
}

static void
forge_round (TfrcDataPacket *packet, TfmccExtension *extension, unsigned n)
{
  packet->ssrc = 0xBAD;
  packet->seq = (uint16_t) n;
  extension->has_echo = false;
  extension->max_rtt = MS;
  extension->round = (uint8_t) (extension->round + 50);
}

/* Feedback rounds that the receiver has seen in that minute. */
static double
rounds_with_forged_extensions (void)
{
  TfrcTime now;
  VirtualGroup *group = run_with_forged_packets (forge_round, &now);
  uint64_t rounds =
      tfmcc_receiver_get_counters (group_get_receiver (group, 0)).rounds;

  group_free (group);
  return (double) rounds;
}

static void
forge_echo (TfrcDataPacket *packet, TfmccExtension *extension, unsigned n)
{
  packet->ssrc = 0xBAD;
  packet->seq = (uint16_t) n;
  extension->has_echo = true;
  extension->echo = (TfmccEcho) { .ssrc = 1, .report_time_us = 0x40000000 };
}

static double
rtt_with_echoes_of_another (void)
{
  TfrcTime now;
  VirtualGroup *group = run_with_forged_packets (forge_echo, &now);
  TfrcDuration rtt = tfmcc_rtt_get (&(group_get_receiver (group, 0))->rtt);

  group_free (group);
  return 1000.0 * tfrc_duration_to_seconds (rtt);
}

/* The limits between which each measured value must lie. */
static const struct
{
  double (*measure) (void);
  double least, most;
} figures[] = {
  { reports_of_leavers, 0.0, 5.0 },
  { echoes_for_others, 80.0, 150.0 },
  { lost_by_one_of_two_of_an_ssrc, 0.0, 200.0 },
  { max_rtt_after_lie, 0.06, 0.5 },
  { rate_beside_another_sender, 0.7, 1.1 },
  { rounds_with_forged_extensions, 30.0, 120.0 },
  { rtt_with_echoes_of_another, 60.0, 170.0 },
};

#define N_FIGURES (sizeof figures / sizeof figures[0])

START_TEST (a_group_is_not_disturbed)
{
  double figure = figures[_i].measure ();

  ck_assert_double_ge (figure, figures[_i].least);
  ck_assert_double_le (figure, figures[_i].most);
}

END_TEST
int
main (void)
{
  Suite *suite = suite_create ("group-strangers");
  TCase *tcase = tcase_create ("general");

  tcase_add_loop_test (tcase, a_group_is_not_disturbed, 0, N_FIGURES);
  suite_add_tcase (suite, tcase);
  return run_check_suite (suite);
}
