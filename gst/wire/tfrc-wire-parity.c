/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes the FEC header.
 *
 *    0  sequence number of the first packet | XOR of the lengths
 *    4  E=1, XOR of the payload types (7) | mask=0 (24)
 *    8  XOR of the timestamps
 *   12  N=0 D type (3) index (3) | offset (8) | NA (8) | SN base ext (8)
 *
 * With a mask of zero, offset and NA say which packets are protected.  D tells rows
 * from columns and is ignored, as the offset says the same.  Type 0 is XOR. */
#include "tfrc-wire-parity.h"

#include <assert.h>

#include "tfrc-wire-bytes.h"

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
