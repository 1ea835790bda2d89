/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libFuzzer entry of gst/wire: the input as a header extension element and as
 * a compound RTCP packet.  What is read must be in range and, written again,
 * give the same bytes.
 *
 *   CC=clang meson setup build-fuzz -Dfuzz=true -Dtests=true
 *   build-fuzz/tests/fuzz/fuzz-wire -max_total_time=60 tests/fuzz/corpus-wire
 */
#include <math.h>
#include <string.h>

#include "fuzz-program.h"
#include "tfmcc-wire.h"
#include "tfrc-wire-packet-feedback.h"
#include "tfrc-wire.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
try_extension (const uint8_t *data, size_t size)
{
  uint8_t again[TFRC_WIRE_EXTENSION_SIZE];
  TfrcExtension extension;

  if (!tfrc_wire_read_extension (&extension, data, size))
    return;
  tfrc_wire_write_extension (again, &extension);
  require (memcmp (data, again, sizeof again) == 0);
}

/* All bits have a meaning, but for that of the CLR where nobody is echoed. */
static void
try_group_extension (const uint8_t *data, size_t size)
{
  uint8_t again[TFMCC_WIRE_EXTENSION_MAX];
  TfmccExtension extension;

  if (!tfmcc_wire_read_extension (&extension, data, size))
    return;
  require (extension.max_rtt >= TFMCC_MIN_RTT
      && extension.suppression_rate > 0.0);
  require (tfmcc_wire_write_extension (again, &extension) == size);
  require (again[0] == (data[0] & (extension.has_echo ? 0xFF : 0x7F)));
  require (memcmp (data + 1, again + 1, size - 1) == 0);
}

static void
try_report (const uint8_t *data, size_t size)
{
  uint8_t again[TFMCC_WIRE_REPORT_MAX];
  TfmccReport report;
  TfmccDiagnostics diagnostics;
  bool has_diagnostics;
  TfmccWireKind kind = tfmcc_wire_read_report (data, size, &report,
      &has_diagnostics, &diagnostics);

  require (tfmcc_wire_read_report (data, size, &report, &has_diagnostics, NULL)
      == kind);
  if (kind != TFMCC_WIRE_REPORT)
    return;
  require (report.rate > 0.0 && isfinite (report.rate));
  require (tfmcc_wire_write_report (again, &report,
               has_diagnostics ? &diagnostics : NULL)
      == size);
  /* The first word differs when the packet is padded; 4 bits of the fifth are
   * reserved. */
  require (memcmp (data + 4, again + 4, 15) == 0);
  require (data[19] >> 4 == again[19] >> 4);
  require (memcmp (data + 20, again + 20, size - 20) == 0);
}

/* What is read is there: the blocks end within the packet. */
static void
try_report_blocks (const uint8_t *data, size_t size)
{
  RtpReportBlock block;
  unsigned n = 0;

  while (tfrc_wire_read_report_block (data, size, n, &block))
    n++;
  require (n == 0 || (n <= (data[0] & 0x1Fu) && 8 + 24 * n <= size));
}

/* Written again and read, the counters are the same. */
static void
try_ecn (const uint8_t *data, size_t size)
{
  TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS] = { 0 };
  TfrcEcnSummary again[TFRC_ECN_MAX_STREAMS] = { 0 };
  uint8_t written[TFRC_WIRE_ECN_MAX];
  bool alone;
  size_t n = tfrc_wire_read_ecn (data, size, summaries, &alone);
  size_t written_size = tfrc_wire_write_ecn (written, summaries, n, 1);

  require (n <= TFRC_ECN_MAX_STREAMS && written_size <= size);
  require (!alone || written_size == size);
  require (tfrc_wire_read_ecn (written, written_size, again, &alone) == n);
  require (memcmp (summaries, again, n * sizeof again[0]) == 0);
}

/* All bits have a meaning, but for the first word's where the packet is
 * padded. */
/* But for the D bit, the index and the extension of the sequence number, which say
 * nothing new, what is read is what was written. */
static void
try_parity (const uint8_t *data, size_t size)
{
  uint8_t again[TFRC_WIRE_PARITY_SIZE];
  TfrcWireParity parity;

  if (!tfrc_wire_read_parity (data, size, &parity))
    return;
  require (size >= sizeof again && parity.count > 0 && parity.stride > 0);
  tfrc_wire_write_parity (again, &parity);
  require (memcmp (again, data, 12) == 0);
  require (memcmp (again + 13, data + 13, 2) == 0);
}

/* What its entries name, written again, names the same. */
static void
try_nack (const uint8_t *data, size_t size)
{
  uint8_t again[TFRC_WIRE_NACK_SIZE (TFRC_WIRE_NACK_SPAN)];
  uint16_t seqs[TFRC_WIRE_NACK_SPAN];
  uint32_t media_ssrc;
  size_t n_entries, i, n;
  TfrcNackEntry entry;
  unsigned bit;

  if (!tfrc_wire_read_nack (data, size, &media_ssrc, &n_entries))
    return;
  require (n_entries > 0 && TFRC_WIRE_NACK_SIZE (n_entries) <= size);
  for (i = 0; i < n_entries; i++) {
    entry = tfrc_wire_read_nack_entry (data, i);
    n = 0;
    seqs[n++] = entry.seq;
    for (bit = 0; bit < TFRC_WIRE_NACK_SPAN - 1; bit++)
      if (entry.following & 1u << bit)
        seqs[n++] = (uint16_t) (entry.seq + 1 + bit);
    require (tfrc_wire_write_nack (again, 1, media_ssrc, seqs, n)
        == TFRC_WIRE_NACK_SIZE (1));
    require (memcmp (again + TFRC_WIRE_NACK_HEADER_SIZE,
                 data + TFRC_WIRE_NACK_SIZE (i), TFRC_WIRE_NACK_ENTRY_SIZE)
        == 0);
  }
}

static void
try_delay (const uint8_t *data, size_t size)
{
  uint8_t again[TFRC_WIRE_DELAY_SIZE];
  TfrcDelayReport delay;
  uint32_t ssrc;

  if (tfrc_wire_read_delay (data, size, &delay, &ssrc) != TFRC_WIRE_DELAY)
    return;
  require (size >= sizeof again);
  tfrc_wire_write_delay (again, &delay, ssrc);
  require (memcmp (data + 4, again + 4, sizeof again - 4) == 0);
}

static void
try_feedback (const uint8_t *data, const TfrcFeedback *feedback,
    uint32_t sender_ssrc)
{
  uint8_t again[TFRC_WIRE_FEEDBACK_SIZE];

  require (feedback->loss_event_rate >= 0.0
      && feedback->loss_event_rate <= 1.0);
  require (feedback->receive_rate >= 0.0);
  tfrc_wire_write_feedback (again, feedback, sender_ssrc);
  /* The first word differs when the packet is padded. */
  require (memcmp (data + 4, again + 4, sizeof again - 4) == 0);
}

/* A packet of a report, in the range that its header promises. */
static void
require_reported (const TfrcReportedPacket *packet)
{
  require (packet->arrived || !packet->has_time);
  require (packet->has_time || packet->age == 0);
  require (packet->ecn <= 3 && (packet->arrived || packet->ecn == 0));
}

static bool
is_same_packet (const TfrcReportedPacket *a, const TfrcReportedPacket *b)
{
  return a->ssrc == b->ssrc && a->seq == b->seq && a->missing == b->missing
      && a->arrived == b->arrived && a->has_time == b->has_time
      && a->ecn == b->ecn;
}

#define MAX_REPORTED 65535
#define MAX_SORTED 2000
static TfrcReportedPacket reported[MAX_REPORTED], reported_again[MAX_REPORTED];
static uint8_t report_bytes[4 * 65536];

/* No more statuses than bytes could carry, however long the runs; and written again
 * and read, they are the same. */
static void
try_twcc (const uint8_t *data, size_t size)
{
  TfrcWireTwccReader reader;
  TfrcPacketReport report, again;
  size_t n = 0, n_again = 0, n_written, written;
  uint32_t numbers = 0;

  if (tfrc_wire_begin_twcc (&reader, data, size, &report) != TFRC_WIRE_FEEDBACK)
    return;
  require (report.clock < report.clock_period);
  while (tfrc_wire_next_twcc (&reader, &reported[n])) {
    require_reported (&reported[n]);
    numbers += reported[n].missing + 1u;
    n++;
  }
  require (n <= size && numbers == (uint32_t) (data[14] << 8 | data[15]));
  written = tfrc_wire_write_twcc (report_bytes, sizeof report_bytes, &report, 1,
      reported, n, &n_written);
  require (n_written == n && (n == 0 || written > 0));
  if (n == 0)
    return;
  require (tfrc_wire_begin_twcc (&reader, report_bytes, written, &again)
      == TFRC_WIRE_FEEDBACK);
  require (again.clock == report.clock && again.count == report.count);
  while (tfrc_wire_next_twcc (&reader, &reported_again[n_again])) {
    require (is_same_packet (&reported_again[n_again], &reported[n_again]));
    require (reported_again[n_again].age == reported[n_again].age);
    n_again++;
  }
  require (n_again == n);
}

/* As the writer asks for: those of an SSRC together. */
static void
sort_by_ssrc (TfrcReportedPacket *packets, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    TfrcReportedPacket packet = packets[i];
    size_t at = i;

    for (; at > 0 && packets[at - 1].ssrc > packet.ssrc; at--)
      packets[at] = packets[at - 1];
    packets[at] = packet;
  }
}

/* As the writer asks for: a stranger's report may have two blocks of an SSRC. */
static bool
follows (const TfrcReportedPacket *packet, const TfrcReportedPacket *before)
{
  return packet->ssrc != before->ssrc
      || (before->arrived
          && packet->seq == (uint16_t) (before->seq + packet->missing + 1));
}

static void
try_ccfb (const uint8_t *data, size_t size)
{
  TfrcWireCcfbReader reader;
  TfrcPacketReport report, again;
  size_t n = 0, n_again = 0, n_written, written;

  if (tfrc_wire_begin_ccfb (&reader, data, size, &report) != TFRC_WIRE_FEEDBACK)
    return;
  require (report.clock < report.clock_period);
  while (n < MAX_REPORTED && tfrc_wire_next_ccfb (&reader, &reported[n])) {
    require_reported (&reported[n]);
    n++;
  }
  require (2 * n <= size);
  if (n > MAX_SORTED)
    return;
  sort_by_ssrc (reported, n);
  for (size_t i = 1; i < n; i++) {
    if (!follows (&reported[i], &reported[i - 1]))
      return;
  }
  written = tfrc_wire_write_ccfb (report_bytes, sizeof report_bytes, &report,
      reported, n, &n_written);
  if (n_written == 0)
    return;
  require (tfrc_wire_begin_ccfb (&reader, report_bytes, written, &again)
      == TFRC_WIRE_FEEDBACK);
  require (again.clock == report.clock);
  while (tfrc_wire_next_ccfb (&reader, &reported_again[n_again]))
    n_again++;
  require (n_again == n_written);
  sort_by_ssrc (reported_again, n_again);
  for (size_t i = 0; i < n_again; i++) {
    require (is_same_packet (&reported_again[i], &reported[i]));
    require (reported_again[i].age == reported[i].age);
  }
}

/* What is accepted is stepped through to its end. */
static void
try_compound (const uint8_t *data, size_t size)
{
  TfrcWireCompound compound;
  size_t offset = 0;

  if (!tfrc_wire_read_compound (data, size, &compound))
    return;
  require (compound.n_ssrcs >= 1
      && compound.n_ssrcs <= TFRC_WIRE_COMPOUND_SSRCS);
  while (offset < size)
    offset += tfrc_wire_get_packet_size (data + offset);
  require (offset == size);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  TfrcFeedback feedback;
  uint32_t ssrc;
  size_t offset = 0, packet_size;
  TfrcWireKind kind;

  try_extension (data, size);
  try_group_extension (data, size);
  try_parity (data, size);
  try_compound (data, size);
  while (offset < size) {
    kind = tfrc_wire_read_rtcp (data + offset, size - offset, &packet_size,
        &feedback, &ssrc);
    if (kind == TFRC_WIRE_MALFORMED)
      break;
    require (packet_size >= 4 && packet_size <= size - offset);
    if (kind == TFRC_WIRE_FEEDBACK)
      try_feedback (data + offset, &feedback, ssrc);
    try_report (data + offset, packet_size);
    try_report_blocks (data + offset, packet_size);
    try_ecn (data + offset, packet_size);
    try_twcc (data + offset, packet_size);
    try_ccfb (data + offset, packet_size);
    try_delay (data + offset, packet_size);
    try_nack (data + offset, packet_size);
    tfrc_wire_read_pli (data + offset, packet_size, &ssrc);
    tfrc_wire_is_sr_request (data + offset, packet_size);
    offset += packet_size;
  }
  return 0;
}
