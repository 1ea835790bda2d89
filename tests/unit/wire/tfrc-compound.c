/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which RTCP compounds are valid, and which SSRCs they name. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check-suite.h"
#include "tfrc-wire.h"

/* Length fields are literal: size of the packet in words, minus one. */
#define RR 0x80, 201, 0, 1, 0, 0, 0, 1
#define SR \
  0x80, 200, 0, 6, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
      0, 0, 0, 0
#define APP 0x80, 204, 0, 2, 0, 0, 0, 3, 'T', 'E', 'S', 'T'
#define SR_REQUEST 0x85, 205, 0, 2, 0, 0, 0, 4, 0, 0, 0, 2
#define PLI 0x81, 206, 0, 2, 0, 0, 0, 5, 0, 0, 0, 2
#define XR 0x80, 207, 0, 1, 0, 0, 0, 6
/* Two chunks: a CNAME "a", and an empty one; then one whose terminating octet fills
 * its word. */
#define SDES \
  0x83, 202, 0, 7, 0, 0, 0, 7, 1, 1, 'a', 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, \
      9, 1, 4, 'a', 'b', 'c', 'd', 0, 0
#define BYE 0x82, 203, 0, 2, 0, 0, 0, 10, 0, 0, 0, 11
/* With the reason "gone.", 6 bytes of 8. */
#define BYE_REASON \
  0x81, 203, 0, 3, 0, 0, 0, 12, 5, 'g', 'o', 'n', 'e', '.', 0, 0

#define BYTES(...) \
  sizeof ((uint8_t[]) { __VA_ARGS__ }), { __VA_ARGS__ }

typedef struct
{
  size_t size;
  uint8_t data[96];
} Bytes;

static const struct
{
  Bytes in;
  size_t n_ssrcs;
  uint32_t ssrcs[8];
  uint32_t byes;
  size_t n_harmful;
} good[] = {
  { { BYTES (RR) }, 1, { 1 } },
  /* Whatever the type, and reduced size (RFC 5506). */
  { { BYTES (APP) }, 1, { 3 } },
  { { BYTES (XR) }, 1, { 6 } },
  { { BYTES (PLI) }, 1, { 5 } },
  { { BYTES (RR, SR, APP, SR_REQUEST, PLI, XR) }, 6, { 1, 2, 3, 4, 5, 6 }, 0,
      1 },
  { { BYTES (RR, SDES) }, 4, { 1, 7, 8, 9 } },
  { { BYTES (RR, BYE, RR, BYE_REASON) }, 4, { 1, 10, 11, 12 }, 14 },
  /* An unknown packet type, and a profile-specific extension at the end of an RR. */
  { { BYTES (0x80, 213, 0, 1, 0, 0, 0, 1) }, 1, { 1 } },
  { { BYTES (0x80, 201, 0, 2, 0, 0, 0, 1, 9, 9, 9, 9) }, 1, { 1 } },
  /* A packet that names no SSRC, beside one that does. */
  { { BYTES (RR, 0x80, 202, 0, 0, 0x80, 203, 0, 0) }, 1, { 1 } },
  /* Padding: of the last packet; of an SDES, in which an rtpsession reads 8 bytes
   * of padding as one more chunk. */
  { { BYTES (RR, 0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4) }, 1, { 1 } },
  { { BYTES (0xA1, 202, 0, 3, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 4) }, 1, { 7 } },
  { { BYTES (0xA1, 202, 0, 4, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 8) },
      2, { 7, 6 } },
};

START_TEST (names_whoever_is_in_what_adds_up)
{
  TfrcWireCompound compound;

  ck_assert (tfrc_wire_read_compound (good[_i].in.data, good[_i].in.size,
      &compound));
  ck_assert_uint_eq (compound.n_ssrcs, good[_i].n_ssrcs);
  for (size_t i = 0; i < compound.n_ssrcs; i++)
    ck_assert_uint_eq (compound.ssrcs[i], good[_i].ssrcs[i]);
  ck_assert_uint_eq (compound.byes, good[_i].byes);
  ck_assert_uint_eq (compound.n_harmful, good[_i].n_harmful);
}

END_TEST

static const Bytes bad[] = {
  { 0 },
  /* Versions 0, 1 and 3, also after a valid packet, and less than a header. */
  { BYTES (0x00, 201, 0, 1, 0, 0, 0, 1) },
  { BYTES (RR, 0x40, 201, 0, 1, 0, 0, 0, 1) },
  { BYTES (RR, 0xC0, 201, 0, 1, 0, 0, 0, 1) },
  { BYTES (RR, 0x80, 201) },
  /* An SR after a BYE and after an APP. */
  { BYTES (0x81, 203, 0, 1, 0, 0, 0, 1, 0x80, 200, 0, 6, 0, 0, 0, 1, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) },
  { BYTES (0x80, 204, 0, 2, 0, 0, 0, 1, 'n', 'a', 'm', 'e', 0x80, 200, 0, 6, 0,
      0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) },
  /* RTP, and packet types that are neither RTP nor RTCP. */
  { BYTES (0x80, 96, 0, 1, 0, 0, 0, 1) },
  { BYTES (RR, 0x80, 224, 0, 1, 0, 0, 0, 1) },
  /* A length beyond the end of the data, and one byte left over at the end. */
  { BYTES (0x80, 201, 0, 2, 0, 0, 0, 1) },
  { BYTES (RR, 0) },
  /* No SSRC is named. */
  { BYTES (0x80, 203, 0, 0) },
  { BYTES (0x80, 202, 0, 0, 0x80, 203, 0, 0) },
  { BYTES (0x80, 201, 0, 0) },
  /* Counts that do not fit the length: reports, feedback, APP, BYE, chunks. */
  { BYTES (0x81, 201, 0, 6, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0) },
  { BYTES (0x81, 200, 0, 6, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0) },
  { BYTES (0x81, 206, 0, 1, 0, 0, 0, 5) },
  { BYTES (0x80, 204, 0, 1, 0, 0, 0, 3) },
  { BYTES (0x82, 203, 0, 1, 0, 0, 0, 10) },
  { BYTES (0x82, 202, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0) },
  { BYTES (0x81, 202, 0, 4, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0) },
  { BYTES (0x80, 202, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0) },
  /* Chunks that are not terminated, have an item that is too long, or are cut in
   * half. */
  { BYTES (0x81, 202, 0, 2, 0, 0, 0, 7, 1, 2, 'a', 'b') },
  { BYTES (0x81, 202, 0, 2, 0, 0, 0, 7, 1, 9, 'a', 0) },
  { BYTES (0x81, 202, 0, 2, 0, 0, 0, 7, 1, 1, 'a', 1) },
  { BYTES (0x81, 202, 0, 1, 0, 0, 0, 7) },
  /* Reasons that are longer or shorter than the packet. */
  { BYTES (0x81, 203, 0, 2, 0, 0, 0, 12, 4, 'g', 'o', 'n') },
  { BYTES (0x81, 203, 0, 3, 0, 0, 0, 12, 3, 'g', 'o', 'n', 0, 0, 0, 0) },
  /* Invalid padding: not in the last packet, not a whole word, empty, the whole
   * packet, reaching into a report. */
  { BYTES (0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, RR) },
  { BYTES (0xA5, 205, 0, 3, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 255) },
  { BYTES (0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3) },
  { BYTES (0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0) },
  { BYTES (0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 8) },
  { BYTES (0xA1, 206, 0, 2, 0, 0, 0, 5, 0, 0, 0, 4) },
};

START_TEST (what_does_not_add_up_is_refused)
{
  TfrcWireCompound compound;
  uint8_t *data = malloc (bad[_i].size + 1);

  /* Nothing follows in memory, so that a sanitizer sees any read past the end. */
  memcpy (data, bad[_i].data, bad[_i].size);
  data = realloc (data, bad[_i].size > 0 ? bad[_i].size : 1);
  ck_assert (!tfrc_wire_read_compound (data, bad[_i].size, &compound));
  free (data);
}

END_TEST

/* An SDES of 31 chunks, all with `ssrc`, or with it and the numbers after it. */
static size_t
put_sdes (uint8_t *data, uint32_t ssrc, bool same)
{
  memset (data, 0, 4 + 31 * 8);
  tfrc_wire_write_rtcp_header (data, 31, 202, 4 + 31 * 8);
  for (uint32_t i = 0; i < 31; i++)
    data[4 + 8 * i + 3] = (uint8_t) (ssrc + (same ? 0 : i));
  return 4 + 31 * 8;
}

/* RR and 31 chunks: 32 SSRCs.  One more is noticed even after SSRCs that repeat. */
START_TEST (more_than_32_are_refused)
{
  static const uint8_t rr[] = { RR }, app[] = { APP };
  TfrcWireCompound compound;
  uint8_t data[1000];
  size_t size = sizeof rr;

  memcpy (data, rr, sizeof rr);
  size += put_sdes (data + size, 100, false);
  ck_assert (tfrc_wire_read_compound (data, size, &compound));
  ck_assert_uint_eq (compound.n_ssrcs, 32);
  ck_assert_uint_eq (compound.ssrcs[31], 130);
  memcpy (data + size, rr, sizeof rr);
  ck_assert (tfrc_wire_read_compound (data, size + sizeof rr, &compound));
  memcpy (data + size, app, sizeof app);
  ck_assert (!tfrc_wire_read_compound (data, size + sizeof app, &compound));

  size = sizeof rr + put_sdes (data + sizeof rr, 1, true);
  size += put_sdes (data + size, 100, false);
  ck_assert (tfrc_wire_read_compound (data, size, &compound));
  ck_assert_uint_eq (compound.n_ssrcs, 32);
  size += put_sdes (data + size, 101, false);
  ck_assert (!tfrc_wire_read_compound (data, size, &compound));
}

END_TEST

/* 1024 empty RRs are 8 kB. */
START_TEST (more_than_8_kb_is_refused)
{
  static const uint8_t rr[] = { RR };
  static uint8_t data[TFRC_WIRE_COMPOUND_MAX + sizeof rr];
  TfrcWireCompound compound;

  for (size_t offset = 0; offset < sizeof data; offset += sizeof rr)
    memcpy (data + offset, rr, sizeof rr);
  ck_assert (tfrc_wire_read_compound (data, TFRC_WIRE_COMPOUND_MAX, &compound));
  ck_assert (!tfrc_wire_read_compound (data, sizeof data, &compound));
  ck_assert (compound.has_end);
}

END_TEST

/* Valid packets with random bytes changed: a compound that is accepted can be
 * stepped through to its end, and the sender of its first packet is listed first. */
START_TEST (what_is_accepted_ends_where_its_lengths_say)
{
  TfrcRng rng;
  unsigned n_accepted = 0;

  tfrc_rng_init (&rng, 7, 0);
  for (unsigned n = 0; n < 200000; n++) {
    Bytes in = good[n % (sizeof good / sizeof good[0])].in;
    TfrcWireCompound compound;
    size_t offset = 0;

    for (unsigned i = 0; i < 2; i++)
      in.data[tfrc_rng_next (&rng) % in.size] = (uint8_t) tfrc_rng_next (&rng);
    if (!tfrc_wire_read_compound (in.data, in.size, &compound))
      continue;
    n_accepted++;
    ck_assert_uint_ge (compound.n_ssrcs, 1);
    while (offset < in.size)
      offset += tfrc_wire_get_packet_size (in.data + offset);
    ck_assert_uint_eq (offset, in.size);
  }
  ck_assert_uint_gt (n_accepted, 1000);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-wire-compound");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, names_whoever_is_in_what_adds_up, 0,
      sizeof good / sizeof good[0]);
  tcase_add_loop_test (tcase, what_does_not_add_up_is_refused, 0,
      sizeof bad / sizeof bad[0]);
  tcase_add_test (tcase, more_than_32_are_refused);
  tcase_add_test (tcase, more_than_8_kb_is_refused);
  tcase_add_test (tcase, what_is_accepted_ends_where_its_lengths_say);
  return run_check_suite (suite);
}
