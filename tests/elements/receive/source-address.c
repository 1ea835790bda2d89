/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets move the address that reports go to. */

#include "receive/source-address.h"

#include <gst/check/gstcheck.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

typedef struct
{
  guint at_ms;
  guint32 ssrc;
  const gchar *address; /* NULL: the packet has none */
  gboolean moves;
} Row;

static const Row rows[] = {
  { 0, 1, NULL, FALSE },
  { 0, 1, "192.0.2.1", TRUE },
  { 10, 1, "192.0.2.1", FALSE },
  /* A stranger, while the sender is there: however often. */
  { 20, 666, "192.0.2.66", FALSE },
  { 30, 666, "192.0.2.66", FALSE },
  /* A known stream from elsewhere: another network. */
  { 40, 1, "192.0.2.2", TRUE },
  /* A second stream from there is known from now on. */
  { 50, 2, "192.0.2.2", FALSE },
  { 60, 2, "192.0.2.3", TRUE },
  /* A restarted sender with another SSRC: once the former is silent. */
  { 1059, 3, "192.0.2.4", FALSE },
  { 1060, 3, "192.0.2.4", TRUE },
  { 1070, 3, "2001:db8::1", TRUE },
  { 1080, 3, NULL, FALSE },
};

GST_START_TEST (test_an_address_is_followed_only_when_proven)
{
  TfrcSourceAddress self = { NULL };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    GSocketAddress *address = rows[i].address
        ? g_inet_socket_address_new_from_string (rows[i].address, 5004)
        : NULL;

    fail_unless (tfrc_source_address_on_packet (&self, rows[i].ssrc, address,
                     rows[i].at_ms * TFRC_MILLISECOND)
            == rows[i].moves,
        "row %u", i);
    fail_unless (!rows[i].moves || self.address == address);
    g_clear_object (&address);
  }
  tfrc_source_address_clear (&self);
  fail_unless (self.address == NULL);
}

GST_END_TEST;

GST_START_TEST (test_another_port_is_another_address)
{
  TfrcSourceAddress self = { NULL };
  guint port;

  for (port = 1000; port < 1003; port++) {
    GSocketAddress *address =
        g_inet_socket_address_new_from_string ("192.0.2.1", port);

    fail_unless (tfrc_source_address_on_packet (&self, 1, address, 0));
    g_object_unref (address);
  }
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
  GSocketAddress *home = g_inet_socket_address_new_from_string ("192.0.2.1",
      5004);
  GSocketAddress *away = g_inet_socket_address_new_from_string ("192.0.2.2",
      5004);
  TfrcSourceAddress self = { NULL };
  TfrcTime now = 10 * TFRC_SECOND;

  tfrc_source_address_on_packet (&self, 1, home, now);
  tfrc_source_address_on_packet (&self, 2, home, now);
  tfrc_source_address_remove (&self, 3);
  tfrc_source_address_remove (&self, 1);
  fail_if (tfrc_source_address_has_ssrc (&self, 1));
  fail_unless (tfrc_source_address_has_ssrc (&self, 2));
  fail_if (tfrc_source_address_accepts (&self, away, TFRC_SECOND, now));
  tfrc_source_address_remove (&self, 2);
  fail_if (tfrc_source_address_has_ssrc (&self, 2));
  fail_unless (tfrc_source_address_accepts (&self, away, TFRC_SECOND, now));
  fail_unless (tfrc_source_address_on_packet (&self, 4, away, now));
  tfrc_source_address_clear (&self);
  g_object_unref (home);
  g_object_unref (away);
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
  tcase_add_test (tcase, test_what_comes_pays_for_what_is_sent_back);
  tcase_add_test (tcase, test_an_address_is_followed_only_when_proven);
  tcase_add_test (tcase, test_another_port_is_another_address);
  tcase_add_test (tcase, test_a_sender_that_left_is_not_waited_for);
  tcase_add_test (tcase, test_a_place_is_free_after_silence);
  tcase_add_test (tcase, test_an_ssrc_is_seen_at_one_address);
  return suite;
}

GST_CHECK_MAIN (tfrcsourceaddress);
