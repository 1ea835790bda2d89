/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "seeds.h"

#include <string.h>

#include "tfmcc-wire.h"
#include "tfrc-wire-bytes.h"
#include "tfrc-wire-packet-feedback.h"
#include "tfrc-wire.h"

#define STRANGERS 400 /* SSRCs */
#define EXTENSION_ID 14
#define VIDEO 96
#define PARITY 63 /* of payload type 96, as tfrcsink has it */
#define RTX 127

typedef void (*Maker) (GByteArray *data, const SeedsTalk *talk, GRand *rand);

static gboolean
one_in (GRand *rand, guint n)
{
  return g_rand_int_range (rand, 0, (gint) n) == 0;
}

static guint
below (GRand *rand, guint n)
{
  return (guint) g_rand_int_range (rand, 0, (gint) n);
}

static void
put32 (GByteArray *data, guint32 value)
{
  guint8 bytes[4];

  tfrc_wire_put32 (bytes, value);
  g_byte_array_append (data, bytes, 4);
}

static void
put_random (GByteArray *data, guint n, GRand *rand)
{
  while (n-- > 0) {
    guint8 byte = (guint8) g_rand_int (rand);

    g_byte_array_append (data, &byte, 1);
  }
}

static void
put_header (GByteArray *data, guint count, guint type, gsize size)
{
  guint8 header[TFRC_WIRE_RTCP_HEADER_SIZE];

  tfrc_wire_write_rtcp_header (header, (guint8) count, (guint8) type, size);
  g_byte_array_append (data, header, sizeof header);
}

static guint32
stranger (GRand *rand)
{
  return one_in (rand, 4) ? g_rand_int (rand)
                          : 0x5EED0000u + below (rand, STRANGERS);
}

/* Whose packet it says to be. */
static guint32
pick_sender (const SeedsTalk *talk, GRand *rand)
{
  return one_in (rand, 2) ? talk->own_ssrc : stranger (rand);
}

/* Whom it is about. */
static guint32
pick_media (const SeedsTalk *talk, GRand *rand)
{
  switch (below (rand, 8)) {
    case 0:
      return stranger (rand);
    case 1:
      return talk->own_ssrc;
    case 2:
      return talk->n_ssrcs == 0 ? 0 : talk->ssrcs[below (rand, talk->n_ssrcs)];
    default:
      return talk->media_ssrc;
  }
}

static void
make_feedback (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint8 bytes[TFRC_WIRE_FEEDBACK_SIZE + TFRC_WIRE_DELAY_SIZE];
  guint32 sender = pick_sender (talk, rand);
  TfrcFeedback feedback = {
    .media_ssrc = pick_media (talk, rand),
    .echo_time_us = talk->send_time_us,
    .echo_delay = below (rand, 10) * TFRC_MILLISECOND,
    .receive_rate = below (rand, 1000000),
    .loss_event_rate = one_in (rand, 2) ? 0.0 : g_rand_double (rand) / 10,
    .delay.arrival_us = g_rand_int (rand),
    .delay.bytes = g_rand_int (rand),
  };

  tfrc_wire_write_feedback (bytes, &feedback, sender);
  tfrc_wire_write_delay (bytes + TFRC_WIRE_FEEDBACK_SIZE, &feedback.delay,
      one_in (rand, 4) ? stranger (rand) : sender);
  g_byte_array_append (data, bytes,
      one_in (rand, 2) ? TFRC_WIRE_FEEDBACK_SIZE : sizeof bytes);
}

static void
make_group_report (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint8 bytes[TFMCC_WIRE_REPORT_MAX];
  TfmccDiagnostics diagnostics = { .loss_event_rate = g_rand_double (rand),
    .rtt = below (rand, 1000) * TFRC_MILLISECOND };
  TfmccReport report = {
    .ssrc = pick_sender (talk, rand),
    .media_ssrc = pick_media (talk, rand),
    .has_rtt = one_in (rand, 2),
    .has_loss = one_in (rand, 2),
    .leaving = one_in (rand, 8),
    .rate = 1000 + below (rand, 1000000),
    .round = (guint8) (talk->round - below (rand, 3)),
    .report_time_us = (guint32) (g_get_monotonic_time ()),
    .echo_time_us = talk->send_time_us + below (rand, 10000),
  };
  gsize size = tfmcc_wire_write_report (bytes, &report,
      one_in (rand, 2) ? &diagnostics : NULL);

  g_byte_array_append (data, bytes, (guint) size);
}

/* Packets that came and others that did not, up to the newest one. */
static guint
make_packets (TfrcReportedPacket packets[64], const SeedsTalk *talk,
    GRand *rand)
{
  guint n = 1 + below (rand, 64), i;
  guint16 seq = (guint16) (talk->seq - 2 * n);

  for (i = 0; i < n; i++) {
    guint16 missing = one_in (rand, 8) ? (guint16) below (rand, 100) : 0;

    seq = (guint16) (seq + missing + 1);
    packets[i] = (TfrcReportedPacket) { .ssrc = talk->media_ssrc,
      .seq = seq,
      .missing = missing,
      .arrived = TRUE,
      .has_time = TRUE,
      .ecn = (guint8) below (rand, 4),
      .age = (n - i) * TFRC_MILLISECOND };
  }
  return n;
}

static void
make_ccfb (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  TfrcReportedPacket packets[64];
  guint8 bytes[2048];
  guint n = make_packets (packets, talk, rand), i;
  TfrcPacketReport report = { .reporter_ssrc = pick_sender (talk, rand),
    .clock = (TfrcDuration) g_get_monotonic_time () * 1000 % (1ull << 40),
    .clock_period = 65536 * TFRC_SECOND };
  gsize size, n_written;

  if (one_in (rand, 4)) {
    guint32 ssrc = pick_media (talk, rand);

    for (i = n / 2; i < n; i++)
      packets[i].ssrc = ssrc;
  }
  size = tfrc_wire_write_ccfb (bytes, sizeof bytes, &report, packets, n,
      &n_written);
  g_byte_array_append (data, bytes, (guint) size);
}

static void
make_twcc (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  TfrcReportedPacket packets[64];
  guint8 bytes[2048];
  guint n = make_packets (packets, talk, rand), i;
  TfrcPacketReport report = { .reporter_ssrc = pick_sender (talk, rand),
    .counted = TRUE,
    .count = (guint8) g_rand_int (rand),
    .clock = (TfrcDuration) g_get_monotonic_time () * 1000 % (1ull << 40),
    .clock_period = 65536 * TFRC_SECOND };
  gsize size, n_written;

  for (i = 0; i < n; i++)
    packets[i].ssrc = 0;
  size = tfrc_wire_write_twcc (bytes, sizeof bytes, &report,
      pick_media (talk, rand), packets, n, &n_written);
  g_byte_array_append (data, bytes, (guint) size);
}

static void
make_nack (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint16 seqs[100];
  guint8 bytes[TFRC_WIRE_NACK_SIZE (100)];
  guint n = 1 + below (rand, 100), i;

  for (i = 0; i < n; i++)
    seqs[i] = (guint16) (talk->seq - 3 * n + 3 * i + below (rand, 3));
  g_byte_array_append (data, bytes,
      (guint) tfrc_wire_write_nack (bytes, pick_sender (talk, rand),
          pick_media (talk, rand), seqs, n));
}

static void
make_ecn (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  TfrcEcnSummary summaries[TFRC_ECN_MAX_STREAMS];
  guint8 bytes[TFRC_WIRE_ECN_MAX];
  guint n = 1 + below (rand, TFRC_ECN_MAX_STREAMS), i;

  for (i = 0; i < n; i++)
    summaries[i] = (TfrcEcnSummary) { .media_ssrc = pick_media (talk, rand),
      .ect_0 = talk->seq,
      .ce = below (rand, 4),
      .lost = below (rand, 100) };
  g_byte_array_append (data, bytes,
      (guint) tfrc_wire_write_ecn (bytes, summaries, n,
          pick_sender (talk, rand)));
}

static void
make_pli (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint8 bytes[TFRC_WIRE_PLI_SIZE];

  tfrc_wire_write_pli (bytes, pick_sender (talk, rand),
      pick_media (talk, rand));
  g_byte_array_append (data, bytes, sizeof bytes);
}

static void
put_blocks (GByteArray *data, guint n, const SeedsTalk *talk, GRand *rand)
{
  while (n-- > 0) {
    put32 (data, pick_media (talk, rand));
    put32 (data, below (rand, 256) << 24 | below (rand, 1000));
    put32 (data, talk->seq);
    put32 (data, below (rand, 1000));
    put32 (data, talk->sender_report);
    put32 (data, below (rand, 65536));
  }
}

static void
make_sr (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint n = one_in (rand, 4) ? below (rand, 32) : 0;

  put_header (data, n, 200, 28 + 24 * n);
  put32 (data, pick_sender (talk, rand));
  put32 (data, (guint32) (g_get_real_time () / G_USEC_PER_SEC + 2208988800));
  put32 (data, g_rand_int (rand));
  put32 (data, talk->own_timestamp);
  put32 (data, talk->own_seq);
  put32 (data, 1000u * talk->own_seq);
  put_blocks (data, n, talk, rand);
}

static void
make_rr (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint n = one_in (rand, 4) ? below (rand, 32) : 1;

  put_header (data, n, 201, 8 + 24 * n);
  put32 (data, pick_sender (talk, rand));
  put_blocks (data, n, talk, rand);
}

static void
make_sdes (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  static const guint8 cname[] = { 1, 4, 'p', 'e', 'e', 'r', 0, 0 };
  guint n = one_in (rand, 4) ? below (rand, 32) : 1;

  put_header (data, n, 202, 4 + 12 * n);
  while (n-- > 0) {
    put32 (data, pick_sender (talk, rand));
    g_byte_array_append (data, cname, sizeof cname);
  }
}

static void
make_bye (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint n = one_in (rand, 4) ? below (rand, 32) : 1;

  put_header (data, n, 203, 4 + 4 * n);
  while (n-- > 0)
    put32 (data, pick_sender (talk, rand));
}

/* Feedback and applications that are not ours, with `n` words behind the
 * SSRCs: requests of RFC 5104 and 6051, REMB, an APP. */
static void
make_foreign (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  static const struct
  {
    guint8 type, count;
    guint n;
    const gchar *name;
  } kinds[] = { { TFRC_WIRE_RTPFB, 5, 0, NULL },
    { TFRC_WIRE_RTPFB, 3, 2, NULL }, { TFRC_WIRE_RTPFB, 4, 2, NULL },
    { TFRC_WIRE_PSFB, 2, 1, NULL }, { TFRC_WIRE_PSFB, 4, 2, NULL },
    { TFRC_WIRE_PSFB, 15, 2, "REMB" }, { 204, 0, 3, "name" },
    { 207, 0, 4, NULL }, { 209, 1, 2, NULL } };
  guint kind = below (rand, G_N_ELEMENTS (kinds));
  guint i;

  put_header (data, kinds[kind].count, kinds[kind].type,
      12 + 4 * kinds[kind].n);
  put32 (data, pick_sender (talk, rand));
  put32 (data, pick_media (talk, rand));
  for (i = 0; i < kinds[kind].n; i++) {
    if (i == 0 && kinds[kind].name != NULL)
      g_byte_array_append (data, (const guint8 *) kinds[kind].name, 4);
    else
      put32 (data, pick_media (talk, rand));
  }
}

static void
make_prefix (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint8 bytes[TFRC_WIRE_PREFIX_MAX];

  g_byte_array_append (data, bytes,
      (guint) tfrc_wire_write_prefix (bytes, sizeof bytes,
          pick_sender (talk, rand), "peer"));
}

static void
make_hello (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  put_header (data, 2 + below (rand, 2), 204, 20);
  put32 (data, pick_sender (talk, rand));
  g_byte_array_append (data, (const guint8 *) "TFRC", 4);
  put32 (data, (guint32) (talk->cookie >> 32));
  put32 (data, one_in (rand, 4) ? g_rand_int (rand) : (guint32) talk->cookie);
}

static const Maker makers[] = { make_feedback, make_group_report, make_ccfb,
  make_twcc, make_nack, make_ecn, make_pli, make_sr, make_rr, make_sdes,
  make_bye, make_foreign, make_prefix, make_hello };

/* As the peer of a talk in which all is well. */
static void
make_true (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  static const Maker reports[] = { make_feedback, make_ccfb, make_twcc,
    make_rr };

  if (talk->greets && one_in (rand, 2)) {
    make_hello (data, talk, rand);
    return;
  }
  if (talk->is_group)
    make_group_report (data, talk, rand);
  else
    reports[below (rand, G_N_ELEMENTS (reports))](data, talk, rand);
  if (one_in (rand, 4)) {
    make_sr (data, talk, rand);
    make_sdes (data, talk, rand);
  }
}

void
seeds_make_rtcp (GByteArray *data, const SeedsTalk *talk, SeedsChoice choice,
    GRand *rand)
{
  guint n = one_in (rand, 500) ? 200 : one_in (rand, 3) ? below (rand, 8) : 0;

  if (choice == SEEDS_TRUE) {
    make_true (data, talk, rand);
    return;
  }
  do
    makers[below (rand, G_N_ELEMENTS (makers))](data, talk, rand);
  while (n-- > 0);
}

static guint
make_extension (guint8 extension[TFMCC_WIRE_EXTENSION_MAX],
    const SeedsTalk *talk, GRand *rand)
{
  TfrcExtension single = { .send_time_us = (guint32) g_get_monotonic_time (),
    .rtt = below (rand, 50) * TFRC_MILLISECOND };
  TfmccExtension group = { .suppression_rate = 10000 + below (rand, 1000000),
    .max_rtt = 100 * TFRC_MILLISECOND,
    .round = (guint8) (g_get_monotonic_time () / G_USEC_PER_SEC),
    .send_time_us = single.send_time_us,
    .slow_start = one_in (rand, 2),
    .has_echo = one_in (rand, 2),
    .echo.ssrc = pick_media (talk, rand),
    .echo.report_time_us = talk->send_time_us };

  if (talk->is_group != one_in (rand, 16))
    return (guint) tfmcc_wire_write_extension (extension, &group);
  tfrc_wire_write_extension (extension, &single);
  return TFRC_WIRE_EXTENSION_SIZE;
}

/* One-byte form of RFC 8285, or two-byte form. */
static void
put_extension (GByteArray *data, const SeedsTalk *talk, GRand *rand)
{
  guint8 extension[TFMCC_WIRE_EXTENSION_MAX];
  guint size = make_extension (extension, talk, rand);
  gboolean two_bytes = one_in (rand, 16);
  guint8 id = one_in (rand, 16) ? (guint8) (1 + below (rand, 14))
                                : EXTENSION_ID;
  guint8 head[2] = { two_bytes ? id : (guint8) (id << 4 | (size - 1)),
    (guint8) size };
  guint used = size + (two_bytes ? 2 : 1), words = (used + 3) / 4;

  put32 (data, (two_bytes ? 0x10000000u : 0xBEDE0000u) | words);
  g_byte_array_append (data, head, two_bytes ? 2 : 1);
  g_byte_array_append (data, extension, size);
  g_byte_array_append (data, (const guint8[3]) { 0 }, 4 * words - used);
}

static void
put_payload (GByteArray *data, const SeedsTalk *talk, guint type, GRand *rand)
{
  guint8 head[TFRC_WIRE_PARITY_SIZE];
  TfrcWireParity parity = { .first = (guint16) (talk->own_seq - 10),
    .stride = 1,
    .count = (guint8) (1 + below (rand, 20)),
    .length = 100,
    .payload_type = VIDEO,
    .timestamp = talk->own_timestamp };

  if (type == PARITY) {
    tfrc_wire_write_parity (head, &parity);
    g_byte_array_append (data, head, sizeof head);
  } else if (type == RTX) {
    tfrc_wire_put16 (head, (guint16) (talk->own_seq - below (rand, 20)));
    g_byte_array_append (data, head, 2);
  } else if (one_in (rand, 2)) {
    static const guint8 key_frame[] = { 0x65, 0x88, 0x84 };

    g_byte_array_append (data, key_frame, sizeof key_frame);
  }
  put_random (data,
      one_in (rand, 100) ? below (rand, 20000) : below (rand, 400), rand);
}

void
seeds_make_rtp (GByteArray *data, const SeedsTalk *talk, SeedsChoice choice,
    GRand *rand)
{
  static const guint8 types[] = { VIDEO, VIDEO, VIDEO, PARITY, RTX, 97, 0 };
  gboolean is_true = choice == SEEDS_TRUE;
  guint type = is_true ? VIDEO : types[below (rand, G_N_ELEMENTS (types))];
  guint n_csrcs = type == PARITY ? 1 : 0;
  gboolean has_extension = is_true || !one_in (rand, 4);
  guint32 ssrc = is_true ? talk->own_ssrc : pick_sender (talk, rand);
  guint16 seq = talk->own_seq;

  if (!is_true && one_in (rand, 2))
    seq = (guint16) (seq + g_rand_int_range (rand, -200, 200));
  put32 (data,
      0x80000000u | (has_extension ? 1u << 28 : 0) | n_csrcs << 24
          | below (rand, 2) << 23 | type << 16 | seq);
  put32 (data, talk->own_timestamp);
  put32 (data, type == VIDEO ? ssrc : ssrc + type);
  if (n_csrcs > 0)
    put32 (data, ssrc);
  if (has_extension)
    put_extension (data, talk, rand);
  put_payload (data, talk, type, rand);
}
