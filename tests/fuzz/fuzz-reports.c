/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libFuzzer entry of the sender-based variant: the input is a program of packets
 * sent, of packet feedback, as bytes and as what gst/wire makes of them, and of
 * reception reports, true, forged and absurd.  After each call the invariants must
 * hold.
 *
 *   CC=clang meson setup build-fuzz -Dfuzz=true
 *   mkdir -p found
 *   build-fuzz/tests/fuzz/fuzz-reports -max_total_time=60 found \
 *       tests/fuzz/corpus-reports
 */
#include <math.h>

#include "fuzz-program.h"
#include "checks/reception-reports.h"
#include "checks/tfrc-sender.h"
#include "tfrc-wire-packet-feedback.h"
#include "tfrc/sender-based.h"

#define MAX_RAW 255
#define MAX_BLOCKS 4
/* The receiver's clock may be so far ahead, see CLOCK_TOLERANCE. */
#define MAX_AHEAD (2 * TFRC_SECOND)

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

typedef struct
{
  TfrcCheckedSender sending;
  TfrcSenderBased based;
  TfrcReceptionReports reception;
  TfrcTime now;
  uint16_t seq[2]; /* of the next packets of two streams */
  uint32_t n_sent;
  TfrcDuration clock; /* of the newest report */
  uint8_t count;
} Flow;

static void
check (const Flow *flow)
{
  const TfrcSender *sender = &flow->sending.sender;
  const TfrcSenderBased *based = &flow->based;
  TfrcRate rate = sender->rate;

  require (isfinite (rate) && rate > 0.0);
  require (sender->loss_event_rate >= 0.0 && sender->loss_event_rate <= 1.0);
  require (based->receiver.loss_event_rate >= 0.0
      && based->receiver.loss_event_rate <= 1.0);
  require (based->receiver.now <= flow->now + MAX_AHEAD);
  /* No packet arrives twice, and none that was not sent. */
  require (based->receiver.counters.packets <= flow->n_sent);
  require (based->receiver.counters.packets_lost < UINT64_MAX / 2);
  require (tfrc_sender_based_get_report_delay (based)
      <= 500 * TFRC_MILLISECOND);
}

static void
send_packets (Flow *flow, Program *program)
{
  uint8_t bits = (uint8_t) read_bytes (program, 1);
  uint32_t ssrc = bits >> 7;

  for (int i = 0; i <= (bits & 0x1f); i++) {
    TfrcExtension extension = tfrc_checked_sender_on_sent (&flow->sending, 1200,
        (bits & 0x20) != 0, flow->now);

    tfrc_sender_based_on_sent (&flow->based, ssrc, flow->seq[ssrc]++, 1200,
        &extension, flow->now);
    flow->n_sent++;
    flow->now += TFRC_MILLISECOND;
  }
}

static void
give_feedback (Flow *flow, const TfrcFeedback *feedback,
    TfrcDuration report_delay)
{
  require (feedback->loss_event_rate >= 0.0
      && feedback->loss_event_rate <= 1.0);
  require (isfinite (feedback->receive_rate) && feedback->receive_rate >= 0.0);
  tfrc_sender_set_report_delay (&flow->sending.sender, report_delay);
  tfrc_checked_sender_on_feedback (&flow->sending, feedback, flow->now);
}

static void
poll (Flow *flow)
{
  TfrcFeedback feedback;

  while (tfrc_sender_based_poll_feedback (&flow->based, &feedback))
    give_feedback (flow, &feedback,
        tfrc_sender_based_get_report_delay (&flow->based));
}

/* Of streams that there are and one that there is not; the numbers are near those
 * that were sent, or any. */
static void
report_reception (Flow *flow, Program *program)
{
  uint8_t bits = (uint8_t) read_bytes (program, 1);
  uint32_t ntp = (uint32_t) read_bytes (program, 4);
  RtpReportBlock blocks[MAX_BLOCKS];
  uint32_t n = 1 + bits % MAX_BLOCKS;
  TfrcFeedback feedback;

  for (uint32_t i = 0; i < n; i++) {
    uint8_t of = (uint8_t) read_bytes (program, 1);
    uint32_t ssrc = of % 3;

    blocks[i] = (RtpReportBlock) {
      .reporter_ssrc = bits >> 7,
      .media_ssrc = ssrc,
      .highest_seq = (of & 0x80) != 0
          ? (uint32_t) read_bytes (program, 4)
          : (uint16_t) (flow->seq[ssrc % 2] - read_bytes (program, 1)),
      .cumulative_lost = (int32_t) read_bytes (program, (of & 0x40) ? 4 : 1),
      .last_sender_report = (uint32_t) read_bytes (program, 4),
      .delay_since_sender_report = (uint32_t) read_bytes (program, 4),
    };
  }
  if (tfrc_reception_reports_on_blocks (&flow->reception, blocks, n,
          &flow->sending.sender, &flow->based, ntp, &feedback, flow->now)
      == TFRC_OK)
    give_feedback (flow, &feedback,
        tfrc_reception_reports_get_delay (&flow->reception));
}

/* Packets that were sent lately, in order, some missing, some marked; or whatever
 * the program says. */
static void
report_packets (Flow *flow, Program *program, bool forged)
{
  uint8_t bits = (uint8_t) read_bytes (program, 1);
  TfrcPacketReport report = {
    .reporter_ssrc = forged ? (uint32_t) read_bytes (program, 1) % 3 : 0,
    .counted = (bits & 0x40) != 0,
    .count = ++flow->count,
    .clock_period = 64 * TFRC_SECOND,
    .resolution = 250 * TFRC_MICROSECOND,
  };
  unsigned n = bits & 0x3f;

  flow->clock = forged ? read_duration (program) : flow->now;
  report.clock = flow->clock % report.clock_period;
  if (tfrc_sender_based_begin_report (&flow->based, &report, flow->now)
      != TFRC_OK)
    return;
  for (unsigned i = n; i > 0; i--) {
    uint8_t of = (uint8_t) read_bytes (program, 1);
    TfrcReportedPacket packet = {
      .ssrc = bits >> 7,
      .seq = (uint16_t) (flow->seq[bits >> 7] - i),
      .missing = of & 3,
      .arrived = (of & 4) == 0,
      .has_time = (of & 0x0c) == 0,
      .ecn = of >> 4 & 3,
      .age = i * TFRC_MILLISECOND,
    };

    if (forged) {
      packet.seq = (uint16_t) read_bytes (program, 2);
      packet.missing = (uint16_t) read_bytes (program, 2);
      packet.age = read_duration (program);
    }
    tfrc_sender_based_on_packet (&flow->based, &packet);
    poll (flow);
  }
  tfrc_sender_based_end_report (&flow->based);
  poll (flow);
}

/* Bytes, under a header that makes RTCP of one format or the other of them. */
static void
report_bytes (Flow *flow, Program *program, bool twcc)
{
  uint8_t data[4 * (MAX_RAW / 4)];
  size_t size = 4 * (read_bytes (program, 1) / 4), packet_size;
  TfrcWireTwccReader twcc_reader;
  TfrcWireCcfbReader ccfb_reader;
  TfrcPacketReport report;
  TfrcReportedPacket packet;
  TfrcFeedback feedback;
  uint32_t ssrc;

  if (size < 4)
    return;
  for (size_t i = 0; i < size; i++)
    data[i] = (uint8_t) read_bytes (program, 1);
  data[0] = (uint8_t) (0x80 | (data[0] & 0x20) | (twcc ? 15 : 11));
  data[1] = 205;
  data[2] = 0;
  data[3] = (uint8_t) (size / 4 - 1);
  if (tfrc_wire_read_rtcp (data, size, &packet_size, &feedback, &ssrc)
      != TFRC_WIRE_FOREIGN)
    return;
  if ((twcc ? tfrc_wire_begin_twcc (&twcc_reader, data, size, &report)
            : tfrc_wire_begin_ccfb (&ccfb_reader, data, size, &report))
          != TFRC_WIRE_FEEDBACK
      || tfrc_sender_based_begin_report (&flow->based, &report, flow->now)
          != TFRC_OK)
    return;
  while (twcc ? tfrc_wire_next_twcc (&twcc_reader, &packet)
              : tfrc_wire_next_ccfb (&ccfb_reader, &packet)) {
    tfrc_sender_based_on_packet (&flow->based, &packet);
    poll (flow);
  }
  tfrc_sender_based_end_report (&flow->based);
  poll (flow);
}

static void
run_call (Flow *flow, Program *program)
{
  switch (read_bytes (program, 1) % 9) {
    case 0:
    case 1:
      send_packets (flow, program);
      break;
    case 2:
    case 3:
      report_packets (flow, program, false);
      break;
    case 4:
      report_packets (flow, program, true);
      break;
    case 5:
      report_bytes (flow, program, true);
      break;
    case 6:
      report_bytes (flow, program, false);
      break;
    case 8:
      report_reception (flow, program);
      break;
    default:
      flow->now += read_duration (program);
      break;
  }
  if (tfrc_sender_next_deadline (&flow->sending.sender) <= flow->now)
    tfrc_checked_sender_on_deadline (&flow->sending, flow->now);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Flow flow;
  TfrcSenderConfig sender = tfrc_sender_config_default ();
  TfrcSenderBasedConfig config = tfrc_sender_based_config_default ();
  TfrcReceptionConfig reception = tfrc_reception_config_default ();
  Program program = { data, size };
  unsigned n_calls = 0;

  tfrc_checked_sender_init (&flow.sending, &sender,
      tfrc_sender_checks_default ());
  tfrc_sender_based_init (&flow.based, &config);
  tfrc_reception_reports_init (&flow.reception, &reception);
  flow.now = 10000 * TFRC_SECOND;
  flow.clock = 0;
  flow.count = 0;
  flow.n_sent = 0;
  flow.seq[0] = 65500;
  flow.seq[1] = 100;
  while (program.size > 0 && n_calls++ < MAX_CALLS) {
    run_call (&flow, &program);
    check (&flow);
  }
  return 0;
}
