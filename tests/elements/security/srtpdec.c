/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What srtpdec remembers of a group, and that strangers hold nobody up: packets
 * of made-up SSRCs go through a real srtpenc and srtpdec with one key. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#include "security/srtpdec.h"
#include "security/srtpenc.h"

/* As many as are kept; see security/streams.c. */
#define KEPT 512
#define FIRST_SSRC 1000

static guint times_asked[2 * KEPT];
static guint64 received_inside, dropped_inside;
static TfrcSrtpDecoder *tested;

/* The encoder makes what the decoder that is tested gets. */
typedef struct
{
  GstElement *owner;
  TfrcSrtpDecoder *tested;
  GstHarness *encoder;
  GstHarness *decoder;
} Fixture;

static GstBuffer *
make_key (void)
{
  static const guint8 bytes[30] = { 1, 2, 3 };

  return gst_buffer_new_memdup (bytes, sizeof (bytes));
}

/* Asked while the packet is inside, where nobody knows what will become of
 * it. */
static GstBuffer *
get_key (guint ssrc, gpointer user_data)
{
  tfrc_srtp_decoder_get_counts (tested, &received_inside, &dropped_inside);
  times_asked[ssrc - FIRST_SSRC]++;
  return make_key ();
}

/* The protocol is "rtp" or "rtcp". */
static GstHarness *
make_encoder (const TfrcSrtpConfig *config, const gchar *protocol)
{
  GstElement *element = tfrc_srtp_encoder_new (config, NULL);
  gchar *sink = g_strdup_printf ("%s_sink_0", protocol);
  gchar *src = g_strdup_printf ("%s_src_0", protocol);
  gchar *caps = g_strdup_printf ("application/x-%s", protocol);
  GstHarness *harness = gst_harness_new_with_element (element, sink, src);

  gst_object_unref (element); /* the harness has its own reference */
  gst_harness_set_src_caps_str (harness, caps);
  g_free (caps);
  g_free (src);
  g_free (sink);
  return harness;
}

static GstHarness *
make_decoder (TfrcSrtpDecoder *decoder, const gchar *protocol)
{
  gchar *sink = g_strdup_printf ("%s_sink", protocol);
  gchar *src = g_strdup_printf ("%s_src", protocol);
  gchar *caps = g_strdup_printf ("application/x-s%s", protocol);
  GstHarness *harness =
      gst_harness_new_with_element (tfrc_srtp_decoder_get_element (decoder),
          sink, src);

  gst_harness_set_src_caps_str (harness, caps);
  g_free (caps);
  g_free (src);
  g_free (sink);
  return harness;
}

static Fixture
fixture_begin (const gchar *protocol)
{
  TfrcSrtpConfig config = { make_key (), GST_TFRC_SRTP_CIPHER_AES_128_ICM,
    GST_TFRC_SRTP_AUTH_HMAC_SHA1_80 };
  Fixture self = { .owner = gst_bin_new (NULL) };

  memset (times_asked, 0, sizeof (times_asked));
  self.tested = tfrc_srtp_decoder_new (&config, self.owner, get_key, NULL,
      NULL);
  tested = self.tested;
  self.encoder = make_encoder (&config, protocol);
  self.decoder = make_decoder (self.tested, protocol);
  gst_buffer_unref (config.key);
  return self;
}

static void
fixture_end (Fixture *self)
{
  gst_harness_teardown (self->encoder);
  gst_harness_teardown (self->decoder);
  tfrc_srtp_decoder_free (self->tested);
  gst_object_unref (self->owner);
}

static GstBuffer *
make_report (guint32 ssrc)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (200);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, ssrc);
  gst_rtcp_buffer_unmap (&rtcp);
  return buffer;
}

static void
send_report (Fixture *self, guint index)
{
  GstBuffer *sealed = gst_harness_push_and_pull (self->encoder,
      make_report (FIRST_SSRC + index));

  gst_buffer_unref (gst_harness_push_and_pull (self->decoder, sealed));
}

GST_START_TEST (the_ones_heard_of_last_are_remembered)
{
  Fixture self = fixture_begin ("rtcp");
  guint64 received, dropped;
  guint i;

  for (i = 0; i < KEPT; i++)
    send_report (&self, i);
  /* The oldest one is so no longer: 1 is. */
  send_report (&self, 0);
  assert_equals_int (times_asked[0], 1);
  send_report (&self, KEPT);
  send_report (&self, 0);
  send_report (&self, KEPT - 1);
  assert_equals_int (times_asked[0], 1);
  assert_equals_int (times_asked[KEPT - 1], 1);
  /* It was forgotten, and is as good as new. */
  send_report (&self, 1);
  assert_equals_int (times_asked[1], 2);
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (received, KEPT + 5);
  assert_equals_uint64 (dropped, 0);

  fixture_end (&self);
}

GST_END_TEST;

static GstBuffer *
make_packet (guint32 ssrc)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (100, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  memset (gst_rtp_buffer_get_payload (&rtp), 0,
      gst_rtp_buffer_get_payload_len (&rtp));
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* The first of them use up the second's attempts at roll-over counters.  Then a
 * stream begins, after forgeries under its own SSRC: its first packet gets
 * through. */
GST_START_TEST (a_new_stream_gets_in_among_forgeries)
{
  Fixture self = fixture_begin ("rtp");
  guint64 received, dropped;
  guint i;

  for (i = 0; i < 20; i++)
    fail_unless_equals_int (gst_harness_push (self.decoder,
                                make_packet (FIRST_SSRC + i % 2)),
        GST_FLOW_OK);
  gst_buffer_unref (gst_harness_push_and_pull (self.decoder,
      gst_harness_push_and_pull (self.encoder, make_packet (FIRST_SSRC + 1))));
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (received, 21);
  assert_equals_uint64 (dropped, 20);

  fixture_end (&self);
}

GST_END_TEST;

/* Of a flood 32 packets a second cost something; an authentic stream goes on. */
GST_START_TEST (a_flood_of_strangers_is_dropped_unseen)
{
  Fixture self = fixture_begin ("rtcp");
  GstClockTime begun = gst_util_get_timestamp ();
  guint64 received, dropped;
  guint i, n_asked = 0, n_periods;

  send_report (&self, 0);
  for (i = 1; i <= 1000; i++)
    gst_harness_push (self.decoder, make_report (FIRST_SSRC + i));
  n_periods = 2 + (guint) ((gst_util_get_timestamp () - begun) / GST_SECOND);
  for (i = 1; i <= 1000; i++)
    n_asked += times_asked[i];
  fail_unless (n_asked >= 31 && n_asked <= 32 * n_periods, "%u", n_asked);
  send_report (&self, 0);
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (received, 1002);
  assert_equals_uint64 (dropped, 1000);

  fixture_end (&self);
}

GST_END_TEST;

/* More of them than one host may have unknown ones in a second. */
static void
assert_one_socket_has_streams (const gchar *protocol,
    GstBuffer *(*make) (guint32 ssrc))
{
  Fixture self = fixture_begin (protocol);
  GSocketAddress *from = g_inet_socket_address_new_from_string ("192.0.2.1",
      5000);
  guint i;

  for (i = 0; i < 40; i++) {
    GstBuffer *sealed = gst_harness_push_and_pull (self.encoder,
        make (FIRST_SSRC + i));

    gst_buffer_add_net_address_meta (sealed, from);
    gst_harness_push (self.decoder, sealed);
    fail_unless_equals_int (gst_harness_buffers_received (self.decoder), i + 1);
  }
  g_object_unref (from);
  fixture_end (&self);
}

GST_START_TEST (one_socket_may_send_many_streams)
{
  assert_one_socket_has_streams ("rtp", make_packet);
  assert_one_socket_has_streams ("rtcp", make_report);
}

GST_END_TEST;

/* One list of forgeries and of what is authentic under the same SSRC: each is
 * counted once, and what is authentic comes out. */
GST_START_TEST (packets_of_a_list_are_counted_once)
{
  Fixture self = fixture_begin ("rtp");
  GstBufferList *list = gst_buffer_list_new ();
  guint64 received, dropped;
  guint i;

  for (i = 0; i < 3; i++) {
    gst_buffer_list_add (list, make_packet (FIRST_SSRC + i));
    gst_buffer_list_add (list,
        gst_harness_push_and_pull (self.encoder, make_packet (FIRST_SSRC + i)));
  }
  fail_unless_equals_int (gst_pad_push_list (self.decoder->srcpad, list),
      GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (self.decoder), 3);
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (received, 6);
  assert_equals_uint64 (dropped, 3);
  fixture_end (&self);
}

GST_END_TEST;

static void
assert_inside_and_after (const gchar *protocol,
    GstBuffer *(*make) (guint32 ssrc))
{
  Fixture self = fixture_begin (protocol);
  guint64 received, dropped;

  gst_harness_push (self.decoder, make (FIRST_SSRC));
  assert_equals_uint64 (received_inside, 1);
  assert_equals_uint64 (dropped_inside, 0);
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (dropped, 1);
  gst_buffer_unref (gst_harness_push_and_pull (self.decoder,
      gst_harness_push_and_pull (self.encoder, make (FIRST_SSRC))));
  assert_equals_uint64 (received_inside, 2);
  assert_equals_uint64 (dropped_inside, 1);
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (dropped, 1);
  fixture_end (&self);
}

/* Else the number would go up with each packet and down again. */
GST_START_TEST (a_packet_is_counted_as_dropped_once_it_is)
{
  assert_inside_and_after ("rtp", make_packet);
  assert_inside_and_after ("rtcp", make_report);
}

GST_END_TEST;

/* As a sender may get its own ones back.  Nothing is linked where srtpdec lets
 * them out, which would end the thread of the port. */
GST_START_TEST (data_at_the_port_of_rtcp_goes_no_further)
{
  TfrcSrtpConfig config = { make_key (), GST_TFRC_SRTP_CIPHER_AES_128_ICM,
    GST_TFRC_SRTP_AUTH_HMAC_SHA1_80 };
  Fixture self = fixture_begin ("rtcp");
  GstHarness *encoder = make_encoder (&config, "rtp");
  guint64 received, dropped;

  fail_unless_equals_int (gst_harness_push (self.decoder,
                              gst_harness_push_and_pull (encoder,
                                  make_packet (FIRST_SSRC))),
      GST_FLOW_OK);
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (received, 1);
  assert_equals_uint64 (dropped, 1);
  send_report (&self, 1);
  gst_harness_teardown (encoder);
  gst_buffer_unref (config.key);
  fixture_end (&self);
}

GST_END_TEST;

static Suite *
tfrcsrtpdecoder_suite (void)
{
  Suite *suite = suite_create ("tfrcsrtpdecoder");
  TCase *tcase = tcase_create ("memory");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, the_ones_heard_of_last_are_remembered);
  tcase_add_test (tcase, a_new_stream_gets_in_among_forgeries);
  tcase_add_test (tcase, a_flood_of_strangers_is_dropped_unseen);
  tcase_add_test (tcase, packets_of_a_list_are_counted_once);
  tcase_add_test (tcase, a_packet_is_counted_as_dropped_once_it_is);
  tcase_add_test (tcase, one_socket_may_send_many_streams);
  tcase_add_test (tcase, data_at_the_port_of_rtcp_goes_no_further);
  return suite;
}

GST_CHECK_MAIN (tfrcsrtpdecoder);
