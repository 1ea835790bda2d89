/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes the APP packet.
 *
 *    0  V=2 P subtype | PT=204 | length=6     RFC 3550 section 6.7
 *       subtype 1: padding ends here, 0: it may not
 *    4  SSRC of packet sender
 *    8  'T' 'F' 'R' 'C'
 *   12  least delay since the report before [us], arrival - send timestamp
 *   16  delay of the newest packets [us]
 *   20  arrival of the newest packet [us]
 *   24  bytes that have arrived
 */
#include "tfrc-wire-delay.h"

#include "tfrc-wire-bytes.h"
#include "tfrc-wire-rtcp.h"

#define PT_APP 204
#define SUBTYPE 0
#define SUBTYPE_ENDS_PADDING 1
#define NAME 0x54465243u /* "TFRC" */
#define APP_HEADER_SIZE 12
#define PADDED 0x20

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
