/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is remembered of a group, and that strangers hold nobody up: packets of
 * made-up SSRCs go through a real srtpenc and srtpdec with one key. */

#include <stdio.h>

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#include "net/srtp.h"

/* As many as are kept; see net/srtp.c. */
#define KEPT TFRC_SRTP_KNOWN_IN_A_GROUP
#define FIRST_SSRC 1000

static guint times_asked[2 * KEPT];
static guint times_asked_at_all;
static guint8 key_byte;
static gsize key_size;
static guint64 received_inside, dropped_inside;
static TfrcSrtpDecoder *tested;

/* The encoder makes what the decoder that is tested gets. */
typedef struct
{
  GstTestClock *clock;
  GstElement *owner;
  TfrcSrtpDecoder *tested;
  GstHarness *encoder;
  GstHarness *decoder; /* around an element in the udpsrc's place */
} Fixture;

static GstBuffer *
make_key (void)
{
  guint8 bytes[30] = { key_byte, 2, 3 };

  return gst_buffer_new_memdup (bytes, key_size);
}

/* Asked while the packet is inside, where nobody knows what will become of
 * it. */
static GstBuffer *
get_key (guint ssrc, gpointer user_data)
{
  tfrc_srtp_decoder_get_counts (tested, &received_inside, &dropped_inside);
  times_asked_at_all++;
  if (ssrc != 0)
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

static Fixture
fixture_begin (const gchar *protocol)
{
  TfrcSrtpConfig config = { NULL, GST_TFRC_SRTP_CIPHER_AES_128_ICM,
    GST_TFRC_SRTP_AUTH_HMAC_SHA1_80 };
  Fixture self = { .owner = gst_bin_new (NULL) };

  self.clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (GST_SECOND));
  gst_system_clock_set_default (GST_CLOCK (self.clock));
  key_byte = 1;
  key_size = 30;
  config.key = make_key ();
  times_asked_at_all = 0;
  memset (times_asked, 0, sizeof (times_asked));
  self.tested = tfrc_srtp_decoder_new (&config, TRUE, self.owner, get_key, NULL,
      NULL);
  tested = self.tested;
  self.encoder = make_encoder (&config, protocol);
  self.decoder = gst_harness_new ("identity");
  gst_harness_set_src_caps_str (self.decoder, "application/x-rtp");
  tfrc_srtp_decoder_add (self.tested, self.decoder->element, FALSE);
  gst_buffer_unref (config.key);
  return self;
}

static void
fixture_end (Fixture *self)
{
  gst_harness_teardown (self->encoder);
  gst_harness_teardown (self->decoder);
  tfrc_srtp_decoder_unref (self->tested);
  gst_object_unref (self->owner);
  gst_system_clock_set_default (NULL);
  gst_object_unref (self->clock);
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

  gst_test_clock_advance_time (self->clock, GST_MSECOND / 10);
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

/* With room for an index and a tag that are none. */
static GstBuffer *
make_forged_report (guint32 ssrc)
{
  static const guint8 zeros[14];

  return gst_buffer_append (make_report (ssrc),
      gst_buffer_new_memdup (zeros, sizeof (zeros)));
}

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
  guint64 received, dropped;
  guint i, n_asked = 0;

  send_report (&self, 0);
  for (i = 1; i <= 1000; i++)
    gst_harness_push (self.decoder, make_forged_report (FIRST_SSRC + i));
  for (i = 1; i <= 1000; i++)
    n_asked += times_asked[i];
  assert_equals_int (n_asked, 32);
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
    GstBuffer *(*make) (guint32 ssrc), GstBuffer *(*forge) (guint32 ssrc))
{
  Fixture self = fixture_begin (protocol);
  guint64 received, dropped;

  gst_harness_push (self.decoder, forge (FIRST_SSRC));
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
  assert_inside_and_after ("rtp", make_packet, make_packet);
  assert_inside_and_after ("rtcp", make_report, make_forged_report);
}

GST_END_TEST;

/* The other source pad is that of the RTCP port, where a sender may get its own packets
 * back, and anybody may repeat others'. */
GST_START_TEST (data_at_the_port_of_rtcp_goes_no_further)
{
  Fixture self = fixture_begin ("rtp");
  GstHarness *rtcp_port = gst_harness_new ("identity");
  GstBuffer *sealed = gst_harness_push_and_pull (self.encoder,
      make_packet (FIRST_SSRC));
  guint64 received, dropped;

  gst_harness_set_src_caps_str (rtcp_port, "application/x-rtcp");
  tfrc_srtp_decoder_add (self.tested, rtcp_port->element, TRUE);
  fail_unless_equals_int (gst_harness_push (rtcp_port, gst_buffer_ref (sealed)),
      GST_FLOW_OK);
  assert_equals_int (gst_harness_buffers_received (rtcp_port), 0);
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (received, 1);
  assert_equals_uint64 (dropped, 1);
  fail_unless_equals_int (gst_harness_push (self.decoder, sealed), GST_FLOW_OK);
  assert_equals_int (gst_harness_buffers_received (self.decoder), 1);
  gst_harness_teardown (rtcp_port);
  fixture_end (&self);
}

GST_END_TEST;

static GstBuffer *
make_numbered (guint16 seq)
{
  GstBuffer *buffer = make_packet (FIRST_SSRC);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static GstBuffer *
seal (Fixture *self, guint16 seq)
{
  return gst_harness_push_and_pull (self->encoder, make_numbered (seq));
}

/* How many come out of one packet, which stays ours. */
static guint
receive (Fixture *self, GstBuffer *sealed)
{
  guint before = gst_harness_buffers_received (self->decoder);

  gst_harness_push (self->decoder, gst_buffer_copy (sealed));
  return gst_harness_buffers_received (self->decoder) - before;
}

/* 65534, 65535, 0, 1: the counter is 1 when the second run begins.  What was
 * recorded of the first, the very last packet too, has no effect in it, neither
 * before the stream goes on nor after. */
GST_START_TEST (a_run_goes_on_behind_a_wrap_and_takes_nothing_of_the_run_before)
{
  Fixture self = fixture_begin ("rtp");
  GstBuffer *recorded[4], *next;
  guint i;

  for (i = 0; i < 4; i++) {
    recorded[i] = seal (&self, (guint16) (65534 + i));
    assert_equals_int (receive (&self, recorded[i]), 1);
  }
  tfrc_srtp_decoder_begin_run (self.tested);
  assert_equals_int (receive (&self, recorded[0]), 0);
  assert_equals_int (receive (&self, recorded[3]), 0);
  next = seal (&self, 2);
  assert_equals_int (receive (&self, next), 1);
  for (i = 0; i < 4; i++) {
    assert_equals_int (receive (&self, recorded[i]), 0);
    gst_buffer_unref (recorded[i]);
  }
  assert_equals_int (receive (&self, next), 0);
  gst_buffer_unref (next);
  fixture_end (&self);
}

GST_END_TEST;

GST_START_TEST (a_run_takes_no_report_of_the_run_before)
{
  Fixture self = fixture_begin ("rtcp");
  GstBuffer *recorded = gst_harness_push_and_pull (self.encoder,
      make_report (FIRST_SSRC));
  GstBuffer *next = gst_harness_push_and_pull (self.encoder,
      make_report (FIRST_SSRC));

  assert_equals_int (receive (&self, recorded), 1);
  tfrc_srtp_decoder_begin_run (self.tested);
  assert_equals_int (receive (&self, recorded), 0);
  assert_equals_int (receive (&self, next), 1);
  gst_buffer_unref (recorded);
  gst_buffer_unref (next);
  fixture_end (&self);
}

GST_END_TEST;

/* 65300, and then three counters further in steps that the next packet tells
 * (RFC 3711 section 3.3.1: less than 2^15), with a run in front of each and a
 * forgery in front of its first packet. */
GST_START_TEST (a_run_begins_with_the_counter_that_the_last_one_had)
{
  Fixture self = fixture_begin ("rtp");
  guint i;

  for (i = 0; i < 8; i++) {
    GstBuffer *sealed = seal (&self, (guint16) (65300 + i * 30000)), *forged;

    if (i > 0)
      tfrc_srtp_decoder_begin_run (self.tested);
    forged = make_numbered ((guint16) (65300 + i * 30000));
    assert_equals_int (receive (&self, forged), 0);
    assert_equals_int (receive (&self, sealed), 1);
    assert_equals_int (receive (&self, sealed), 0);
    gst_buffer_unref (forged);
    gst_buffer_unref (sealed);
  }
  fixture_end (&self);
}

GST_END_TEST;

/* The sender's SR came first, at the port of both.  Of the packet with counter 1
 * all is to be found out yet, and is. */
GST_START_TEST (reports_tell_nothing_of_a_counter)
{
  Fixture self = fixture_begin ("rtp");
  TfrcSrtpConfig config = { make_key (), GST_TFRC_SRTP_CIPHER_AES_128_ICM,
    GST_TFRC_SRTP_AUTH_HMAC_SHA1_80 };
  GstHarness *encoder = make_encoder (&config, "rtcp");
  GstBuffer *report = gst_harness_push_and_pull (encoder,
      make_report (FIRST_SSRC));
  GstBuffer *sealed = seal (&self, 65535);
  guint64 received, dropped;

  gst_harness_push (self.decoder, report);
  gst_buffer_unref (sealed);
  sealed = seal (&self, 0);
  assert_equals_int (receive (&self, sealed), 1);
  tfrc_srtp_decoder_get_counts (self.tested, &received, &dropped);
  assert_equals_uint64 (received, 2);
  assert_equals_uint64 (dropped, 0);
  gst_buffer_unref (sealed);
  gst_buffer_unref (config.key);
  gst_harness_teardown (encoder);
  fixture_end (&self);
}

GST_END_TEST;

/* libsrtp2 would read on behind its end. */
GST_START_TEST (a_key_of_another_size_is_none)
{
  Fixture self = fixture_begin ("rtp");
  GstBuffer *sealed = seal (&self, 0);

  key_size = 2;
  assert_equals_int (receive (&self, sealed), 0);
  assert_equals_int (times_asked[0], 1);
  key_size = 30;
  assert_equals_int (receive (&self, sealed), 1);
  assert_equals_int (times_asked[0], 2);
  gst_buffer_unref (sealed);
  fixture_end (&self);
}

GST_END_TEST;

/* The sender has another key.  A second after the last good packet the next has
 * it asked for, and our own, too: 0. */
GST_START_TEST (another_key_is_asked_for)
{
  Fixture self = fixture_begin ("rtp");
  TfrcSrtpConfig config = { make_key (), GST_TFRC_SRTP_CIPHER_AES_128_ICM,
    GST_TFRC_SRTP_AUTH_HMAC_SHA1_80 };
  GstElement *own = tfrc_srtp_encoder_new (&config, NULL);
  GstBuffer *packet = seal (&self, 1), *key;

  gst_object_ref_sink (own);
  tfrc_srtp_decoder_set_encoder (self.tested, own);
  assert_equals_int (receive (&self, packet), 1);
  gst_buffer_unref (packet);

  key_byte = 9;
  gst_harness_teardown (self.encoder);
  gst_buffer_replace (&config.key, NULL);
  config.key = make_key ();
  self.encoder = make_encoder (&config, "rtp");
  packet = seal (&self, 1);
  assert_equals_int (receive (&self, packet), 0);
  gst_test_clock_advance_time (self.clock, GST_SECOND - 1);
  assert_equals_int (receive (&self, packet), 0);
  gst_test_clock_advance_time (self.clock, 1);
  assert_equals_int (receive (&self, packet), 1);
  gst_buffer_unref (packet);
  g_object_get (own, "key", &key, NULL);
  fail_unless (tfrc_srtp_keys_equal (key, config.key));
  gst_buffer_unref (key);
  gst_buffer_unref (config.key);
  gst_object_unref (own);
  fixture_end (&self);
}

GST_END_TEST;

#ifndef __SANITIZE_ADDRESS__
static glong
get_resident_pages (void)
{
  glong total, resident = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

  fail_unless (file && fscanf (file, "%ld %ld", &total, &resident) == 2);
  fclose (file);
  return resident;
}

/* 25 packets under made-up SSRCs and the 512 counters that are tried for the last of
 * them, of 29 kB each if anything of them stayed, 15 MB. */
GST_START_TEST (what_does_not_authenticate_leaves_nothing_behind)
{
  Fixture self = fixture_begin ("rtp");
  glong before;
  guint i;

  for (i = 0; i < 8; i++)
    gst_harness_push (self.decoder, make_packet (FIRST_SSRC + i));
  before = get_resident_pages ();
  for (i = 8; i < 32; i++)
    gst_harness_push (self.decoder, make_packet (FIRST_SSRC + i));
  /* Another second of the rate limit. */
  gst_test_clock_advance_time (self.clock, GST_SECOND);
  gst_harness_push (self.decoder, make_packet (FIRST_SSRC));
  fail_unless (get_resident_pages () - before < 1024, "%ld pages",
      get_resident_pages () - before);
  fixture_end (&self);
}

GST_END_TEST;
#endif

/* Warnings so far, which are removed. */
static guint
count_warnings (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    n++;
    gst_message_unref (message);
  }
  return n;
}

/* Forged packets among those of a live stream are no reason. */
GST_START_TEST (a_key_that_no_longer_fits_is_told)
{
  Fixture self = fixture_begin ("rtp");
  GstBuffer *sealed = seal (&self, 1);
  GstBus *bus = gst_bus_new ();
  guint i;

  gst_element_set_bus (self.owner, bus);
  assert_equals_int (receive (&self, sealed), 1);
  for (i = 0; i < 50; i++)
    gst_harness_push (self.decoder, make_packet (FIRST_SSRC));
  gst_test_clock_advance_time (self.clock, 4 * GST_SECOND);
  gst_harness_push (self.decoder, make_packet (FIRST_SSRC));
  assert_equals_int (count_warnings (bus), 0);
  gst_test_clock_advance_time (self.clock, 2 * GST_SECOND);
  for (i = 0; i < 2; i++)
    gst_harness_push (self.decoder, make_packet (FIRST_SSRC));
  assert_equals_int (count_warnings (bus), 1);
  gst_element_set_bus (self.owner, NULL);
  gst_object_unref (bus);
  gst_buffer_unref (sealed);
  fixture_end (&self);
}

GST_END_TEST;

/* srtpdec would read an SSRC that is not there, or one out of ciphertext; with
 * the first of these that is a critical message, which ends this test. */
GST_START_TEST (headers_that_name_no_ssrc_go_no_further)
{
  static const guint8 headers[][4] = {
    { 0x80, 203, 0, 0 },  /* a BYE of nobody */
    { 0x80, 202, 0, 0 },  /* SDES, and then a BYE of nobody */
    { 0x90, 0xE0, 0, 0 }, /* RTP of type 96, longer than it is */
    { 0x80, 64, 0, 0 },   /* RTP of a type that RTCP has */
  };
  Fixture self = fixture_begin ("rtp");
  guint i;

  for (i = 0; i < G_N_ELEMENTS (headers); i++) {
    guint8 packet[32] = {
      0,
    };

    memcpy (packet, headers[i], 4);
    memcpy (packet + 4, headers[0], 4);
    packet[14] = packet[15] = 0xFF; /* of an extension */
    gst_harness_push (self.decoder,
        gst_buffer_new_memdup (packet, sizeof (packet)));
  }
  assert_equals_int (times_asked_at_all, 0);
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
  tcase_add_test (tcase,
      a_run_goes_on_behind_a_wrap_and_takes_nothing_of_the_run_before);
  tcase_add_test (tcase, a_run_takes_no_report_of_the_run_before);
  tcase_add_test (tcase, a_run_begins_with_the_counter_that_the_last_one_had);
  tcase_add_test (tcase, reports_tell_nothing_of_a_counter);
  tcase_add_test (tcase, a_key_of_another_size_is_none);
  tcase_add_test (tcase, another_key_is_asked_for);
  /* The address sanitizer keeps for a while what is freed. */
#ifndef __SANITIZE_ADDRESS__
  tcase_add_test (tcase, what_does_not_authenticate_leaves_nothing_behind);
#endif
  tcase_add_test (tcase, a_key_that_no_longer_fits_is_told);
  tcase_add_test (tcase, headers_that_name_no_ssrc_go_no_further);
  return suite;
}

GST_CHECK_MAIN (tfrcsrtpdecoder);
