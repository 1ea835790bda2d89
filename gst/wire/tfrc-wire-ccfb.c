/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes congestion control feedback.
 *
 *    0  V=2 P FMT=11 | PT=205 | length
 *    4  SSRC of packet sender
 * and for each SSRC a report block,
 *    0  SSRC of the stream
 *    4  begin_seq | num_reports
 *    8  for each packet a metric block: R, ECN in 2 bits, arrival time offset in
 *       13, before the report [1/1024 s]; 0 where their number is odd
 * and at the end
 *       report timestamp, the middle 32 bits of an NTP timestamp [1/65536 s]
 */
#include "tfrc-wire-ccfb.h"

#include "tfrc-wire-bytes.h"
#include "tfrc-wire-rtcp.h"

#define HEADER_SIZE 8
#define TIMESTAMP_SIZE 4
#define BLOCK_HEADER_SIZE 8
#define METRIC_SIZE 2
#define RECEIVED 0x8000
#define OFFSET_MAX 0x1FFD
#define OFFSET_OVER 0x1FFE    /* longer ago */
#define OFFSET_UNKNOWN 0x1FFF /* or after the report */
#define CLOCK_PERIOD (65536 * TFRC_SECOND)

static size_t
get_block_size (uint32_t n_numbers)
{
  return BLOCK_HEADER_SIZE + (n_numbers + 1) / 2 * 2 * METRIC_SIZE;
}

static bool
is_well_formed (const uint8_t *data, const uint8_t *end)
{
  while (end - data >= BLOCK_HEADER_SIZE) {
    uint32_t n_numbers = tfrc_wire_get16 (data + 6);

    if (n_numbers > TFRC_WIRE_CCFB_MAX_NUMBERS
        || (size_t) (end - data) < get_block_size (n_numbers))
      return false;
    data += get_block_size (n_numbers);
  }
  return data == end;
}

/* Sets `next`; false: the block is done. */
static bool
read_next (TfrcWireCcfbBlock *self)
{
  uint16_t metric = 0, offset, numbers = 0;

  if (self->left == 0)
    return false;
  while (self->left > 0 && (metric & RECEIVED) == 0) {
    metric = tfrc_wire_get16 (self->data);
    self->data += METRIC_SIZE;
    self->left--;
    numbers++;
  }
  self->seq = (uint16_t) (self->seq + numbers);
  self->next = (TfrcReportedPacket) {
    .ssrc = self->next.ssrc,
    .seq = (uint16_t) (self->seq - 1),
    .missing = (uint16_t) (numbers - 1),
    .arrived = (metric & RECEIVED) != 0,
  };
  if (!self->next.arrived)
    return true;
  offset = metric & 0x1FFF;
  self->next.ecn = metric >> 13 & 3;
  self->next.has_time = offset <= OFFSET_MAX;
  if (self->next.has_time)
    self->next.age = offset * TFRC_SECOND / 1024;
  return true;
}

/* NULL: all are open. */
static TfrcWireCcfbPart *
find_part (TfrcWireCcfbReader *self)
{
  for (; self->part < self->n_parts; self->part++) {
    if (self->parts[self->part].data < self->parts[self->part].end)
      return &self->parts[self->part];
  }
  return NULL;
}

/* As many as there is room for, of an SSRC one. */
static void
open_blocks (TfrcWireCcfbReader *self)
{
  TfrcWireCcfbPart *part;

  while (self->n_blocks < TFRC_WIRE_CCFB_MAX_BLOCKS
      && (part = find_part (self)) != NULL) {
    TfrcWireCcfbBlock *block = &self->blocks[self->n_blocks];
    uint32_t ssrc = tfrc_wire_get32 (part->data);

    for (uint32_t i = 0; i < self->n_blocks; i++) {
      if (self->blocks[i].next.ssrc == ssrc)
        return;
    }
    *block = (TfrcWireCcfbBlock) {
      .data = part->data + BLOCK_HEADER_SIZE,
      .seq = tfrc_wire_get16 (part->data + 4),
      .left = tfrc_wire_get16 (part->data + 6),
      .next = { .ssrc = ssrc },
    };
    part->data += get_block_size (block->left);
    self->n_blocks += read_next (block);
  }
}

static TfrcWireKind
open_packet (TfrcWireCcfbPart *part, const uint8_t *data, size_t packet_size,
    TfrcArrivalReport *report)
{
  const uint8_t *start = data + HEADER_SIZE, *end;
  size_t size = packet_size;

  if (!tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB,
          TFRC_WIRE_FMT_CCFB))
    return TFRC_WIRE_FOREIGN;
  if (data[0] & 0x20)
    size -= tfrc_wire_get_padding (data, packet_size);
  if (size < HEADER_SIZE + TIMESTAMP_SIZE)
    return TFRC_WIRE_BAD_FEEDBACK;
  end = data + size - TIMESTAMP_SIZE;
  if (!is_well_formed (start, end))
    return TFRC_WIRE_BAD_FEEDBACK;
  *part = (TfrcWireCcfbPart) { start, end };
  *report = (TfrcArrivalReport) {
    .reporter_ssrc = tfrc_wire_get32 (data + 4),
    .clock = (tfrc_wire_get32 (end) * TFRC_SECOND) >> 16,
    .clock_period = CLOCK_PERIOD,
    .resolution = TFRC_SECOND / 1024,
  };
  return TFRC_WIRE_FEEDBACK;
}

TfrcWireKind
tfrc_wire_begin_ccfb (TfrcWireCcfbReader *reader, const uint8_t *data,
    size_t packet_size, TfrcArrivalReport *report)
{
  reader->n_parts = 1;
  reader->part = 0;
  reader->n_blocks = 0;
  return open_packet (&reader->parts[0], data, packet_size, report);
}

bool
tfrc_wire_join_ccfb (TfrcWireCcfbReader *reader, const uint8_t *data,
    size_t packet_size, const TfrcArrivalReport *report)
{
  TfrcArrivalReport other;

  if (reader->n_parts == TFRC_WIRE_CCFB_MAX_PARTS
      || open_packet (&reader->parts[reader->n_parts], data, packet_size,
             &other)
          != TFRC_WIRE_FEEDBACK
      || other.reporter_ssrc != report->reporter_ssrc
      || other.clock != report->clock)
    return false;
  reader->n_parts++;
  return true;
}

/* What has no time waits for nobody. */
static bool
is_before (const TfrcReportedPacket *a, const TfrcReportedPacket *b)
{
  return b->has_time && (!a->has_time || a->age > b->age);
}

bool
tfrc_wire_next_ccfb (TfrcWireCcfbReader *reader, TfrcReportedPacket *packet)
{
  TfrcWireCcfbBlock *oldest = &reader->blocks[0];

  if (reader->n_blocks == 0)
    open_blocks (reader);
  if (reader->n_blocks == 0)
    return false;
  for (uint32_t i = 1; i < reader->n_blocks; i++) {
    if (is_before (&reader->blocks[i].next, &oldest->next))
      oldest = &reader->blocks[i];
  }
  *packet = oldest->next;
  if (read_next (oldest))
    return true;
  reader->n_blocks--;
  for (; oldest < &reader->blocks[reader->n_blocks]; oldest++)
    oldest[0] = oldest[1];
  return true;
}

/* The packets of the first SSRC that fit into a block, and into `room` bytes;
 * how many numbers they take. */
static uint32_t
count_numbers (const TfrcReportedPacket *packets, size_t n, size_t *n_fit,
    size_t room)
{
  uint32_t sum = 0;
  size_t i;

  for (i = 0; i < n && packets[i].ssrc == packets[0].ssrc; i++) {
    uint32_t longer = sum + packets[i].missing + 1;

    if (longer > TFRC_WIRE_CCFB_MAX_NUMBERS || get_block_size (longer) > room)
      break;
    sum = longer;
  }
  *n_fit = i;
  return sum;
}

static uint16_t
make_metric (const TfrcReportedPacket *packet)
{
  uint64_t offset = OFFSET_UNKNOWN;

  if (!packet->arrived)
    return 0;
  if (packet->has_time)
    offset = packet->age > 8 * TFRC_SECOND
        ? OFFSET_OVER
        : (packet->age * 1024 + TFRC_SECOND / 2) / TFRC_SECOND;
  if (packet->has_time && offset > OFFSET_MAX)
    offset = OFFSET_OVER;
  return (uint16_t) (RECEIVED | (packet->ecn & 3) << 13 | offset);
}

static void
write_block (uint8_t *data, const TfrcReportedPacket *packets,
    uint32_t n_numbers)
{
  const TfrcReportedPacket *packet = packets;
  uint32_t gone = 0;

  tfrc_wire_put32 (data, packets[0].ssrc);
  tfrc_wire_put16 (data + 4, (uint16_t) (packets[0].seq - packets[0].missing));
  tfrc_wire_put16 (data + 6, (uint16_t) n_numbers);
  data += BLOCK_HEADER_SIZE;
  for (uint32_t i = 0; i < n_numbers; i++, data += METRIC_SIZE) {
    if (gone++ < packet->missing) {
      tfrc_wire_put16 (data, 0);
    } else {
      tfrc_wire_put16 (data, make_metric (packet++));
      gone = 0;
    }
  }
  if (n_numbers % 2 == 1)
    tfrc_wire_put16 (data, 0);
}

size_t
tfrc_wire_write_ccfb (uint8_t *data, size_t size,
    const TfrcArrivalReport *report, const TfrcReportedPacket *packets,
    size_t n, size_t *n_written)
{
  size_t written = HEADER_SIZE;
  uint64_t timestamp = (report->clock % CLOCK_PERIOD * 65536 + TFRC_SECOND / 2)
      / TFRC_SECOND;

  *n_written = 0;
  while (*n_written < n && written + TIMESTAMP_SIZE <= size) {
    size_t n_fit;
    uint32_t n_numbers = count_numbers (packets + *n_written, n - *n_written,
        &n_fit, size - TIMESTAMP_SIZE - written);

    if (n_fit == 0)
      break;
    write_block (data + written, packets + *n_written, n_numbers);
    written += get_block_size (n_numbers);
    *n_written += n_fit;
    /* The rest of the SSRC goes into the next report. */
    if (*n_written < n
        && packets[*n_written].ssrc == packets[*n_written - 1].ssrc)
      break;
  }
  if (*n_written == 0)
    return 0;
  tfrc_wire_put32 (data + written, (uint32_t) timestamp);
  written += TIMESTAMP_SIZE;
  tfrc_wire_write_rtcp_header (data, TFRC_WIRE_FMT_CCFB, TFRC_WIRE_RTPFB,
      written);
  tfrc_wire_put32 (data + 4, report->reporter_ssrc);
  return written;
}
