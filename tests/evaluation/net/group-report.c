/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IGMP: RFC 2236, RFC 3376 section 4.2.  MLD: RFC 2710, RFC 3810 section
 * 5.2.  Both protocols' newest reports differ in the length of addresses
 * only. */
#include "group-report.h"

#include <string.h>

enum
{
  IGMP_V1_REPORT = 0x12,
  IGMP_V2_REPORT = 0x16,
  IGMP_V2_LEAVE = 0x17,
  IGMP_V3_REPORT = 0x22,
  MLD_V1_REPORT = 131,
  MLD_V1_DONE = 132,
  MLD_V2_REPORT = 143,
};

/* Record types of RFC 3376 section 4.2.12 and RFC 3810 section 5.2.12. */
enum
{
  MODE_IS_INCLUDE = 1,
  MODE_IS_EXCLUDE,
  CHANGE_TO_INCLUDE,
  CHANGE_TO_EXCLUDE,
  ALLOW_NEW_SOURCES,
};

static size_t
address_size (unsigned version)
{
  return version == 4 ? 4 : 16;
}

static size_t
parse_single (unsigned version, const uint8_t *address, size_t size, bool joins,
    GroupChange *changes)
{
  if (size < address_size (version))
    return 0;
  memset (changes, 0, sizeof *changes);
  memcpy (changes->group.bytes, address, address_size (version));
  changes->group.version = version;
  changes->joins = joins;
  return 1;
}

/* False: changes no membership.  A host without sources left is gone. */
static bool
read_record (unsigned type, unsigned n_sources, bool *joins)
{
  switch (type) {
    case MODE_IS_EXCLUDE:
    case CHANGE_TO_EXCLUDE:
    case ALLOW_NEW_SOURCES:
      *joins = true;
      return true;
    case MODE_IS_INCLUDE:
    case CHANGE_TO_INCLUDE:
      *joins = n_sources > 0;
      return true;
    default:
      return false;
  }
}

static size_t
parse_records (unsigned version, const uint8_t *data, size_t size,
    GroupChange *changes, size_t max)
{
  size_t at = 8, length, n_changes = 0, n_sources;
  unsigned n_records = (unsigned) data[6] << 8 | data[7];
  bool joins;

  for (; n_records > 0 && n_changes < max; n_records--) {
    length = 4 + address_size (version);
    if (size < at + length)
      break;
    n_sources = (size_t) data[at + 2] << 8 | data[at + 3];
    if (read_record (data[at], (unsigned) n_sources, &joins))
      n_changes += parse_single (version, data + at + 4, size - at - 4, joins,
          &changes[n_changes]);
    /* Auxiliary data are counted in words of four bytes. */
    at += length + n_sources * address_size (version) + 4u * data[at + 1];
  }
  return n_changes;
}

size_t
group_report_parse (const IpPacket *packet, const uint8_t *data,
    GroupChange *changes, size_t max)
{
  unsigned version = packet->source.version;
  size_t size = packet->size - packet->payload;

  data += packet->payload;
  if (packet->protocol != (version == 4 ? IP_PROTOCOL_IGMP : IP_PROTOCOL_ICMPV6)
      || size < 8 || max == 0)
    return 0;
  /* Eight bytes in front of the address in MLDv1, four in IGMP. */
  switch (version << 8 | data[0]) {
    case 4 << 8 | IGMP_V1_REPORT:
    case 4 << 8 | IGMP_V2_REPORT:
      return parse_single (version, data + 4, size - 4, true, changes);
    case 4 << 8 | IGMP_V2_LEAVE:
      return parse_single (version, data + 4, size - 4, false, changes);
    case 6 << 8 | MLD_V1_REPORT:
      return parse_single (version, data + 8, size - 8, true, changes);
    case 6 << 8 | MLD_V1_DONE:
      return parse_single (version, data + 8, size - 8, false, changes);
    case 4 << 8 | IGMP_V3_REPORT:
    case 6 << 8 | MLD_V2_REPORT:
      return parse_records (version, data, size, changes, max);
    default:
      return 0;
  }
}
