/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the emulator's router answers to packets that are too big: bytes,
 * checksums, and when it says nothing. */
#include <check.h>
#include <string.h>

#include "check-suite.h"
#include "too-big.h"

/* UDP from 10.0.1.2 to 10.0.2.2, DF, with a right checksum (test-ip-packet.c
 * has it by hand). */
static const uint8_t ipv4[] = { 0x45, 0x02, 0x00, 0x1c, 0x00, 0x00, 0x40, 0x00,
  0x40, 0x11, 0x23, 0xcc, 10, 0, 1, 2, 10, 0, 2, 2, 0, 1, 0, 2, 0, 8, 0, 0 };

/* UDP from fd00::1 to fd00::2. */
static const uint8_t ipv6[] = { 0x60, 0, 0, 0, 0, 8, 17, 64, 0xfd, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 2, 0, 1, 0, 2, 0, 8, 0, 0 };

static uint8_t packet[1500];
static uint8_t answer[2048];

/* As the router of that address answers to the packet, `size` bytes of it. */
static size_t
answer_to (size_t size, const char *router, size_t mtu)
{
  IpAddress address;
  IpPacket ip;

  ck_assert (ip_address_parse (&address, router));
  ck_assert (ip_packet_parse (&ip, packet, size));
  return too_big_write (answer, packet, &ip, &address, mtu);
}

/* Header: 4500 + 0038 + 4001 + 0a00 + 0101 + 0a00 + 0102 = 9b3c, complement
 * 64c3.  ICMP: 0304 + 0240; the quoted header is ffff with its checksum, the
 * UDP header 000b: 1054e, folded 054f, complement fab0. */
START_TEST (ipv4_says_fragmentation_needed)
{
  static const uint8_t want[] = { 0x45, 0, 0, 56, 0, 0, 0, 0, 64, 1, 0x64, 0xc3,
    10, 0, 1, 1, 10, 0, 1, 2, 3, 4, 0xfa, 0xb0, 0, 0, 0x02, 0x40 };

  memcpy (packet, ipv4, sizeof ipv4);
  ck_assert_uint_eq (answer_to (sizeof ipv4, "10.0.1.1", 576), 56);
  ck_assert_mem_eq (answer, want, sizeof want);
  ck_assert_mem_eq (answer + sizeof want, ipv4, sizeof ipv4);
}

END_TEST
/* Pseudo-header: fd00 + 00ff + fd00 + 0001 + 0038 + 003a = 1fb72.  ICMP: 0200
 * + 0500.  Quoted: 6000 + 0008 + 1140 + fd00 + 0001 + fd00 + 0002 + 0001 + 0002
 * + 0008 = 26b56.  The sum 46dc8, folded 6dcc, complement 9233. */
START_TEST (ipv6_says_packet_too_big)
{
  static const uint8_t want[] = { 0x60, 0, 0, 0, 0, 56, 58, 64, 0xfd, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 1, 2, 0, 0x92, 0x33, 0, 0, 0x05, 0x00 };

  memcpy (packet, ipv6, sizeof ipv6);
  ck_assert_uint_eq (answer_to (sizeof ipv6, "fd00::ff", 1280), 96);
  ck_assert_mem_eq (answer, want, sizeof want);
  ck_assert_mem_eq (answer + sizeof want, ipv6, sizeof ipv6);
}

END_TEST
/* 1499 bytes, of which the answer quotes what it has room for. */
START_TEST (the_answer_has_its_bound)
{
  memset (packet, 0, sizeof packet);
  memcpy (packet, ipv4, sizeof ipv4);
  packet[2] = 1499 >> 8;
  packet[3] = 1499 & 0xff;
  ck_assert_uint_eq (answer_to (1499, "10.0.1.1", 1280), 576);
  ck_assert_mem_eq (answer + 28, packet, 548);
  memcpy (packet, ipv6, sizeof ipv6);
  packet[4] = 1459 >> 8;
  packet[5] = 1459 & 0xff;
  ck_assert_uint_eq (answer_to (1499, "fd00::ff", 1280), 1280);
  ck_assert_mem_eq (answer + 48, packet, 1232);
}

END_TEST
/* A byte of one of the packets changed, and whether it is answered to. */
static const struct
{
  const uint8_t *packet;
  size_t size, at;
  uint8_t value;
  bool answered;
} changes[] = {
  { ipv4, sizeof ipv4, 6, 0, false },    /* no DF */
  { ipv4, sizeof ipv4, 7, 1, false },    /* a later fragment */
  { ipv4, sizeof ipv4, 16, 239, false }, /* to a group */
  { ipv4, sizeof ipv4, 12, 224, false }, /* from one */
  { ipv4, sizeof ipv4, 9, IP_PROTOCOL_TCP, true },
  { ipv6, sizeof ipv6, 24, 0xff, true }, /* to a group */
  { ipv6, sizeof ipv6, 8, 0xff, false }, /* from one */
};

START_TEST (some_are_answered_to)
{
  memcpy (packet, changes[_i].packet, changes[_i].size);
  packet[changes[_i].at] = changes[_i].value;
  ck_assert_int_eq (answer_to (changes[_i].size,
                        changes[_i].packet == ipv4 ? "10.0.1.1" : "fd00::ff",
                        1280)
          > 0,
      changes[_i].answered);
}

END_TEST
/* A ping is answered to, an error never. */
START_TEST (errors_are_not_answered_to)
{
  memcpy (packet, ipv4, sizeof ipv4);
  packet[9] = IP_PROTOCOL_ICMP;
  packet[20] = 8;
  ck_assert_uint_gt (answer_to (sizeof ipv4, "10.0.1.1", 1280), 0);
  packet[20] = 11;
  ck_assert_uint_eq (answer_to (sizeof ipv4, "10.0.1.1", 1280), 0);
  memcpy (packet, ipv6, sizeof ipv6);
  packet[6] = IP_PROTOCOL_ICMPV6;
  packet[40] = 128;
  ck_assert_uint_gt (answer_to (sizeof ipv6, "fd00::ff", 1280), 0);
  packet[40] = 3;
  ck_assert_uint_eq (answer_to (sizeof ipv6, "fd00::ff", 1280), 0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("too-big");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, ipv4_says_fragmentation_needed);
  tcase_add_test (tcase, ipv6_says_packet_too_big);
  tcase_add_test (tcase, the_answer_has_its_bound);
  tcase_add_loop_test (tcase, some_are_answered_to, 0,
      sizeof changes / sizeof changes[0]);
  tcase_add_test (tcase, errors_are_not_answered_to);
  return run_check_suite (suite);
}
