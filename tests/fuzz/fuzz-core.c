/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libFuzzer entry of gst/protocol: the input is a program of calls to a sender
 * and a receiver, packets and reports true, forged and absurd.  After each call
 * the invariants must hold.
 *
 *   CC=clang meson setup build-fuzz -Dfuzz=true
 *   mkdir -p found
 *   build-fuzz/tests/fuzz/fuzz-core -max_total_time=60 found tests/fuzz/corpus-core
 */
#include <math.h>
#include <string.h>

#include "fuzz-program.h"
#include "checks/tfrc-receiver.h"
#include "checks/tfrc-sender.h"

#define N_KEPT 16

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

typedef struct
{
  TfrcCheckedSender sending;
  TfrcCheckedReceiver receiving;
  TfrcTime now;
  uint16_t seq;                     /* of the next packet that is sent */
  TfrcExtension extensions[N_KEPT]; /* of the newest packets, by seq */
  TfrcFeedback reports[N_KEPT];     /* true ones, for replay */
  unsigned n_reports;
} Pair;

static void
check_sender (const TfrcSender *sender, TfrcTime now)
{
  TfrcRate rate = sender->rate;
  TfrcRate pacing = tfrc_sender_get_pacing_rate (sender);
  TfrcTrace trace;

  require (isfinite (rate) && rate > 0.0 && rate <= sender->config.max_rate);
  require (isfinite (pacing) && pacing > 0.0);
  require (sender->loss_event_rate >= 0.0 && sender->loss_event_rate <= 1.0);
  require (tfrc_sender_next_send_at (sender) < TFRC_TIME_NONE);
  require (tfrc_sender_next_deadline (sender) > 0);
  memset (&trace, 0, sizeof trace);
  tfrc_sender_get_trace (sender, &trace, now);
  require (trace.segment_size > 0.0 && isfinite (trace.segment_size));
  require (!isnan (trace.equation_rate) && !isnan (trace.receive_limit));
}

static void
check_receiver (const TfrcReceiver *receiver, TfrcTime now)
{
  TfrcTrace trace;

  memset (&trace, 0, sizeof trace);
  tfrc_receiver_get_trace (receiver, &trace, now);
  require (trace.loss_event_rate >= 0.0 && trace.loss_event_rate <= 1.0);
  require (isfinite (trace.receive_rate) && trace.receive_rate >= 0.0);
  require (trace.discount > 0.0 && trace.discount <= 1.0);
  require ((trace.loss_event_rate > 0.0)
      == (receiver->history.now.intervals.events > 0));
  /* A repair takes back no more than was counted. */
  require (trace.packets_lost < UINT64_MAX / 2);
}

static void
on_deadlines (Pair *pair)
{
  const TfrcCheckedSender *sender = &pair->sending;
  TfrcReceiver *receiver = &pair->receiving.receiver;

  if (tfrc_checked_sender_next_deadline (sender) <= pair->now) {
    tfrc_checked_sender_on_deadline (&pair->sending, pair->now);
    /* Work done: the same instant does not come again. */
    require (tfrc_checked_sender_next_deadline (sender) > pair->now);
  }
  if (tfrc_receiver_next_deadline (receiver) <= pair->now) {
    tfrc_receiver_on_deadline (receiver, pair->now);
    require (tfrc_receiver_next_deadline (receiver) > pair->now);
  }
}

static void
send_packet (Pair *pair, Program *program)
{
  uint32_t size = (uint32_t) read_bytes (program, 2) + 1;
  bool backlog = (size & 1) != 0;

  pair->extensions[pair->seq % N_KEPT] =
      tfrc_checked_sender_on_sent (&pair->sending, size, backlog, pair->now);
  pair->seq++;
}

/* A packet that was sent lately, late, twice or marked, or with a forged
 * number, extension or SSRC. */
static void
receive_packet (Pair *pair, Program *program, bool forged)
{
  uint8_t bits = (uint8_t) read_bytes (program, 1);
  TfrcDataPacket packet = {
    .ssrc = 1,
    .seq = (uint16_t) (pair->seq - 1 - bits % N_KEPT),
    .size = 1200,
    .congestion_marked = (bits & 0x10) != 0,
    .has_extension = (bits & 0x20) == 0,
  };

  packet.extension = pair->extensions[packet.seq % N_KEPT];
  if (forged) {
    packet.ssrc = (uint32_t) read_bytes (program, 1) % 12;
    packet.seq = (uint16_t) read_bytes (program, 2);
    packet.size = (uint32_t) read_bytes (program, 4);
    packet.extension.send_time_us = (uint32_t) read_bytes (program, 4);
    packet.extension.rtt = read_bytes (program, 3) * TFRC_MICROSECOND;
  }
  tfrc_checked_receiver_on_packet (&pair->receiving, &packet, pair->now);
}

static void
poll_report (Pair *pair)
{
  TfrcFeedback *report = &pair->reports[pair->n_reports % N_KEPT];

  if (!tfrc_receiver_poll_feedback (&pair->receiving.receiver, report,
          pair->now))
    return;
  tfrc_checked_receiver_add_delay (&pair->receiving, report);
  pair->n_reports++;
  require (report->loss_event_rate >= 0.0 && report->loss_event_rate <= 1.0);
  require (isfinite (report->receive_rate) && report->receive_rate >= 0.0);
}

/* A report of the receiver, maybe for the second time, or a forged one. */
static void
receive_report (Pair *pair, Program *program, bool forged)
{
  TfrcFeedback report = pair->reports[read_bytes (program, 1) % N_KEPT];

  if (forged) {
    report.echo_time_us =
        pair->extensions[read_bytes (program, 1) % N_KEPT].send_time_us
        + (uint32_t) read_bytes (program, 1);
    report.echo_delay = read_duration (program);
    report.receive_rate = read_double (program);
    report.loss_event_rate = read_double (program);
    report.has_delay = pair->sending.checks.delay_target > 0;
    if (report.has_delay) {
      report.delay.least_delay_us = (uint32_t) read_bytes (program, 4);
      report.delay.newest_delay_us = (uint32_t) read_bytes (program, 4);
      report.delay.arrival_us = (uint32_t) read_bytes (program, 4);
      report.delay.bytes = (uint32_t) read_bytes (program, 4);
    }
  }
  tfrc_checked_sender_on_feedback (&pair->sending, &report, pair->now);
}

static void
run_call (Pair *pair, Program *program)
{
  switch (read_bytes (program, 1) % 12) {
    case 0:
    case 1:
    case 2:
      send_packet (pair, program);
      break;
    case 3:
    case 4:
      receive_packet (pair, program, false);
      break;
    case 5:
      receive_packet (pair, program, true);
      break;
    case 6:
    case 7:
      receive_report (pair, program, false);
      break;
    case 8:
      receive_report (pair, program, true);
      break;
    case 9:
      pair->now += read_duration (program);
      break;
    case 10:
      tfrc_sender_set_max_rate (&pair->sending.sender, read_double (program));
      break;
    default:
      tfrc_checked_receiver_remove_stream (&pair->receiving,
          (uint32_t) read_bytes (program, 1) % 12);
      break;
  }
}

/* The first bytes choose the options. */
static void
start (Pair *pair, Program *program)
{
  TfrcSenderConfig sender = tfrc_sender_config_default ();
  TfrcReceiverConfig receiver = tfrc_receiver_config_default ();
  TfrcSenderChecks checks = tfrc_sender_checks_default ();
  uint8_t options = (uint8_t) read_bytes (program, 1);

  sender.max_segment_size = (uint32_t) read_bytes (program, 2);
  sender.timestamp_offset_us = (uint32_t) read_bytes (program, 4);
  sender.oscillation_damping = (options & 1) == 0;
  sender.self_clocking = (options & 2) != 0;
  sender.rto.mode = (TfrcRtoMode) (options >> 2) % 3;
  sender.probe_interval = read_duration (program);
  receiver.history_discounting = (options & 0x10) == 0;
  receiver.history_length = (options & 0x20) == 0
      ? 8
      : (uint32_t) read_bytes (program, 2);
  checks.delay_target = (options & 0x40) == 0 ? 0 : 16 * TFRC_MILLISECOND;
  tfrc_checked_sender_init (&pair->sending, &sender, checks);
  tfrc_checked_receiver_init (&pair->receiving, &receiver,
      tfrc_receiver_checks_default ());
  /* A clock that runs since some hours. */
  pair->now = 10000 * TFRC_SECOND;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Pair pair;
  Program program = { data, size };
  unsigned n_calls = 0;

  memset (&pair, 0, sizeof pair);
  start (&pair, &program);
  while (program.size > 0 && n_calls++ < MAX_CALLS) {
    run_call (&pair, &program);
    poll_report (&pair);
    on_deadlines (&pair);
    poll_report (&pair);
    check_sender (&pair.sending.sender, pair.now);
    check_receiver (&pair.receiving.receiver, pair.now);
  }
  return 0;
}
