/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfrc-wire-packet-feedback.h"

#include "tfrc-wire-bytes.h"

/* Reads and writes congestion control feedback (RFC 8888).
 *
 *    0  V=2 P FMT=11 | PT=205 | length
 *    4  SSRC of packet sender
 * then a report block for each SSRC:
 *    0  SSRC of the stream
 *    4  begin_seq | num_reports
 *    8  for each packet a metric block of 16 bits: R (1), ECN (2), arrival time
 *       offset before the report (13) [1/1024 s]; if their number is odd, a
 *       block of zeros pads to a full word
 * and at the end
 *       report timestamp, the middle 32 bits of an NTP timestamp [1/65536 s]
 */

#define HEADER_SIZE 8
#define TIMESTAMP_SIZE 4
#define BLOCK_HEADER_SIZE 8
#define METRIC_SIZE 2
#define RECEIVED 0x8000
#define OFFSET_MAX 0x1FFD
#define OFFSET_OVER 0x1FFE    /* arrived longer ago than that */
#define OFFSET_UNKNOWN 0x1FFF /* arrival time unknown, or after the report */
#define CCFB_CLOCK_PERIOD (65536 * TFRC_SECOND)

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

/* Sets `next` to the next packet that arrived, or to the last packet of the block
 * if that is missing.  Returns false at the end of the block. */
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

/* The first RTCP packet with report blocks left to open, or NULL. */
static TfrcWireCcfbPart *
find_part (TfrcWireCcfbReader *self)
{
  for (; self->part < self->n_parts; self->part++) {
    if (self->parts[self->part].data < self->parts[self->part].end)
      return &self->parts[self->part];
  }
  return NULL;
}

/* Opens report blocks while there is room.  Stops at a second block of an SSRC that
 * is open already, so that its packets are returned in order. */
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
    TfrcPacketReport *report)
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
  *report = (TfrcPacketReport) {
    .reporter_ssrc = tfrc_wire_get32 (data + 4),
    .clock = (tfrc_wire_get32 (end) * TFRC_SECOND) >> 16,
    .clock_period = CCFB_CLOCK_PERIOD,
    .resolution = TFRC_SECOND / 1024,
  };
  return TFRC_WIRE_FEEDBACK;
}

TfrcWireKind
tfrc_wire_begin_ccfb (TfrcWireCcfbReader *reader, const uint8_t *data,
    size_t packet_size, TfrcPacketReport *report)
{
  reader->n_parts = 1;
  reader->part = 0;
  reader->n_blocks = 0;
  return open_packet (&reader->parts[0], data, packet_size, report);
}

bool
tfrc_wire_join_ccfb (TfrcWireCcfbReader *reader, const uint8_t *data,
    size_t packet_size, const TfrcPacketReport *report)
{
  TfrcPacketReport other;

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

/* A packet without an arrival time sorts first, so that it does not hold up the
 * rest of its block. */
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

/* Counts the leading packets of one SSRC that fit into one report block of at most
 * `room` bytes: sets *n_fit to their number and returns how many sequence numbers
 * they cover, missing packets included. */
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
    const TfrcPacketReport *report, const TfrcReportedPacket *packets, size_t n,
    size_t *n_written)
{
  size_t written = HEADER_SIZE;
  uint64_t timestamp =
      (report->clock % CCFB_CLOCK_PERIOD * 65536 + TFRC_SECOND / 2)
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
    /* The rest of this SSRC goes into the next report: an SSRC has one block. */
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

/* Reads and writes transport-wide feedback.
 *
 *    0  V=2 P FMT=15 | PT=205 | length
 *    4  SSRC of packet sender
 *    8  SSRC of media source
 *   12  base sequence number | packet status count
 *   16  reference time [64 ms], 24 bits | feedback packet count
 *   20  packet chunks of 16 bits: 0, symbol (2), run length (13); or 10 and 14
 *       symbols of 1 bit; or 11 and 7 symbols of 2 bits
 *       receive deltas [250 us]: unsigned 8 bits, or signed 16 bits
 */

#define CHUNK_SIZE 2
#define RUN_MAX 0x1FFF
#define REFERENCE_TICKS 256 /* 64 ms */
#define TWCC_CLOCK_PERIOD ((1ull << 24) * REFERENCE_TICKS * TFRC_WIRE_TWCC_TICK)

typedef enum
{
  NOT_RECEIVED = 0,
  SMALL_DELTA = 1,
  LARGE_DELTA = 2,
} Symbol;

/* Position of a writer, in front of one symbol. */
typedef struct
{
  const TfrcReportedPacket *packets;
  size_t n;
  TfrcDuration clock;
  size_t i; /* index of the packet */
  /* Missing packets in front of it whose symbols are written already. */
  uint32_t gone;
  /* Arrival time of the packet before it, in TFRC_WIRE_TWCC_TICK. */
  int64_t ticks;
} Cursor;

static void
load_chunk (TfrcWireTwccReader *self)
{
  uint16_t chunk = tfrc_wire_get16 (self->chunk);

  self->chunk += CHUNK_SIZE;
  if (chunk & 0x8000) {
    self->symbol_bits = chunk & 0x4000 ? 2 : 1;
    self->n_symbols = 14 / self->symbol_bits;
    self->symbols = (uint16_t) (chunk << 2);
  } else {
    self->symbol_bits = 0;
    self->n_symbols = chunk & RUN_MAX;
    self->symbols = chunk >> 13;
  }
  if (self->n_symbols > self->left)
    self->n_symbols = (uint16_t) self->left;
}

/* Returns whether there are chunks for all packets, and if so finds the receive
 * deltas, which follow the chunks. */
static bool
find_deltas (TfrcWireTwccReader *self)
{
  TfrcWireTwccReader ahead = *self;

  while (ahead.left > 0) {
    if (ahead.end - ahead.chunk < CHUNK_SIZE)
      return false;
    load_chunk (&ahead);
    ahead.left -= ahead.n_symbols;
  }
  self->delta = ahead.chunk;
  return true;
}

/* Returns how many of the next symbols to take at once, all equal to *symbol: one,
 * or the rest of a run of "not received", so that long runs cost no more time than
 * short ones. */
static uint16_t
next_symbols (TfrcWireTwccReader *self, unsigned *symbol)
{
  uint16_t n = 1;

  while (self->n_symbols == 0)
    load_chunk (self);
  if (self->symbol_bits > 0) {
    *symbol = self->symbols >> (16 - self->symbol_bits);
    self->symbols = (uint16_t) (self->symbols << self->symbol_bits);
  } else {
    *symbol = self->symbols;
    if (*symbol == NOT_RECEIVED)
      n = self->n_symbols;
  }
  self->n_symbols -= n;
  return n;
}

static bool
read_delta (TfrcWireTwccReader *self, unsigned symbol)
{
  /* In bytes: the symbols 1 and 2 are the sizes of their deltas. */
  size_t size = symbol;

  if (symbol > LARGE_DELTA || (size_t) (self->end - self->delta) < size)
    return false;
  self->ticks += symbol == SMALL_DELTA
      ? *self->delta
      : (int16_t) tfrc_wire_get16 (self->delta);
  self->delta += size;
  if (self->ticks > self->newest_ticks)
    self->newest_ticks = self->ticks;
  return true;
}

/* Like tfrc_wire_next_twcc (), but does not set the age. */
static bool
step (TfrcWireTwccReader *self, TfrcReportedPacket *packet)
{
  uint32_t numbers = 0;
  unsigned symbol = NOT_RECEIVED;

  while (self->left > 0 && symbol == NOT_RECEIVED) {
    uint16_t n = next_symbols (self, &symbol);

    self->left -= n;
    numbers += n;
  }
  if (numbers == 0)
    return false;
  if (symbol != NOT_RECEIVED && !read_delta (self, symbol)) {
    self->malformed = true;
    return false;
  }
  self->seq = (uint16_t) (self->seq + numbers);
  *packet = (TfrcReportedPacket) {
    .seq = (uint16_t) (self->seq - 1),
    .missing = (uint16_t) (numbers - 1),
    .arrived = symbol != NOT_RECEIVED,
    .has_time = symbol != NOT_RECEIVED,
  };
  return true;
}

TfrcWireKind
tfrc_wire_begin_twcc (TfrcWireTwccReader *reader, const uint8_t *data,
    size_t packet_size, TfrcPacketReport *report)
{
  TfrcReportedPacket packet;
  TfrcWireTwccReader start;
  size_t size = packet_size;
  uint64_t ticks;

  if (!tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB,
          TFRC_WIRE_FMT_TWCC))
    return TFRC_WIRE_FOREIGN;
  if (data[0] & 0x20)
    size -= tfrc_wire_get_padding (data, packet_size);
  if (size < TFRC_WIRE_TWCC_HEADER_SIZE)
    return TFRC_WIRE_BAD_FEEDBACK;
  start = (TfrcWireTwccReader) {
    .chunk = data + TFRC_WIRE_TWCC_HEADER_SIZE,
    .end = data + size,
    .seq = tfrc_wire_get16 (data + 12),
    .left = tfrc_wire_get16 (data + 14),
    .newest_ticks = INT64_MIN,
  };
  if (!find_deltas (&start))
    return TFRC_WIRE_BAD_FEEDBACK;

  *reader = start;
  while (step (reader, &packet))
    continue;
  if (reader->malformed)
    return TFRC_WIRE_BAD_FEEDBACK;
  start.newest_ticks = reader->newest_ticks == INT64_MIN
      ? 0
      : reader->newest_ticks;
  *reader = start;

  /* Unsigned arithmetic, so that arrivals before the reference time wrap around
   * too. */
  ticks = (uint64_t) tfrc_wire_get24 (data + 16) * REFERENCE_TICKS
      + (uint64_t) start.newest_ticks;
  *report = (TfrcPacketReport) {
    .reporter_ssrc = tfrc_wire_get32 (data + 4),
    .counted = true,
    .count = data[19],
    .clock = ticks % (TWCC_CLOCK_PERIOD / TFRC_WIRE_TWCC_TICK)
        * TFRC_WIRE_TWCC_TICK,
    .clock_period = TWCC_CLOCK_PERIOD,
    .resolution = TFRC_WIRE_TWCC_TICK,
  };
  return TFRC_WIRE_FEEDBACK;
}

bool
tfrc_wire_next_twcc (TfrcWireTwccReader *reader, TfrcReportedPacket *packet)
{
  if (!step (reader, packet))
    return false;
  if (packet->arrived)
    packet->age = (TfrcDuration) (reader->newest_ticks - reader->ticks)
        * TFRC_WIRE_TWCC_TICK;
  return true;
}

/* Arrival time of the current packet, in TFRC_WIRE_TWCC_TICK; a packet without one
 * gets that of the packet before it. */
static int64_t
get_ticks (const Cursor *self)
{
  const TfrcReportedPacket *packet = &self->packets[self->i];

  if (!packet->has_time)
    return self->ticks;
  return (int64_t) ((self->clock - packet->age + TFRC_WIRE_TWCC_TICK / 2)
      / TFRC_WIRE_TWCC_TICK);
}

/* Starts at the first packet.  `ticks` is the reference time: the first arrival,
 * rounded down to a multiple of 64 ms. */
static Cursor
make_cursor (const TfrcPacketReport *report, const TfrcReportedPacket *packets,
    size_t n)
{
  Cursor cursor = {
    .packets = packets,
    .n = n,
    /* One period ahead: clock minus age must not become negative. */
    .clock = report->clock + TWCC_CLOCK_PERIOD,
  };

  cursor.ticks = (int64_t) (cursor.clock / TFRC_WIRE_TWCC_TICK);
  for (cursor.i = 0; cursor.i < n; cursor.i++) {
    if (packets[cursor.i].has_time) {
      cursor.ticks = get_ticks (&cursor);
      break;
    }
  }
  cursor.ticks -= cursor.ticks % REFERENCE_TICKS;
  cursor.i = 0;
  return cursor;
}

/* How many packets fit into one report by the width of its fields: the packet
 * status count and the deltas. */
static size_t
count_packets (Cursor cursor, uint32_t *n_numbers)
{
  *n_numbers = 0;
  for (; cursor.i < cursor.n; cursor.i++) {
    const TfrcReportedPacket *packet = &cursor.packets[cursor.i];
    int64_t ticks = packet->arrived ? get_ticks (&cursor) : cursor.ticks;

    if (*n_numbers + packet->missing + 1 > UINT16_MAX
        || ticks - cursor.ticks < INT16_MIN || ticks - cursor.ticks > INT16_MAX)
      break;
    *n_numbers += packet->missing + 1;
    cursor.ticks = ticks;
  }
  return cursor.i;
}

static Symbol
get_symbol (const Cursor *self)
{
  const TfrcReportedPacket *packet = &self->packets[self->i];
  int64_t delta = get_ticks (self) - self->ticks;

  if (self->gone < packet->missing || !packet->arrived)
    return NOT_RECEIVED;
  return delta >= 0 && delta <= UINT8_MAX ? SMALL_DELTA : LARGE_DELTA;
}

static void
advance (Cursor *self)
{
  const TfrcReportedPacket *packet = &self->packets[self->i];

  if (self->gone++ < packet->missing)
    return;
  if (packet->arrived)
    self->ticks = get_ticks (self);
  self->gone = 0;
  self->i++;
}

/* Makes a status vector chunk of the next 14 one-bit symbols, or of the next 7
 * two-bit symbols if there is a large delta among the 14. */
static uint16_t
make_vector (Cursor *self)
{
  Cursor ahead = *self;
  uint16_t one_bit = 0x8000, two_bits = 0xC000;

  for (unsigned k = 1; k <= 14 && ahead.i < ahead.n; k++) {
    Symbol symbol = get_symbol (&ahead);

    if (symbol == LARGE_DELTA)
      break;
    one_bit |= (uint16_t) (symbol << (14 - k));
    advance (&ahead);
    if (k == 14 || ahead.i == ahead.n) {
      *self = ahead;
      return one_bit;
    }
  }
  for (unsigned k = 1; k <= 7 && self->i < self->n; k++) {
    two_bits |= (uint16_t) (get_symbol (self) << (14 - 2 * k));
    advance (self);
  }
  return two_bits;
}

/* Returns the size in bytes.  With `data` NULL it only computes the size. */
static size_t
write_chunks (uint8_t *data, Cursor cursor)
{
  size_t size = 0;

  while (cursor.i < cursor.n) {
    Cursor ahead = cursor;
    Symbol symbol = get_symbol (&cursor);
    uint16_t run = 0, chunk;

    while (run < RUN_MAX && ahead.i < ahead.n
        && get_symbol (&ahead) == symbol) {
      advance (&ahead);
      run++;
    }
    /* A vector chunk holds as many symbols as a shorter run. */
    if (run >= (symbol == LARGE_DELTA ? 7 : 14)) {
      chunk = (uint16_t) (symbol << 13 | run);
      cursor = ahead;
    } else {
      chunk = make_vector (&cursor);
    }
    if (data != NULL)
      tfrc_wire_put16 (data + size, chunk);
    size += CHUNK_SIZE;
  }
  return size;
}

static size_t
write_deltas (uint8_t *data, Cursor cursor)
{
  size_t size = 0;

  while (cursor.i < cursor.n) {
    Symbol symbol = get_symbol (&cursor);
    int64_t delta = get_ticks (&cursor) - cursor.ticks;

    if (data != NULL && symbol == SMALL_DELTA)
      data[size] = (uint8_t) delta;
    if (data != NULL && symbol == LARGE_DELTA)
      tfrc_wire_put16 (data + size, (uint16_t) delta);
    size += symbol;
    advance (&cursor);
  }
  return size;
}

size_t
tfrc_wire_write_twcc (uint8_t *data, size_t size,
    const TfrcPacketReport *report, uint32_t media_ssrc,
    const TfrcReportedPacket *packets, size_t n, size_t *n_written)
{
  Cursor cursor = make_cursor (report, packets, n);
  uint32_t n_numbers;
  size_t chunks, end, written;

  for (;;) {
    cursor.n = *n_written = count_packets (cursor, &n_numbers);
    if (cursor.n == 0)
      return 0;
    chunks = write_chunks (NULL, cursor);
    end = TFRC_WIRE_TWCC_HEADER_SIZE + chunks + write_deltas (NULL, cursor);
    written = (end + 3) / 4 * 4;
    if (written <= size)
      break;
    cursor.n -= cursor.n / 8 + 1;
  }
  tfrc_wire_write_rtcp_header (data, TFRC_WIRE_FMT_TWCC, TFRC_WIRE_RTPFB,
      written);
  tfrc_wire_put32 (data + 4, report->reporter_ssrc);
  tfrc_wire_put32 (data + 8, media_ssrc);
  tfrc_wire_put16 (data + 12, (uint16_t) (packets[0].seq - packets[0].missing));
  tfrc_wire_put16 (data + 14, (uint16_t) n_numbers);
  tfrc_wire_put24 (data + 16,
      (uint32_t) (cursor.ticks / REFERENCE_TICKS) & 0xFFFFFF);
  data[19] = report->count;
  write_chunks (data + TFRC_WIRE_TWCC_HEADER_SIZE, cursor);
  write_deltas (data + TFRC_WIRE_TWCC_HEADER_SIZE + chunks, cursor);
  while (end < written)
    data[end++] = 0;
  return written;
}
