/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets move the address that reports go to. */

#include "receive/source-address.h"

#include <gst/check/gstcheck.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#define AWAY(n) (guint32) (100 + (n))

static GSocketAddress *
address_of (guint host)
{
  gchar *text = g_strdup_printf ("192.0.2.%u", host);
  GSocketAddress *address = g_inet_socket_address_new_from_string (text, 5004);

  g_free (text);
  return address;
}

/* A packet of that host, measured if it goes on, as the reception of a unicast flow
 * does. */
static TfrcAdmission
hear (TfrcSourceAddress *self, guint32 ssrc, guint16 seq, guint host,
    guint at_ms)
{
  GSocketAddress *address = address_of (host);
  TfrcTime now = (100000 + at_ms) * TFRC_MILLISECOND;
  TfrcAdmission admission = tfrc_source_address_admit (self, ssrc, seq, address,
      TFRC_SECOND, now);

  if (admission == TFRC_ADMISSION_PROVES)
    tfrc_source_address_prove (self, address);
  if (admission < TFRC_ADMISSION_UNPROVEN) {
    tfrc_source_address_on_packet (self, ssrc, address, now);
    tfrc_source_address_keep (self, ssrc, address, now);
  }
  g_object_unref (address);
  return admission;
}

/* SSRC 1 of host 1 proves itself at 0, 1 and 2 ms. */
static void
hear_sender (TfrcSourceAddress *self)
{
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (hear (self, 1, 65534 + i, 1, i),
        i < 2 ? TFRC_ADMISSION_TRIAL : TFRC_ADMISSION_PROVES);
}

static gboolean
reports_go_to (const TfrcSourceAddress *self, guint host)
{
  gchar *text = g_inet_address_to_string (g_inet_socket_address_get_address (
      G_INET_SOCKET_ADDRESS (self->address)));
  gboolean is_there = g_str_has_prefix (text, "192.0.2.")
      && (guint) atoi (text + 8) == host;

  g_free (text);
  return is_there;
}

static guint
count_gone (TfrcSourceAddress *self)
{
  guint32 ssrc;
  guint n = 0;

  while (tfrc_source_address_poll_gone (self, &ssrc))
    n++;
  return n;
}

/* Packets of a sender, 10 ms from each other; a stranger sends under its SSRC all the
 * time.  Ahead of its own 200 ms of silence nothing from elsewhere is its. */
GST_START_TEST (test_a_live_stream_has_one_address)
{
  TfrcSourceAddress self = { NULL };
  guint i;

  hear_sender (&self);
  for (i = 1; i <= 50; i++) {
    fail_unless_equals_int (hear (&self, 1, i, 66, i * 10),
        TFRC_ADMISSION_FOREIGN);
    fail_unless_equals_int (hear (&self, 1, i, 1, i * 10 + 1),
        TFRC_ADMISSION_SENDER);
  }
  fail_unless_equals_int (hear (&self, 1, 51, 2, 700), TFRC_ADMISSION_FOREIGN);
  fail_unless_equals_int (hear (&self, 1, 52, 2, 701), TFRC_ADMISSION_SENDER);
  fail_unless (reports_go_to (&self, 2));
  /* Its other streams from there, and from nowhere else. */
  fail_unless_equals_int (hear (&self, 2, 7, 2, 702), TFRC_ADMISSION_SENDER);
  fail_unless_equals_int (hear (&self, 2, 8, 1, 703), TFRC_ADMISSION_FOREIGN);
  tfrc_source_address_clear (&self);
  fail_unless (self.address == NULL && self.sender == NULL);
}

GST_END_TEST;

/* 40 streams of a sender, a packet of each in turn: in the third turn the first has
 * three in a row.  Two beside a stranger that has sent of 100 SSRCs before. */
GST_START_TEST (test_streams_in_turn_prove_their_sender)
{
  TfrcSourceAddress self = { NULL };
  guint i;

  for (i = 0; i < 80; i++)
    fail_unless (hear (&self, 1 + i % 40, i / 40, 1, i)
        != TFRC_ADMISSION_PROVES);
  fail_unless_equals_int (hear (&self, 1, 2, 1, 80), TFRC_ADMISSION_PROVES);
  for (i = 0; i < 40; i++)
    fail_unless_equals_int (hear (&self, 1 + i, 3, 1, 81 + i),
        TFRC_ADMISSION_SENDER);
  tfrc_source_address_clear (&self);

  self = (TfrcSourceAddress) { NULL };
  for (i = 0; i < 100; i++)
    hear (&self, AWAY (i), 0, 66, i);
  for (i = 0; i < 4; i++) {
    hear (&self, AWAY (100 + i), 0, 66, 100 + i);
    fail_unless (hear (&self, 1 + i % 2, i / 2, 1, 100 + i)
        != TFRC_ADMISSION_PROVES);
  }
  fail_unless_equals_int (hear (&self, 1, 2, 1, 104), TFRC_ADMISSION_PROVES);
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* All 64 places are its streams'. */
GST_START_TEST (test_a_sender_follows_one_of_many_streams)
{
  TfrcSourceAddress self = { NULL };
  guint i;

  hear_sender (&self);
  for (i = 2; i <= TFRC_MAX_STREAMS; i++)
    fail_unless_equals_int (hear (&self, i, 1, 1, i), TFRC_ADMISSION_SENDER);
  for (i = 0; i < 3; i++)
    fail_unless_equals_int (hear (&self, 1000, i, 2, 2000 + i),
        i < 2 ? TFRC_ADMISSION_TRIAL : TFRC_ADMISSION_PROVES);
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* 100 ms from each other: what is missing for 200 ms may be late. */
GST_START_TEST (test_a_slow_stream_moves_after_four_intervals)
{
  TfrcSourceAddress self = { NULL };
  guint i;

  hear_sender (&self);
  for (i = 1; i <= 100; i++)
    hear (&self, 1, i, 1, i * 100);
  fail_unless_equals_int (hear (&self, 1, 101, 2, 10390),
      TFRC_ADMISSION_FOREIGN);
  fail_unless_equals_int (hear (&self, 1, 101, 2, 10401),
      TFRC_ADMISSION_SENDER);
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* 300 strangers within 300 ms: the eight that a burst is.  The 64 places are theirs,
 * of one host, for a second: one of them might prove it.  Another host gets one, and
 * goes on by what became free in 250 ms. */
GST_START_TEST (test_few_go_on_before_there_is_a_sender)
{
  TfrcSourceAddress self = { NULL };
  guint i, n = 0, n_known = 0;

  for (i = 0; i < 300; i++)
    n += hear (&self, AWAY (i), i, 66, i) == TFRC_ADMISSION_TRIAL;
  fail_unless_equals_int (n, 8);
  for (i = 0; i < 300; i++)
    n_known += tfrc_source_address_has_ssrc (&self, AWAY (i));
  fail_unless (n_known <= 8);
  fail_unless_equals_int (count_gone (&self), n - n_known);
  /* The sender comes, in the middle of it. */
  for (i = 0; i < 3; i++) {
    hear (&self, AWAY (300 + i), i, 66, 300 + i);
    fail_unless_equals_int (hear (&self, 1, i, 1, 300 + i),
        i < 2 ? TFRC_ADMISSION_TRIAL : TFRC_ADMISSION_PROVES);
  }
  fail_unless_equals_int (count_gone (&self), n_known);
  fail_unless (reports_go_to (&self, 1));
  fail_unless_equals_int (hear (&self, AWAY (303), 3, 66, 303),
      TFRC_ADMISSION_FOREIGN);
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* Muted for 2 s; then the sender goes on where it is, at once. */
GST_START_TEST (test_few_go_on_while_the_sender_is_silent)
{
  TfrcSourceAddress self = { NULL };
  guint i, n = 0;

  hear_sender (&self);
  for (i = 0; i < 2000; i++)
    n += hear (&self, AWAY (i), i, 66, i + 3) == TFRC_ADMISSION_TRIAL;
  /* From 1002 ms on: 8 and 1 s * 4/s. */
  fail_unless (n <= 12);
  fail_unless_equals_int (hear (&self, 1, 1, 1, 2003), TFRC_ADMISSION_SENDER);
  fail_unless (reports_go_to (&self, 1));
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* Five streams, each with parity and repetitions, from their first packets on. */
GST_START_TEST (test_all_streams_of_a_sender_go_on)
{
  TfrcSourceAddress self = { NULL };
  guint i;

  for (i = 0; i < 3; i++)
    for (guint ssrc = 1; ssrc <= 5; ssrc++)
      fail_unless (hear (&self, ssrc, i, 1, i) < TFRC_ADMISSION_UNPROVEN);
  for (guint ssrc = 6; ssrc <= 64; ssrc++)
    fail_unless_equals_int (hear (&self, ssrc, 0, 1, ssrc),
        TFRC_ADMISSION_SENDER);
  for (guint ssrc = 1; ssrc <= 64; ssrc++)
    fail_unless (tfrc_source_address_has_ssrc (&self, ssrc));
  fail_unless_equals_int (count_gone (&self), 0);
  /* One more: 2, as 1 was heard again. */
  hear (&self, 1, 4, 1, 100);
  hear (&self, 65, 0, 1, 101);
  fail_unless_equals_int (count_gone (&self), 1);
  fail_if (tfrc_source_address_has_ssrc (&self, 2));
  fail_unless (tfrc_source_address_has_ssrc (&self, 1));
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* Numbers that do not follow each other, late ones, and those of two hosts. */
GST_START_TEST (test_only_packets_in_a_row_prove)
{
  static const struct
  {
    guint16 seq;
    guint host;
    gboolean proves;
  } rows[] = { { 1, 1, FALSE }, { 1000, 1, FALSE }, { 1001, 1, FALSE },
    { 1001, 1, FALSE }, { 1002, 2, FALSE }, { 1003, 1, FALSE },
    { 1004, 1, FALSE }, { 1006, 1, TRUE } };
  TfrcSourceAddress self = { NULL };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    fail_unless_equals_int (hear (&self, 1, rows[i].seq, rows[i].host, i)
            == TFRC_ADMISSION_PROVES,
        rows[i].proves);
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* From where it is at any time; from elsewhere after 2 s of silence, here. */
GST_START_TEST (test_a_place_is_free_after_silence)
{
  static const struct
  {
    const gchar *address;
    guint at_ms;
    gboolean free;
  } tries[] = {
    { "192.0.2.1", 1001, TRUE },
    { "192.0.2.2", 1001, FALSE },
    { "192.0.2.2", 2999, FALSE },
    { "192.0.2.2", 3000, TRUE },
  };
  TfrcSourceAddress self = { NULL };
  GSocketAddress *address = g_inet_socket_address_new_from_string ("192.0.2.1",
      5004);
  guint i;

  fail_unless (tfrc_source_address_accepts (&self, address, 2 * TFRC_SECOND,
      0));
  tfrc_source_address_on_packet (&self, 1, address, TFRC_SECOND);
  g_object_unref (address);
  for (i = 0; i < G_N_ELEMENTS (tries); i++) {
    address = g_inet_socket_address_new_from_string (tries[i].address, 5004);
    fail_unless_equals_int (tfrc_source_address_accepts (&self, address,
                                2 * TFRC_SECOND,
                                tries[i].at_ms * TFRC_MILLISECOND),
        tries[i].free);
    g_object_unref (address);
  }
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* The former sender has said BYE for the last of its streams. */
GST_START_TEST (test_a_sender_that_left_is_not_waited_for)
{
  TfrcSourceAddress self = { NULL };

  hear_sender (&self);
  hear (&self, 2, 0, 1, 10);
  tfrc_source_address_remove (&self, 3);
  tfrc_source_address_remove (&self, 1);
  fail_if (tfrc_source_address_has_ssrc (&self, 1));
  fail_unless (tfrc_source_address_has_ssrc (&self, 2));
  fail_unless_equals_int (hear (&self, 4, 0, 2, 11), TFRC_ADMISSION_FOREIGN);
  tfrc_source_address_remove (&self, 2);
  fail_if (tfrc_source_address_has_ssrc (&self, 2));
  fail_unless_equals_int (hear (&self, 4, 0, 2, 12), TFRC_ADMISSION_TRIAL);
  fail_unless (reports_go_to (&self, 2));
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* Returns the port that it seems to come from. */
static guint
hide (const TfrcSourceAddress *self, guint32 ssrc, guint port)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (10, 0, 0);
  GSocketAddress *address = g_inet_socket_address_new_from_string ("192.0.2.1",
      port);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstNetAddressMeta *meta;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_add_net_address_meta (buffer, address);
  g_object_unref (address);
  buffer = tfrc_source_address_hide_move (self, buffer);
  meta = gst_buffer_get_net_address_meta (buffer);
  port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (meta->addr));
  gst_buffer_unref (buffer);
  return port;
}

/* As long as it has been known, and from the first packet of another on. */
/* The core has judged none of them: they are of another clock. */
GST_START_TEST (test_what_is_made_up_in_the_senders_name_moves_nobody)
{
  TfrcSourceAddress self = { NULL };
  GSocketAddress *address = address_of (1);

  hear_sender (&self);
  for (guint i = 0; i < 2 * TFRC_MAX_STREAMS; i++)
    fail_unless_equals_int (tfrc_source_address_admit (&self, AWAY (i), 0,
                                address, TFRC_SECOND, 101 * TFRC_SECOND),
        TFRC_ADMISSION_SENDER);
  fail_unless (tfrc_source_address_has_ssrc (&self, 1));
  fail_if (tfrc_source_address_has_ssrc (&self, AWAY (0)));
  fail_unless_equals_uint64 (self.evicted, 0);
  g_object_unref (address);
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

GST_START_TEST (test_an_ssrc_is_seen_at_one_address)
{
  TfrcSourceAddress self = { NULL };
  guint ports[] = { 1000, 2000 };
  guint i;

  fail_unless_equals_int (hide (&self, 1, 3000), 3000);
  for (i = 0; i < 2; i++) {
    GSocketAddress *address =
        g_inet_socket_address_new_from_string ("192.0.2.1", ports[i]);

    fail_unless_equals_int (hide (&self, i + 1, ports[i]), 1000);
    tfrc_source_address_admit (&self, i + 1, 0, address, TFRC_SECOND,
        i * TFRC_SECOND);
    tfrc_source_address_on_packet (&self, i + 1, address, i * TFRC_SECOND);
    fail_unless_equals_int (hide (&self, i + 1, ports[i]), 1000);
    /* A stranger in its name, and one that may be the next. */
    fail_unless_equals_int (hide (&self, i + 1, 3000), 3000);
    fail_unless_equals_int (hide (&self, 3, 3000), 1000);
    g_object_unref (address);
  }
  tfrc_source_address_clear (&self);
}

GST_END_TEST;

/* 72 bytes of RTP and 28 around them pay for one report of as much, or end in a
 * debt of 20 when it has 20 more; without credit there is one report a second.  No
 * more than 3000 are saved up, and none are taken along to another address. */
GST_START_TEST (test_what_comes_pays_for_what_is_sent_back)
{
  GSocketAddress *home = g_inet_socket_address_new_from_string ("192.0.2.1",
      5004);
  GSocketAddress *away = g_inet_socket_address_new_from_string ("192.0.2.2",
      5004);
  TfrcSourceAddress self = { NULL };

  /* Who has no addresses is not asked to pay. */
  fail_unless_equals_uint64 (tfrc_source_address_next_report_at (&self), 0);
  tfrc_source_address_on_packet (&self, 1, home, TFRC_SECOND);
  tfrc_source_address_on_bytes (&self, away, 3000);
  fail_unless_equals_uint64 (tfrc_source_address_next_report_at (&self),
      TFRC_SECOND);
  tfrc_source_address_on_bytes (&self, home, 72);
  fail_unless_equals_uint64 (tfrc_source_address_next_report_at (&self), 0);
  tfrc_source_address_on_report (&self, 92, 2 * TFRC_SECOND);
  fail_unless_equals_int (self.credit, -20);
  fail_unless_equals_uint64 (tfrc_source_address_next_report_at (&self),
      3 * TFRC_SECOND);
  tfrc_source_address_on_report (&self, 92, 3 * TFRC_SECOND);
  fail_unless_equals_int (self.credit, -20);
  tfrc_source_address_on_bytes (&self, home, 72);
  fail_unless_equals_int (self.credit, 80);
  tfrc_source_address_on_bytes (&self, home, 60000);
  fail_unless_equals_int (self.credit, 3000);
  tfrc_source_address_on_packet (&self, 1, away, 3 * TFRC_SECOND);
  fail_unless_equals_int (self.credit, 0);
  tfrc_source_address_clear (&self);
  g_object_unref (home);
  g_object_unref (away);
}

GST_END_TEST;

static Suite *
tfrcsourceaddress_suite (void)
{
  Suite *suite = suite_create ("tfrcsourceaddress");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_live_stream_has_one_address);
  tcase_add_test (tcase, test_a_slow_stream_moves_after_four_intervals);
  tcase_add_test (tcase, test_few_go_on_before_there_is_a_sender);
  tcase_add_test (tcase, test_few_go_on_while_the_sender_is_silent);
  tcase_add_test (tcase, test_all_streams_of_a_sender_go_on);
  tcase_add_test (tcase, test_only_packets_in_a_row_prove);
  tcase_add_test (tcase, test_streams_in_turn_prove_their_sender);
  tcase_add_test (tcase, test_a_sender_follows_one_of_many_streams);
  tcase_add_test (tcase, test_what_comes_pays_for_what_is_sent_back);
  tcase_add_test (tcase, test_a_sender_that_left_is_not_waited_for);
  tcase_add_test (tcase, test_a_place_is_free_after_silence);
  tcase_add_test (tcase, test_an_ssrc_is_seen_at_one_address);
  tcase_add_test (tcase, test_what_is_made_up_in_the_senders_name_moves_nobody);
  return suite;
}

GST_CHECK_MAIN (tfrcsourceaddress);
