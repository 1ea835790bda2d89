/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libFuzzer entry of TFMCC's half of gst/protocol: the input is a program of
 * calls to a sender and two receivers, packets and reports true, forged and
 * absurd.  After each call the invariants must hold.
 *
 *   CC=clang meson setup build-fuzz -Dfuzz=true
 *   mkdir -p found
 *   build-fuzz/tests/fuzz/fuzz-group -max_total_time=60 found tests/fuzz/corpus-group
 */
#include <math.h>
#include <string.h>

#include "fuzz-program.h"
#include "checks/tfmcc-reports.h"
#include "checks/tfmcc-packets.h"

#define N_KEPT 16
#define N_RECEIVERS 2
/* Deadlines that may come at one instant, each with its work. */
#define MAX_DEADLINES 8

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

typedef struct
{
  TfmccSender sender;
  TfmccReportCheck report_check;
  TfmccReceiver receivers[N_RECEIVERS];
  TfmccPacketCheck packet_checks[N_RECEIVERS];
  TfrcTime now;
  uint16_t seq;                      /* of the next packet that is sent */
  TfmccExtension extensions[N_KEPT]; /* of the newest packets, by seq */
  TfmccReport reports[N_KEPT];       /* true ones, for replay */
  unsigned n_reports;
} Group;

static void
check_sender (const TfmccSender *sender, TfrcTime now)
{
  TfrcRate rate = tfmcc_sender_get_rate (sender, now);
  const TfmccLimiter *clr = tfmcc_sender_get_clr (sender);

  require (isfinite (rate) && rate > 0.0);
  require (rate >= sender->config.min_rate);
  require (tfmcc_sender_next_send_at (sender) < TFRC_TIME_NONE);
  require (sender->round.max_rtt >= TFMCC_MIN_RTT);
  require (sender->round.max_rtt < TFRC_TIME_NONE / 1000);
  require (sender->round.suppression_rate >= 0.0);
  require (sender->echoes.n_pending <= TFMCC_MAX_ECHOES);
  if (clr != NULL)
    require (isfinite (clr->rate) && clr->rate > 0.0 && clr->rtt > 0);
}

static void
check_receiver (const TfmccReceiver *receiver, TfrcTime now)
{
  TfrcRate rate = tfmcc_receiver_get_rate (receiver);
  double p = tfmcc_receiver_get_loss_event_rate (receiver);
  TfrcDuration rtt = tfmcc_rtt_get (&receiver->rtt);
  TfrcTrace trace;

  require (isfinite (rate) && rate >= 0.0);
  require (p >= 0.0 && p <= 1.0);
  require (rtt >= TFMCC_MIN_RTT && rtt <= 64 * TFRC_SECOND);
  require (isfinite (tfmcc_receiver_get_sending_rate (receiver)));
  memset (&trace, 0, sizeof trace);
  tfmcc_receiver_get_trace (receiver, &trace, now);
  require (isfinite (trace.receive_rate) && trace.receive_rate >= 0.0);
  /* A repair takes back no more than was counted. */
  require (trace.packets_lost < UINT64_MAX / 2);
}

static void
poll_report (Group *group, TfmccReceiver *receiver)
{
  TfmccReport *report = &group->reports[group->n_reports % N_KEPT];

  if (!tfmcc_receiver_poll_report (receiver, report, group->now))
    return;
  group->n_reports++;
  require (isfinite (report->rate) && report->rate > 0.0);
  /* One at a time. */
  require (!tfmcc_receiver_poll_report (receiver, report, group->now));
}

/* Work is done: the same instant does not come again for ever. */
static void
on_deadlines (Group *group)
{
  unsigned n = 0;

  while (tfmcc_sender_next_deadline (&group->sender) <= group->now) {
    require (n++ < MAX_DEADLINES);
    tfmcc_sender_on_deadline (&group->sender, group->now);
  }
  for (unsigned i = 0; i < N_RECEIVERS; i++) {
    TfmccReceiver *receiver = &group->receivers[i];

    n = 0;
    poll_report (group, receiver);
    while (tfmcc_receiver_next_deadline (receiver) <= group->now) {
      require (n++ < MAX_DEADLINES);
      tfmcc_receiver_on_deadline (receiver, group->now);
      poll_report (group, receiver);
    }
  }
}

static void
send_packet (Group *group, Program *program)
{
  uint32_t size = (uint32_t) read_bytes (program, 2) + 1;

  group->extensions[group->seq % N_KEPT] = tfmcc_sender_on_sent (&group->sender,
      size, (size & 1) != 0, group->now);
  group->seq++;
}

static void
forge_extension (TfmccExtension *extension, Program *program)
{
  extension->suppression_rate = fabs (read_double (program));
  if (isnan (extension->suppression_rate))
    extension->suppression_rate = TFMCC_NO_SUPPRESSION;
  /* What the codes of the wire can be. */
  extension->max_rtt = TFMCC_MIN_RTT
      + read_bytes (program, 2) * TFRC_MILLISECOND;
  extension->round = (uint8_t) read_bytes (program, 1);
  extension->send_time_us += (uint32_t) read_bytes (program, 4);
  extension->has_echo = read_bytes (program, 1) & 1;
  extension->echo.ssrc = (uint32_t) read_bytes (program, 1) % 4;
  extension->echo.report_time_us += (uint32_t) read_bytes (program, 4);
  extension->echo.is_clr = read_bytes (program, 1) & 1;
}

/* A packet that was sent lately, late, twice, marked or bare, or with a forged
 * number, extension or SSRC. */
static void
receive_packet (Group *group, Program *program, bool forged)
{
  uint8_t bits = (uint8_t) read_bytes (program, 1);
  TfmccReceiver *receiver = &group->receivers[bits >> 7];
  TfrcDataPacket packet = {
    .ssrc = 1,
    .seq = (uint16_t) (group->seq - 1 - bits % N_KEPT),
    .size = 1200,
    .congestion_marked = (bits & 0x10) != 0,
  };
  TfmccExtension extension = group->extensions[packet.seq % N_KEPT];

  if (forged) {
    packet.ssrc = (uint32_t) read_bytes (program, 1) % 12;
    packet.seq = (uint16_t) read_bytes (program, 2);
    packet.size = (uint32_t) read_bytes (program, 4) | 1;
    forge_extension (&extension, program);
  } else if (extension.max_rtt == 0) {
    /* Nothing was sent. */
    return;
  }
  tfmcc_packet_check_on_packet (&group->packet_checks[bits >> 7], receiver,
      &packet, (bits & 0x20) == 0 ? &extension : NULL, group->now);
}

/* A receiver's report, maybe for the second time, or a forged one. */
static void
receive_report (Group *group, Program *program, bool forged)
{
  TfmccReport report = group->reports[read_bytes (program, 1) % N_KEPT];

  if (forged) {
    uint8_t flags = (uint8_t) read_bytes (program, 1);

    report.ssrc = (uint32_t) read_bytes (program, 2);
    report.has_rtt = flags & 1;
    report.has_loss = flags & 2;
    report.leaving = flags & 4;
    report.rate = read_double (program);
    report.round = (uint8_t) (group->sender.round.number
        - (uint8_t) read_bytes (program, 1));
    report.report_time_us += (uint32_t) read_bytes (program, 4);
    report.echo_time_us =
        group->extensions[read_bytes (program, 1) % N_KEPT].send_time_us
        + (uint32_t) read_bytes (program, 3);
  }
  tfmcc_report_check_on_report (&group->report_check, &group->sender, &report,
      group->now);
}

static void
run_call (Group *group, Program *program)
{
  uint8_t call = (uint8_t) read_bytes (program, 1);
  TfmccReceiver *receiver = &group->receivers[call >> 7];

  switch (call % 16) {
    case 0:
    case 1:
      send_packet (group, program);
      break;
    case 2:
    case 3:
    case 4:
      receive_packet (group, program, false);
      break;
    case 5:
    case 6:
      receive_packet (group, program, true);
      break;
    case 7:
    case 8:
      receive_report (group, program, false);
      break;
    case 9:
    case 10:
      receive_report (group, program, true);
      break;
    case 11:
      tfmcc_receiver_leave (receiver, group->now);
      break;
    case 12:
      tfmcc_receiver_remove_stream (receiver,
          (uint32_t) read_bytes (program, 1) % 12, group->now);
      break;
    case 13:
      tfmcc_receiver_set_ssrc (receiver,
          (uint32_t) read_bytes (program, 1) % 4);
      break;
    case 14:
      tfmcc_sender_set_min_rate (&group->sender,
          (double) read_bytes (program, 3));
      break;
    default:
      group->now += read_duration (program);
      break;
  }
}

/* The first bytes choose the options. */
static void
start (Group *group, Program *program)
{
  TfmccSenderConfig sender = tfmcc_sender_config_default ();
  TfmccReceiverConfig receiver = tfmcc_receiver_config_default ();
  uint8_t options = (uint8_t) read_bytes (program, 1);

  sender.max_segment_size = (uint32_t) read_bytes (program, 2);
  sender.timestamp_offset_us = (uint32_t) read_bytes (program, 4);
  receiver.timestamp_offset_us = (uint32_t) read_bytes (program, 4);
  receiver.history_discounting = (options & 1) == 0;
  if (options & 2) {
    receiver.history_length = (uint32_t) read_bytes (program, 2);
    receiver.slow_start_factor = read_double (program);
    receiver.suppression.group_size = read_double (program);
    receiver.suppression.bias = read_double (program);
    receiver.suppression.rtts = sender.round.rtts = read_double (program);
    receiver.suppression.packets = sender.round.packets = read_double (program);
    sender.round.margin = read_double (program);
    sender.round.initial_rtt = read_duration (program);
  }
  tfmcc_sender_init (&group->sender, &sender);
  group->report_check = (TfmccReportCheck) { 0 };
  for (unsigned i = 0; i < N_RECEIVERS; i++) {
    receiver.ssrc = i + 1;
    receiver.seed = i;
    receiver.timestamp_offset_us += i << 31;
    tfmcc_receiver_init (&group->receivers[i], &receiver);
    group->packet_checks[i] = (TfmccPacketCheck) { 0 };
  }
  /* A clock that runs since some hours. */
  group->now = 10000 * TFRC_SECOND;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Group group;
  Program program = { data, size };
  unsigned n_calls = 0;

  memset (&group, 0, sizeof group);
  start (&group, &program);
  while (program.size > 0 && n_calls++ < MAX_CALLS) {
    run_call (&group, &program);
    on_deadlines (&group);
    check_sender (&group.sender, group.now);
    for (unsigned i = 0; i < N_RECEIVERS; i++)
      check_receiver (&group.receivers[i], group.now);
  }
  require (tfmcc_report_check_get_receivers (&group.report_check, group.now)
      <= 1 << 16);
  return 0;
}
