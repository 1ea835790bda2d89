/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfrc-wire.h"

#include <assert.h>
#include <string.h>

#include "tfrc-wire-bytes.h"

#define PT_SR 200
#define PT_RR 201
#define PT_SDES 202
#define PT_BYE 203
#define PT_APP 204
#define SDES_CNAME 1
#define FMT_PLI 1
#define FMT_SR_REQUEST 5

#define SR_SIZE 28 /* without report blocks, like RR_SIZE */
#define RR_SIZE 8
#define REPORT_BLOCK_SIZE 24
#define SDES_FIXED_SIZE 10 /* header, SSRC, type and length of the CNAME item */

void
tfrc_wire_write_rtcp_header (uint8_t data[TFRC_WIRE_RTCP_HEADER_SIZE],
    uint8_t count, uint8_t packet_type, size_t packet_size)
{
  assert (count < 32);
  assert (packet_size >= 4 && packet_size % 4 == 0);
  assert (packet_size <= 4 * ((size_t) UINT16_MAX + 1));

  data[0] = (uint8_t) (2 << 6 | count);
  data[1] = packet_type;
  tfrc_wire_put16 (data + 2, (uint16_t) (packet_size / 4 - 1));
}

bool
tfrc_wire_is_rtcp (const uint8_t *data, size_t packet_size, uint8_t packet_type,
    uint8_t count)
{
  return packet_size >= TFRC_WIRE_RTCP_HEADER_SIZE && data[1] == packet_type
      && (data[0] & 0x1F) == count;
}

/* RFC 3550 section 6.4.1: the last byte is the number of padding bytes, itself
 * included, a multiple of 4. libwebrtc pads transport-wide feedback with 1 to 3
 * bytes. */
size_t
tfrc_wire_get_padding (const uint8_t *data, size_t packet_size)
{
  size_t padding = data[packet_size - 1];

  if (padding > packet_size - TFRC_WIRE_RTCP_HEADER_SIZE)
    return 0;
  if (padding % 4 != 0
      && !tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB,
          TFRC_WIRE_FMT_TWCC))
    return 0;
  return padding;
}

void
tfrc_wire_write_pli (uint8_t data[TFRC_WIRE_PLI_SIZE], uint32_t sender_ssrc,
    uint32_t media_ssrc)
{
  tfrc_wire_write_rtcp_header (data, FMT_PLI, TFRC_WIRE_PSFB,
      TFRC_WIRE_PLI_SIZE);
  tfrc_wire_put32 (data + 4, sender_ssrc);
  tfrc_wire_put32 (data + 8, media_ssrc);
}

bool
tfrc_wire_read_pli (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc)
{
  if (packet_size < TFRC_WIRE_PLI_SIZE
      || !tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_PSFB, FMT_PLI))
    return false;
  *media_ssrc = tfrc_wire_get32 (data + 8);
  return true;
}

bool
tfrc_wire_is_sr_request (const uint8_t *data, size_t packet_size)
{
  return tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB, FMT_SR_REQUEST);
}

bool
tfrc_wire_harms_receiver (const uint8_t *data, size_t packet_size)
{
  return tfrc_wire_is_sr_request (data, packet_size)
      || tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB,
          TFRC_WIRE_FMT_TWCC);
}

static int32_t
get_signed24 (const uint8_t data[3])
{
  int32_t value = (int32_t) tfrc_wire_get24 (data);

  return value < 1 << 23 ? value : value - (1 << 24);
}

bool
tfrc_wire_read_report_block (const uint8_t *data, size_t packet_size,
    unsigned n, RtpReportBlock *block)
{
  size_t offset;

  if (packet_size < TFRC_WIRE_RTCP_HEADER_SIZE
      || (data[1] != PT_SR && data[1] != PT_RR) || n >= (data[0] & 0x1Fu))
    return false;
  offset = (data[1] == PT_SR ? SR_SIZE : RR_SIZE) + n * REPORT_BLOCK_SIZE;
  if (packet_size < offset + REPORT_BLOCK_SIZE)
    return false;

  *block = (RtpReportBlock) {
    .reporter_ssrc = tfrc_wire_get32 (data + 4),
    .media_ssrc = tfrc_wire_get32 (data + offset),
    .fraction_lost = data[offset + 4],
    .cumulative_lost = get_signed24 (data + offset + 5),
    .highest_seq = tfrc_wire_get32 (data + offset + 8),
    .last_sender_report = tfrc_wire_get32 (data + offset + 16),
    .delay_since_sender_report = tfrc_wire_get32 (data + offset + 20),
  };
  return true;
}

size_t
tfrc_wire_write_prefix (uint8_t *data, size_t size, uint32_t ssrc,
    const char *cname)
{
  size_t cname_size = strnlen (cname, TFRC_WIRE_CNAME_MAX);
  /* RFC 3550 section 6.5: a null octet ends the items, and further ones pad to the
   * next word. */
  size_t sdes_size = (SDES_FIXED_SIZE + cname_size + 1 + 3) / 4 * 4;
  uint8_t *sdes = data + RR_SIZE;

  if (size < RR_SIZE + sdes_size)
    return 0;
  tfrc_wire_write_rtcp_header (data, 0, PT_RR, RR_SIZE);
  tfrc_wire_put32 (data + 4, ssrc);

  memset (sdes, 0, sdes_size);
  tfrc_wire_write_rtcp_header (sdes, 1, PT_SDES, sdes_size);
  tfrc_wire_put32 (sdes + 4, ssrc);
  sdes[8] = SDES_CNAME;
  sdes[9] = (uint8_t) cname_size;
  memcpy (sdes + SDES_FIXED_SIZE, cname, cname_size);
  return RR_SIZE + sdes_size;
}

/* Generic NACKs.
 *
 *    0  V=2 P FMT=1 | PT=205 | length
 *    4  SSRC of packet sender
 *    8  SSRC of media source
 *   12  PID: a missing packet | BLP: which of the next 16 are missing
 *   ..  more of these
 */
#define FMT_NACK 1
#define PADDED 0x20

bool
tfrc_wire_read_nack (const uint8_t *data, size_t packet_size,
    uint32_t *media_ssrc, size_t *n_entries)
{
  if (!tfrc_wire_is_rtcp (data, packet_size, TFRC_WIRE_RTPFB, FMT_NACK))
    return false;
  if (data[0] & PADDED)
    packet_size -= tfrc_wire_get_padding (data, packet_size);
  if (packet_size < TFRC_WIRE_NACK_SIZE (1))
    return false;
  *media_ssrc = tfrc_wire_get32 (data + 8);
  *n_entries = (packet_size - TFRC_WIRE_NACK_HEADER_SIZE)
      / TFRC_WIRE_NACK_ENTRY_SIZE;
  return true;
}

TfrcNackEntry
tfrc_wire_read_nack_entry (const uint8_t *data, size_t n)
{
  const uint8_t *entry = data + TFRC_WIRE_NACK_SIZE (n);
  TfrcNackEntry read = { tfrc_wire_get16 (entry), tfrc_wire_get16 (entry + 2) };

  return read;
}

size_t
tfrc_wire_write_nack (uint8_t *data, uint32_t sender_ssrc, uint32_t media_ssrc,
    const uint16_t *seqs, size_t n)
{
  TfrcNackEntry entry = { seqs[0], 0 };
  size_t size = TFRC_WIRE_NACK_HEADER_SIZE;

  assert (n > 0);
  for (size_t i = 1; i <= n; i++) {
    uint16_t ahead = i < n ? (uint16_t) (seqs[i] - entry.seq)
                           : TFRC_WIRE_NACK_SPAN;

    if (ahead > 0 && ahead < TFRC_WIRE_NACK_SPAN) {
      entry.following |= (uint16_t) (1u << (ahead - 1));
      continue;
    }
    if (ahead == 0)
      continue;
    tfrc_wire_put16 (data + size, entry.seq);
    tfrc_wire_put16 (data + size + 2, entry.following);
    size += TFRC_WIRE_NACK_ENTRY_SIZE;
    if (i < n)
      entry = (TfrcNackEntry) { seqs[i], 0 };
  }
  tfrc_wire_write_rtcp_header (data, FMT_NACK, TFRC_WIRE_RTPFB, size);
  tfrc_wire_put32 (data + 4, sender_ssrc);
  tfrc_wire_put32 (data + 8, media_ssrc);
  return size;
}

/* Extended report (XR).
 *
 *    0  V=2 P reserved | PT=207 | length   RFC 3611 section 2
 *    4  SSRC of packet sender
 * then a block for each SSRC, RFC 6679 section 5.2:
 *    0  BT=13 | reserved | block length=5
 *    4  SSRC of media sender
 *    8  ECT(0) counter
 *   12  ECT(1) counter
 *   16  ECN-CE counter | not-ECT counter
 *   20  lost packets counter | duplication counter
 */
#define PT_XR 207
#define BT_ECN 13
#define BLOCK_HEADER_SIZE 4

static void
write_block (uint8_t *data, const TfrcEcnSummary *summary)
{
  data[0] = BT_ECN;
  data[1] = 0;
  tfrc_wire_put16 (data + 2, TFRC_WIRE_ECN_BLOCK_SIZE / 4 - 1);
  tfrc_wire_put32 (data + 4, summary->media_ssrc);
  tfrc_wire_put32 (data + 8, summary->ect_0);
  tfrc_wire_put32 (data + 12, summary->ect_1);
  tfrc_wire_put16 (data + 16, (uint16_t) summary->ce);
  tfrc_wire_put16 (data + 18, (uint16_t) summary->not_ect);
  tfrc_wire_put16 (data + 20, (uint16_t) summary->lost);
  tfrc_wire_put16 (data + 22, (uint16_t) summary->duplicates);
}

size_t
tfrc_wire_write_ecn (uint8_t data[TFRC_WIRE_ECN_MAX],
    const TfrcEcnSummary *summaries, size_t n, uint32_t sender_ssrc)
{
  size_t size = TFRC_WIRE_XR_HEADER_SIZE + n * TFRC_WIRE_ECN_BLOCK_SIZE;

  if (n == 0)
    return 0;
  tfrc_wire_write_rtcp_header (data, 0, PT_XR, size);
  tfrc_wire_put32 (data + 4, sender_ssrc);
  for (size_t i = 0; i < n; i++)
    write_block (data + TFRC_WIRE_XR_HEADER_SIZE + i * TFRC_WIRE_ECN_BLOCK_SIZE,
        &summaries[i]);
  return size;
}

static TfrcEcnSummary
read_block (const uint8_t *data)
{
  return (TfrcEcnSummary) {
    .media_ssrc = tfrc_wire_get32 (data + 4),
    .ect_0 = tfrc_wire_get32 (data + 8),
    .ect_1 = tfrc_wire_get32 (data + 12),
    .ce = tfrc_wire_get16 (data + 16),
    .not_ect = tfrc_wire_get16 (data + 18),
    .lost = tfrc_wire_get16 (data + 20),
    .duplicates = tfrc_wire_get16 (data + 22),
  };
}

size_t
tfrc_wire_read_ecn (const uint8_t *data, size_t packet_size,
    TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS], bool *alone)
{
  size_t offset = TFRC_WIRE_XR_HEADER_SIZE, n = 0;

  *alone = false;
  if (packet_size < TFRC_WIRE_XR_HEADER_SIZE || data[1] != PT_XR)
    return 0;
  while (n < TFRC_ECN_MAX_STREAMS
      && packet_size - offset >= BLOCK_HEADER_SIZE) {
    size_t size = 4 * ((size_t) tfrc_wire_get16 (data + offset + 2) + 1);

    if (size > packet_size - offset)
      break;
    if (data[offset] == BT_ECN && size == TFRC_WIRE_ECN_BLOCK_SIZE)
      summaries[n++] = read_block (data + offset);
    offset += size;
  }
  *alone = n > 0
      && packet_size == TFRC_WIRE_XR_HEADER_SIZE + n * TFRC_WIRE_ECN_BLOCK_SIZE;
  return n;
}

/* Returns false if the table is full. */
static bool
add_ssrc (TfrcWireCompound *self, const uint8_t *data, bool bye)
{
  uint32_t ssrc = tfrc_wire_get32 (data);
  size_t i = 0;

  while (i < self->n_ssrcs && self->ssrcs[i] != ssrc)
    i++;
  if (i == TFRC_WIRE_COMPOUND_SSRCS)
    return false;
  if (i == self->n_ssrcs)
    self->ssrcs[self->n_ssrcs++] = ssrc;
  if (bye)
    self->byes |= UINT32_C (1) << i;
  return true;
}

/* RFC 3550 section 6.5: a chunk is an SSRC and items, ended by a null octet and
 * padded to the next word. */
static bool
read_sdes (TfrcWireCompound *self, const uint8_t *data, size_t size,
    size_t padding)
{
  size_t offset = TFRC_WIRE_RTCP_HEADER_SIZE;

  for (unsigned n = data[0] & 0x1F; n > 0; n--) {
    if (size - offset < 8 || !add_ssrc (self, data + offset, false))
      return false;
    offset += 4;
    while (offset + 1 < size && data[offset] != 0)
      offset += 2 + (size_t) data[offset + 1];
    if (offset >= size || data[offset] != 0)
      return false;
    offset = (offset + 4) / 4 * 4;
  }
  /* An rtpsession reads one chunk more than the count says if the padding has room
   * for it. */
  return offset == size && (padding < 8 || add_ssrc (self, data + size, false));
}

/* RFC 3550 section 6.6: a reason for leaving may follow, padded to whole words. */
static bool
read_bye (TfrcWireCompound *self, const uint8_t *data, size_t size)
{
  size_t end = TFRC_WIRE_RTCP_HEADER_SIZE + 4 * (data[0] & (size_t) 0x1F);

  if (end > size
      || (end < size && (data[end] + (size_t) 4) / 4 * 4 != size - end))
    return false;
  for (size_t offset = TFRC_WIRE_RTCP_HEADER_SIZE; offset < end; offset += 4)
    if (!add_ssrc (self, data + offset, true))
      return false;
  return true;
}

/* Smallest valid size of a packet that is neither SDES nor BYE [bytes]. */
static size_t
get_min_size (const uint8_t *data)
{
  size_t blocks = REPORT_BLOCK_SIZE * (data[0] & (size_t) 0x1F);

  switch (data[1]) {
    case PT_SR:
      return 28 + blocks;
    case PT_RR:
      return 8 + blocks;
    case PT_APP:
    case TFRC_WIRE_RTPFB:
    case TFRC_WIRE_PSFB:
      return 12;
    default:
      return 8;
  }
}

static bool
read_packet (TfrcWireCompound *self, const uint8_t *data, size_t packet_size)
{
  size_t padding = data[0] & 0x20
      ? tfrc_wire_get_padding (data, packet_size)
      : 0;
  size_t size = packet_size - padding;

  if (data[1] == PT_SDES)
    return read_sdes (self, data, size, padding);
  if (data[1] == PT_BYE)
    return read_bye (self, data, size);
  self->n_harmful += tfrc_wire_harms_receiver (data, packet_size) ? 1 : 0;
  return size >= get_min_size (data) && add_ssrc (self, data + 4, false);
}

bool
tfrc_wire_read_compound (const uint8_t *data, size_t size,
    TfrcWireCompound *compound)
{
  bool valid = size <= TFRC_WIRE_COMPOUND_MAX;
  size_t packet_size;

  *compound = (TfrcWireCompound) { .n_ssrcs = 0 };
  for (size_t offset = 0; offset < size; offset += packet_size) {
    TfrcFeedback feedback;
    uint32_t ssrc;

    /* RFC 5761 section 4: other packet types may be RTP. */
    if (tfrc_wire_read_rtcp (data + offset, size - offset, &packet_size,
            &feedback, &ssrc)
            == TFRC_WIRE_MALFORMED
        || data[offset + 1] < 192 || data[offset + 1] > 223)
      return false;
    /* RFC 3550 section 6.1: an SR comes only at the start or after another report.
     * The rtpssrcdemux of GStreamer 1.22 leaks the memory of any other. */
    valid = valid && read_packet (compound, data + offset, packet_size)
        && (data[offset + 1] != PT_SR || data[1] == PT_SR || data[1] == PT_RR);
  }
  compound->has_end = size > 0;
  return valid && compound->n_ssrcs > 0;
}

size_t
tfrc_wire_get_packet_size (const uint8_t *data)
{
  return 4 * ((size_t) tfrc_wire_get16 (data + 2) + 1);
}

#define RTT_MAX_US 0xFFFFFFu

/* Rounds to the nearest microsecond, at most `most`. */
static uint32_t
to_us (TfrcDuration duration, uint32_t most)
{
  uint64_t us = duration / TFRC_MICROSECOND
      + (duration % TFRC_MICROSECOND >= TFRC_MICROSECOND / 2);

  return us > most ? most : (uint32_t) us;
}

void
tfrc_wire_write_extension (uint8_t data[TFRC_WIRE_EXTENSION_SIZE],
    const TfrcExtension *extension)
{
  uint32_t rtt_us = to_us (extension->rtt, RTT_MAX_US);

  /* A known RTT is never written as 0, which means "unknown" (RFC 5348 section
   * 3.2.1). */
  tfrc_wire_put24 (data, rtt_us == 0 && extension->rtt > 0 ? 1 : rtt_us);
  tfrc_wire_put32 (data + 3, extension->send_time_us);
}

bool
tfrc_wire_read_extension (TfrcExtension *extension, const uint8_t *data,
    size_t size)
{
  if (size != TFRC_WIRE_EXTENSION_SIZE)
    return false;
  extension->rtt = tfrc_wire_get24 (data) * TFRC_MICROSECOND;
  extension->send_time_us = tfrc_wire_get32 (data + 3);
  return true;
}

/* Reads and writes the feedback packet, and steps through compound RTCP.
 *
 *    0  V=2 P FMT=2 | PT=205 | length=6     RFC 4585 section 6.1
 *    4  SSRC of packet sender
 *    8  SSRC of media source
 *   12  echo of the newest data packet's send timestamp [us]
 *   16  time from that packet's arrival to this report [us]
 *   20  X_recv [bytes/s]
 *   24  p, scaled so that 2^32 - 1 is 1
 */

#define FMT_TFRC 2
#define P_ONE 4294967295.0

/* Rounds to the nearest integer and saturates. p = 0 means "no loss event yet" and
 * X_recv = 0 "first report", so no positive value becomes 0; negative values and
 * NaN do. */
static uint32_t
to_nonzero_u32 (double value)
{
  if (!(value > 0.0))
    return 0;
  if (value <= 1.0)
    return 1;
  if (value >= (double) UINT32_MAX)
    return UINT32_MAX;
  return (uint32_t) (value + 0.5);
}

void
tfrc_wire_write_feedback (uint8_t data[TFRC_WIRE_FEEDBACK_SIZE],
    const TfrcFeedback *feedback, uint32_t sender_ssrc)
{
  tfrc_wire_write_rtcp_header (data, FMT_TFRC, TFRC_WIRE_RTPFB,
      TFRC_WIRE_FEEDBACK_SIZE);
  tfrc_wire_put32 (data + 4, sender_ssrc);
  tfrc_wire_put32 (data + 8, feedback->media_ssrc);
  tfrc_wire_put32 (data + 12, feedback->echo_time_us);
  tfrc_wire_put32 (data + 16, to_us (feedback->echo_delay, UINT32_MAX));
  tfrc_wire_put32 (data + 20, to_nonzero_u32 (feedback->receive_rate));
  tfrc_wire_put32 (data + 24,
      to_nonzero_u32 (feedback->loss_event_rate * P_ONE));
}

TfrcWireKind
tfrc_wire_read_rtcp (const uint8_t *data, size_t size, size_t *packet_size,
    TfrcFeedback *feedback, uint32_t *sender_ssrc)
{
  size_t length, padding = 0;

  *packet_size = 0;
  if (size < TFRC_WIRE_RTCP_HEADER_SIZE || data[0] >> 6 != 2)
    return TFRC_WIRE_MALFORMED;
  length = tfrc_wire_get_packet_size (data);
  if (length > size)
    return TFRC_WIRE_MALFORMED;
  if (data[0] & 0x20) {
    /* RFC 3550 section 6.4.1: only the last packet of a compound may be padded. */
    padding = tfrc_wire_get_padding (data, length);
    if (padding == 0 || length != size)
      return TFRC_WIRE_MALFORMED;
  }
  *packet_size = length;

  if (!tfrc_wire_is_rtcp (data, length, TFRC_WIRE_RTPFB, FMT_TFRC))
    return TFRC_WIRE_FOREIGN;
  if (length - padding != TFRC_WIRE_FEEDBACK_SIZE)
    return TFRC_WIRE_BAD_FEEDBACK;

  *sender_ssrc = tfrc_wire_get32 (data + 4);
  *feedback = (TfrcFeedback) {
    .media_ssrc = tfrc_wire_get32 (data + 8),
    .echo_time_us = tfrc_wire_get32 (data + 12),
    .echo_delay = tfrc_wire_get32 (data + 16) * TFRC_MICROSECOND,
    .receive_rate = tfrc_wire_get32 (data + 20),
    .loss_event_rate = tfrc_wire_get32 (data + 24) / P_ONE,
  };
  return TFRC_WIRE_FEEDBACK;
}

/* Reads and writes the APP packet.
 *
 *    0  V=2 P subtype | PT=204 | length=6     RFC 3550 section 6.7
 *       subtype 1: the receiver drops padding-only packets, 0: it may forward
 *       them
 *    4  SSRC of packet sender
 *    8  'T' 'F' 'R' 'C'
 *   12  least one-way delay since the previous report [us], arrival time minus
 *       send timestamp
 *   16  one-way delay of the newest packets [us]
 *   20  arrival time of the newest packet [us]
 *   24  bytes received so far
 */

#define SUBTYPE 0
#define SUBTYPE_ENDS_PADDING 1
#define NAME 0x54465243u /* "TFRC" */
#define APP_HEADER_SIZE 12

void
tfrc_wire_write_delay (uint8_t data[TFRC_WIRE_DELAY_SIZE],
    const TfrcDelayReport *delay, uint32_t sender_ssrc)
{
  tfrc_wire_write_rtcp_header (data,
      delay->ends_padding ? SUBTYPE_ENDS_PADDING : SUBTYPE, PT_APP,
      TFRC_WIRE_DELAY_SIZE);
  tfrc_wire_put32 (data + 4, sender_ssrc);
  tfrc_wire_put32 (data + 8, NAME);
  tfrc_wire_put32 (data + 12, delay->least_delay_us);
  tfrc_wire_put32 (data + 16, delay->newest_delay_us);
  tfrc_wire_put32 (data + 20, delay->arrival_us);
  tfrc_wire_put32 (data + 24, delay->bytes);
}

TfrcWireDelayKind
tfrc_wire_read_delay (const uint8_t *data, size_t packet_size,
    TfrcDelayReport *delay, uint32_t *sender_ssrc)
{
  bool ends_padding = tfrc_wire_is_rtcp (data, packet_size, PT_APP,
      SUBTYPE_ENDS_PADDING);

  if ((!ends_padding && !tfrc_wire_is_rtcp (data, packet_size, PT_APP, SUBTYPE))
      || packet_size < APP_HEADER_SIZE || tfrc_wire_get32 (data + 8) != NAME)
    return TFRC_WIRE_NO_DELAY;
  if (data[0] & PADDED)
    packet_size -= tfrc_wire_get_padding (data, packet_size);
  if (packet_size != TFRC_WIRE_DELAY_SIZE)
    return TFRC_WIRE_BAD_DELAY;

  *sender_ssrc = tfrc_wire_get32 (data + 4);
  *delay = (TfrcDelayReport) {
    .least_delay_us = tfrc_wire_get32 (data + 12),
    .newest_delay_us = tfrc_wire_get32 (data + 16),
    .arrival_us = tfrc_wire_get32 (data + 20),
    .bytes = tfrc_wire_get32 (data + 24),
    .ends_padding = ends_padding,
  };
  return TFRC_WIRE_DELAY;
}

/* The FEC header.
 *
 *    0  sequence number of the first packet | XOR of the lengths
 *    4  E=1, XOR of the payload types (7) | mask=0 (24)
 *    8  XOR of the timestamps
 *   12  N=0 D type (3) index (3) | offset (8) | NA (8) | SN base ext (8)
 *
 * With a mask of zero, offset and NA say which packets are protected.  D tells rows
 * from columns and is ignored, as the offset says the same.  Type 0 is XOR. */
#define EXTENDED 0x80
#define TYPE_BITS 0x38 /* with N: only 0, XOR, is accepted */
#define RESERVED 0x80

void
tfrc_wire_write_parity (uint8_t *data, const TfrcWireParity *parity)
{
  assert (parity->stride > 0 && parity->count > 0);
  tfrc_wire_put16 (data, parity->first);
  tfrc_wire_put16 (data + 2, parity->length);
  data[4] = (uint8_t) (EXTENDED | parity->payload_type);
  tfrc_wire_put24 (data + 5, 0);
  tfrc_wire_put32 (data + 8, parity->timestamp);
  data[12] = 0;
  data[13] = parity->stride;
  data[14] = parity->count;
  data[15] = 0;
}

bool
tfrc_wire_read_parity (const uint8_t *data, size_t size, TfrcWireParity *parity)
{
  if (size < TFRC_WIRE_PARITY_SIZE || (data[4] & EXTENDED) == 0
      || tfrc_wire_get24 (data + 5) != 0
      || (data[12] & (RESERVED | TYPE_BITS)) != 0 || data[13] == 0
      || data[14] == 0)
    return false;
  *parity = (TfrcWireParity) {
    .first = tfrc_wire_get16 (data),
    .stride = data[13],
    .count = data[14],
    .length = tfrc_wire_get16 (data + 2),
    .payload_type = data[4] & (uint8_t) ~EXTENDED,
    .timestamp = tfrc_wire_get32 (data + 8),
  };
  return true;
}
