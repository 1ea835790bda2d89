/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes the feedback packet, and steps through compound RTCP.
 *
 *    0  V=2 P FMT=2 | PT=205 | length=6     RFC 4585 section 6.1
 *    4  SSRC of packet sender
 *    8  SSRC of media source
 *   12  echo of the newest data packet's send timestamp [us]
 *   16  time from that packet's arrival to this report [us]
 *   20  X_recv [bytes/s]
 *   24  p, 2^32 - 1 stands for 1
 */
#include "tfrc-wire-feedback.h"

#include "tfrc-wire-bytes.h"
#include "tfrc-wire-rtcp.h"

#define FMT_TFRC 2
#define P_ONE 4294967295.0

/* To the nearest microsecond, at most 71.6 minutes. */
static uint32_t
delay_to_us32 (TfrcDuration delay)
{
  uint64_t us = delay / TFRC_MICROSECOND;

  if (delay % TFRC_MICROSECOND >= TFRC_MICROSECOND / 2)
    us++;
  return us > UINT32_MAX ? UINT32_MAX : (uint32_t) us;
}

/* To the nearest integer, saturating.  A p of 0 says "no loss event yet" and
 * an X_recv of 0 "first report", so what is above 0 stays above 0; negative
 * values and NaN are 0. */
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
  tfrc_wire_put32 (data + 16, delay_to_us32 (feedback->echo_delay));
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
  length = 4 * ((size_t) tfrc_wire_get16 (data + 2) + 1);
  if (length > size)
    return TFRC_WIRE_MALFORMED;
  if (data[0] & 0x20) {
    /* RFC 3550 section 6.4.1: only the last packet of a compound is padded. */
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
