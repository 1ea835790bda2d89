/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes transport-wide feedback.
 *
 *    0  V=2 P FMT=15 | PT=205 | length
 *    4  SSRC of packet sender
 *    8  SSRC of media source
 *   12  base sequence number | packet status count
 *   16  reference time [64 ms], 24 bits | feedback packet count
 *   20  packet chunks, 16 bits each: 0, symbol in 2 bits, run length in 13; or
 *       10 and 14 symbols of 1 bit; or 11 and 7 symbols of 2 bits
 *       receive deltas [250 us]: 8 bits each, or 16 with sign
 */
#include "tfrc-wire-twcc.h"

#include "tfrc-wire-bytes.h"
#include "tfrc-wire-rtcp.h"

#define CHUNK_SIZE 2
#define RUN_MAX 0x1FFF
#define REFERENCE_TICKS 256 /* 64 ms */
#define CLOCK_PERIOD ((1ull << 24) * REFERENCE_TICKS * TFRC_WIRE_TWCC_TICK)

typedef enum
{
  NOT_RECEIVED = 0,
  SMALL_DELTA = 1,
  LARGE_DELTA = 2,
} Symbol;

/* Where a writer is: in front of a symbol. */
typedef struct
{
  const TfrcReportedPacket *packets;
  size_t n;
  TfrcDuration clock;
  size_t i;      /* of the packet */
  uint32_t gone; /* of its numbers: those missing in front of it */
  int64_t ticks; /* of the newest arrival in front of it */
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

/* Whether there are chunks for all packets; deltas stand behind them. */
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

/* The next symbols, which are the same: one, or the rest of a run that says that
 * nothing came, so that its length costs nothing. */
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
  size_t size = symbol; /* in bytes, of both that have one */

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

/* As tfrc_wire_next_twcc (), without the age. */
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
    size_t packet_size, TfrcArrivalReport *report)
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

  /* Unsigned, so that what lies before the reference time wraps, too. */
  ticks = (uint64_t) tfrc_wire_get24 (data + 16) * REFERENCE_TICKS
      + (uint64_t) start.newest_ticks;
  *report = (TfrcArrivalReport) {
    .reporter_ssrc = tfrc_wire_get32 (data + 4),
    .counted = true,
    .count = data[19],
    .clock = ticks % (CLOCK_PERIOD / TFRC_WIRE_TWCC_TICK) * TFRC_WIRE_TWCC_TICK,
    .clock_period = CLOCK_PERIOD,
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

/* When the packet arrived. */
static int64_t
get_ticks (const Cursor *self)
{
  const TfrcReportedPacket *packet = &self->packets[self->i];

  if (!packet->has_time)
    return self->ticks;
  return (int64_t) ((self->clock - packet->age + TFRC_WIRE_TWCC_TICK / 2)
      / TFRC_WIRE_TWCC_TICK);
}

/* The first arrival is less than a step of the reference time behind it. */
static Cursor
make_cursor (const TfrcArrivalReport *report, const TfrcReportedPacket *packets,
    size_t n)
{
  Cursor cursor = {
    .packets = packets,
    .n = n,
    /* Ages may lie before the clock's last wrap. */
    .clock = report->clock + CLOCK_PERIOD,
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

/* As many as one report can hold, whatever its size. */
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

/* Of the next 14 symbols, or 7 where those of one bit do not do. */
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

/* Returns their bytes; `data` NULL: does not write them. */
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
    /* Shorter runs do not fill a vector. */
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
    const TfrcArrivalReport *report, uint32_t media_ssrc,
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
