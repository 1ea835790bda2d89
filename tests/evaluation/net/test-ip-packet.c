/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers of IPv4 and IPv6, CE marks, hops, membership reports. */
#include <check.h>
#include <string.h>

#include "check-suite.h"
#include "group-report.h"

/* UDP from 10.0.1.2 to 10.0.2.2, ECT(0), TTL 64, no payload.  The checksum by
 * hand: 4502 + 001c + 0000 + 4000 + 4011 + 0a00 + 0102 + 0a00 + 0202 = dc33,
 * complement 23cc. */
static const uint8_t ipv4[] = { 0x45, 0x02, 0x00, 0x1c, 0x00, 0x00, 0x40, 0x00,
  0x40, 0x11, 0x23, 0xcc, 10, 0, 1, 2, 10, 0, 2, 2, 0, 1, 0, 2, 0, 8, 0, 0 };

/* TCP from fd00::1 to fd00::2 behind a hop-by-hop header of 8 bytes, traffic
 * class 0x01: ECT(1). */
static const uint8_t ipv6[] = { 0x60, 0x10, 0, 0, 0, 28, 0, 64, 0xfd, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 2, 6, 0, 1, 4, 0, 0, 0, 0, 0, 80, 0, 81, 0, 0, 0, 0, 0, 0, 0, 0, 0x50,
  0x10, 0, 0, 0, 0, 0, 0 };

static uint8_t data[128];
static IpPacket packet;

static IpAddress
address (const char *text)
{
  IpAddress result;

  ck_assert (ip_address_parse (&result, text));
  return result;
}

static void
expect_address (const IpAddress *have, const char *want)
{
  IpAddress wanted = address (want);

  ck_assert (ip_address_equal (have, &wanted));
}

/* Over an IPv4 header with its checksum in place: 0. */
static unsigned
checksum (const uint8_t *header)
{
  unsigned sum = 0, i;

  for (i = 0; i < 20; i += 2)
    sum += (unsigned) header[i] << 8 | header[i + 1];
  sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

START_TEST (ipv4_is_read)
{
  ck_assert (ip_packet_parse (&packet, ipv4, sizeof ipv4));
  expect_address (&packet.source, "10.0.1.2");
  expect_address (&packet.destination, "10.0.2.2");
  ck_assert_uint_eq (packet.protocol, IP_PROTOCOL_UDP);
  ck_assert_uint_eq (packet.ecn, IP_ECN_ECT_0);
  ck_assert (packet.dont_fragment && !packet.is_later_fragment);
  ck_assert_uint_eq (packet.payload, 20);
  ck_assert_uint_eq (packet.size, 28);
}

END_TEST
START_TEST (ipv6_is_read_behind_its_extension_headers)
{
  ck_assert (ip_packet_parse (&packet, ipv6, sizeof ipv6));
  expect_address (&packet.source, "fd00::1");
  expect_address (&packet.destination, "fd00::2");
  ck_assert_uint_eq (packet.protocol, IP_PROTOCOL_TCP);
  ck_assert_uint_eq (packet.ecn, IP_ECN_ECT_1);
  ck_assert_uint_eq (packet.payload, 48);
  ck_assert_uint_eq (packet.size, 68);
}

END_TEST
START_TEST (what_is_cut_short_is_no_packet)
{
  size_t size;

  for (size = 0; size < sizeof ipv4; size++)
    ck_assert (!ip_packet_parse (&packet, ipv4, size));
  for (size = 0; size < sizeof ipv6; size++)
    ck_assert (!ip_packet_parse (&packet, ipv6, size));
  /* A header length of 16 bytes; an extension header longer than the packet;
   * version 5. */
  memcpy (data, ipv4, sizeof ipv4);
  data[0] = 0x44;
  ck_assert (!ip_packet_parse (&packet, data, sizeof ipv4));
  data[0] = 0x55;
  ck_assert (!ip_packet_parse (&packet, data, sizeof ipv4));
  memcpy (data, ipv6, sizeof ipv6);
  data[41] = 3;
  ck_assert (!ip_packet_parse (&packet, data, sizeof ipv6));
}

END_TEST
START_TEST (a_mark_keeps_the_checksum_right)
{
  ck_assert_uint_eq (checksum (ipv4), 0);
  memcpy (data, ipv4, sizeof ipv4);
  ip_packet_mark (data);
  ck_assert (ip_packet_parse (&packet, data, sizeof ipv4));
  ck_assert_uint_eq (packet.ecn, IP_ECN_CE);
  /* 4502 has become 4503: one less. */
  ck_assert_uint_eq (data[10] << 8 | data[11], 0x23cb);
  ck_assert_uint_eq (checksum (data), 0);

  memcpy (data, ipv6, sizeof ipv6);
  ip_packet_mark (data);
  ck_assert (ip_packet_parse (&packet, data, sizeof ipv6));
  ck_assert_uint_eq (packet.ecn, IP_ECN_CE);
  ck_assert_uint_eq (data[1], 0x30);
}

END_TEST
START_TEST (a_packet_has_as_many_hops_as_it_says)
{
  unsigned hops;

  memcpy (data, ipv4, sizeof ipv4);
  for (hops = 63; hops > 0; hops--) {
    ck_assert (ip_packet_hop (data));
    ck_assert_uint_eq (data[8], hops);
    ck_assert_uint_eq (checksum (data), 0);
  }
  ck_assert (!ip_packet_hop (data));
  memcpy (data, ipv6, sizeof ipv6);
  ck_assert (ip_packet_hop (data));
  ck_assert_uint_eq (data[7], 63);
  data[7] = 1;
  ck_assert (!ip_packet_hop (data));
}

END_TEST static const struct
{
  const char *text;
  bool multicast, link_local;
} kinds[] = {
  { "10.0.0.1", false, false },
  { "169.254.3.4", false, true },
  { "223.255.255.255", false, false },
  { "224.0.0.22", true, true },
  { "224.0.1.0", true, false },
  { "239.255.255.255", true, false },
  { "240.0.0.1", false, false },
  { "fd00::1", false, false },
  { "fe80::1", false, true },
  { "febf::1", false, true },
  { "fec0::1", false, false },
  { "ff02::16", true, true },
  { "ff15::1", true, false },
};

START_TEST (addresses_have_their_kind)
{
  IpAddress it = address (kinds[_i].text);

  ck_assert_int_eq (ip_address_is_multicast (&it), kinds[_i].multicast);
  ck_assert_int_eq (ip_address_is_link_local (&it), kinds[_i].link_local);
}

END_TEST
/* An IPv4 packet around a report. */
static size_t
report (GroupChange changes[4], const uint8_t *bytes, size_t size)
{
  memcpy (data, ipv4, 20);
  data[3] = (uint8_t) (20 + size);
  data[9] = IP_PROTOCOL_IGMP;
  memcpy (data + 20, bytes, size);
  ck_assert (ip_packet_parse (&packet, data, 20 + size));
  return group_report_parse (&packet, data, changes, 4);
}

static size_t
report6 (GroupChange changes[4], const uint8_t *bytes, size_t size)
{
  memcpy (data, ipv6, 40);
  data[5] = (uint8_t) size;
  data[6] = IP_PROTOCOL_ICMPV6;
  memcpy (data + 40, bytes, size);
  ck_assert (ip_packet_parse (&packet, data, 40 + size));
  return group_report_parse (&packet, data, changes, 4);
}

START_TEST (igmp_of_all_versions_is_read)
{
  static const uint8_t join1[] = { 0x12, 0, 0, 0, 239, 1, 2, 3 };
  static const uint8_t join2[] = { 0x16, 0, 0, 0, 239, 1, 2, 3 };
  static const uint8_t leave2[] = { 0x17, 0, 0, 0, 239, 1, 2, 3 };
  static const uint8_t query[] = { 0x11, 0, 0, 0, 239, 1, 2, 3 };
  /* To exclude {}: joins; to include {}: leaves; allow {10.0.1.2} with a word
   * of auxiliary data: joins; block {10.0.1.2}: nothing; is include
   * {10.0.1.2}: joins. */
  static const uint8_t version3[] = { 0x22, 0, 0, 0, 0, 0, 0, 5, 4, 0, 0, 0,
    239, 0, 0, 1, 3, 0, 0, 0, 239, 0, 0, 2, 5, 1, 0, 1, 239, 0, 0, 3, 10, 0, 1,
    2, 0, 0, 0, 0, 6, 0, 0, 1, 239, 0, 0, 4, 10, 0, 1, 2, 1, 0, 0, 1, 239, 0, 0,
    5, 10, 0, 1, 2 };
  GroupChange changes[4];

  ck_assert_uint_eq (report (changes, join1, sizeof join1), 1);
  ck_assert (changes[0].joins);
  ck_assert_uint_eq (report (changes, join2, sizeof join2), 1);
  ck_assert (changes[0].joins);
  expect_address (&changes[0].group, "239.1.2.3");
  ck_assert_uint_eq (report (changes, leave2, sizeof leave2), 1);
  ck_assert (!changes[0].joins);
  ck_assert_uint_eq (report (changes, query, sizeof query), 0);
  ck_assert_uint_eq (report (changes, version3, sizeof version3), 4);
  expect_address (&changes[0].group, "239.0.0.1");
  expect_address (&changes[1].group, "239.0.0.2");
  expect_address (&changes[2].group, "239.0.0.3");
  expect_address (&changes[3].group, "239.0.0.5");
  ck_assert (changes[0].joins && !changes[1].joins && changes[2].joins
      && changes[3].joins);
  /* Cut off within the third record. */
  ck_assert_uint_eq (report (changes, version3, 30), 2);
}

END_TEST
START_TEST (mld_of_both_versions_is_read)
{
  static const uint8_t single[] = { 131, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x15, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 };
  static const uint8_t records[] = { 143, 0, 0, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0xff,
    0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0, 0xff, 0x15, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9 };
  uint8_t done[sizeof single];
  GroupChange changes[4];

  ck_assert_uint_eq (report6 (changes, single, sizeof single), 1);
  ck_assert (changes[0].joins);
  expect_address (&changes[0].group, "ff15::7");
  memcpy (done, single, sizeof done);
  done[0] = 132;
  ck_assert_uint_eq (report6 (changes, done, sizeof done), 1);
  ck_assert (!changes[0].joins);
  ck_assert_uint_eq (report6 (changes, done, sizeof done - 1), 0);
  ck_assert_uint_eq (report6 (changes, records, sizeof records), 2);
  expect_address (&changes[0].group, "ff15::8");
  expect_address (&changes[1].group, "ff15::9");
  ck_assert (changes[0].joins && !changes[1].joins);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("ip-packet");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, ipv4_is_read);
  tcase_add_test (tcase, ipv6_is_read_behind_its_extension_headers);
  tcase_add_test (tcase, what_is_cut_short_is_no_packet);
  tcase_add_test (tcase, a_mark_keeps_the_checksum_right);
  tcase_add_test (tcase, a_packet_has_as_many_hops_as_it_says);
  tcase_add_loop_test (tcase, addresses_have_their_kind, 0,
      sizeof kinds / sizeof kinds[0]);
  tcase_add_test (tcase, igmp_of_all_versions_is_read);
  tcase_add_test (tcase, mld_of_both_versions_is_read);
  return run_check_suite (suite);
}
