/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes big-endian fields of fixed width.  There are no bounds checks
 * here: callers check the packet size once, before the first field. */
#pragma once

#include <stdint.h>

static inline void
tfrc_wire_put16 (uint8_t *data, uint16_t value)
{
  data[0] = (uint8_t) (value >> 8);
  data[1] = (uint8_t) value;
}

static inline void
tfrc_wire_put24 (uint8_t *data, uint32_t value)
{
  data[0] = (uint8_t) (value >> 16);
  data[1] = (uint8_t) (value >> 8);
  data[2] = (uint8_t) value;
}

static inline void
tfrc_wire_put32 (uint8_t *data, uint32_t value)
{
  tfrc_wire_put16 (data, (uint16_t) (value >> 16));
  tfrc_wire_put16 (data + 2, (uint16_t) value);
}

static inline uint16_t
tfrc_wire_get16 (const uint8_t *data)
{
  return (uint16_t) ((data[0] << 8) | data[1]);
}

static inline uint32_t
tfrc_wire_get24 (const uint8_t *data)
{
  return ((uint32_t) data[0] << 16) | ((uint32_t) data[1] << 8) | data[2];
}

static inline uint32_t
tfrc_wire_get32 (const uint8_t *data)
{
  return ((uint32_t) tfrc_wire_get16 (data) << 16) | tfrc_wire_get16 (data + 2);
}
