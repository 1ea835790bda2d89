/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an end without a key lets through. */

#include "net/srtp.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/net/net.h>

/* Version 2; the SSRC is the last byte. */
#define RTP(ssrc) 0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, ssrc, 0xAA
#define RR(ssrc) 0x80, 201, 0, 1, 0, 0, 0, ssrc
/* The same with the word of the index and a tag of 10 bytes behind it. */
#define PROTECTED_RR(ssrc) \
  RR (ssrc), 0x80, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

typedef struct
{
  GstHarness *harness; /* around an element in the udpsrc's place */
  GstBus *bus;
  TfrcSrtpDecoder *detector; /* without a key */
  const gchar *host;         /* that packets come from; NULL = nobody knows */
  guint port;
} Fixture;

static void
fixture_init (Fixture *self)
{
  self->harness = gst_harness_new ("identity");
  gst_harness_set_src_caps_str (self->harness, "application/x-rtp");
  self->bus = gst_bus_new ();
  gst_element_set_bus (self->harness->element, self->bus);
  self->detector = tfrc_srtp_decoder_new (&(TfrcSrtpConfig) { NULL }, FALSE,
      self->harness->element, NULL, NULL, NULL);
  self->host = NULL;
  tfrc_srtp_decoder_add (self->detector, self->harness->element, FALSE);
}

static void
fixture_clear (Fixture *self)
{
  gst_element_set_bus (self->harness->element, NULL);
  tfrc_srtp_decoder_unref (self->detector);
  gst_object_unref (self->bus);
  gst_harness_teardown (self->harness);
}

static guint
fixture_count_warnings (Fixture *self)
{
  GstMessage *message;
  guint count = 0;

  while ((message = gst_bus_pop_filtered (self->bus, GST_MESSAGE_WARNING))) {
    count++;
    gst_message_unref (message);
  }
  return count;
}

/* Whether the packet comes out. */
static gboolean
fixture_passes (Fixture *self, const guint8 *data, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, size);

  if (self->host) {
    GSocketAddress *address = g_inet_socket_address_new_from_string (self->host,
        self->port);

    gst_buffer_add_net_address_meta (buffer, address);
    g_object_unref (address);
  }
  gst_harness_push (self->harness, buffer);
  buffer = gst_harness_try_pull (self->harness);
  if (buffer == NULL)
    return FALSE;
  gst_buffer_unref (buffer);
  return TRUE;
}

#define PASSES(...) \
  fixture_passes (&self, (guint8[]) { __VA_ARGS__ }, \
      sizeof ((guint8[]) { __VA_ARGS__ }))

GST_START_TEST (test_a_stream_with_protected_rtcp_is_kept_out)
{
  Fixture self;

  fixture_init (&self);
  fail_unless (PASSES (RTP (1)));
  fail_if (PASSES (PROTECTED_RR (1)));
  fail_unless_equals_int (fixture_count_warnings (&self), 1);
  fail_if (PASSES (RTP (1)));
  fail_unless (PASSES (RTP (2)));
  fail_if (PASSES (PROTECTED_RR (2)));
  fail_if (PASSES (RTP (2)));
  fail_unless_equals_int (fixture_count_warnings (&self), 0);
  fixture_clear (&self);
}

GST_END_TEST;

/* Malformed RTCP from who knows where is not believed for long. */
GST_START_TEST (test_plain_rtcp_ends_it)
{
  Fixture self;

  fixture_init (&self);
  fail_if (PASSES (PROTECTED_RR (1)));
  fail_if (PASSES (RTP (1)));
  fail_unless (PASSES (RR (1)));
  fail_unless (PASSES (RTP (1)));
  fail_unless (PASSES (PROTECTED_RR (1)));
  fail_unless_equals_int (fixture_count_warnings (&self), 1);
  fixture_clear (&self);
}

GST_END_TEST;

/* Each of its ports is the sender's. */
GST_START_TEST (test_rtcp_tells_of_its_own_host)
{
  Fixture self;

  fixture_init (&self);
  self.host = "192.0.2.66";
  self.port = 5005;
  fail_if (PASSES (PROTECTED_RR (1)));
  self.host = "192.0.2.1";
  self.port = 5004;
  fail_unless (PASSES (RTP (1)));
  self.port = 5005;
  fail_if (PASSES (PROTECTED_RR (1)));
  self.port = 5004;
  fail_if (PASSES (RTP (1)));
  fixture_clear (&self);
}

GST_END_TEST;

/* One more takes the place of the first. */
GST_START_TEST (test_made_up_ssrcs_hide_none)
{
  guint8 data[] = { PROTECTED_RR (0) };
  Fixture self;

  fixture_init (&self);
  for (guint i = 0; i < 100; i++) {
    data[7] = (guint8) (100 + i);
    fail_if (fixture_passes (&self, data, sizeof data));
  }
  fail_if (PASSES (PROTECTED_RR (1)));
  fail_if (PASSES (RTP (1)));
  fail_unless_equals_int (fixture_count_warnings (&self), 1);
  fixture_clear (&self);
}

GST_END_TEST;

/* One that protects its RTCP may follow one that does not. */
GST_START_TEST (test_each_run_looks_anew)
{
  Fixture self;

  fixture_init (&self);
  fail_if (PASSES (PROTECTED_RR (1)));
  fail_unless (PASSES (RR (1)));
  tfrc_srtp_decoder_begin_run (self.detector);
  fail_unless (PASSES (RTP (1)));
  fail_if (PASSES (PROTECTED_RR (1)));
  fail_if (PASSES (RTP (1)));
  fail_unless_equals_int (fixture_count_warnings (&self), 2);
  fixture_clear (&self);
}

GST_END_TEST;

/* What the source pushes as one list: the packets that would be dropped alone
 * are, the others pass. */
GST_START_TEST (test_packets_of_a_list_are_looked_at)
{
  static const guint8 first[] = { RTP (1) };
  static const guint8 protected_rr[] = { PROTECTED_RR (1) };
  static const guint8 second[] = { RTP (2) };
  GstBufferList *list = gst_buffer_list_new ();
  GstPad *pad;
  Fixture self;
  GstBuffer *buffer;

  fixture_init (&self);
  gst_buffer_list_add (list, gst_buffer_new_memdup (first, sizeof first));
  gst_buffer_list_add (list,
      gst_buffer_new_memdup (protected_rr, sizeof protected_rr));
  gst_buffer_list_add (list, gst_buffer_new_memdup (first, sizeof first));
  gst_buffer_list_add (list, gst_buffer_new_memdup (second, sizeof second));
  pad = gst_element_get_static_pad (self.harness->element, "src");
  fail_unless_equals_int (gst_pad_push_list (pad, list), GST_FLOW_OK);
  gst_object_unref (pad);

  fail_unless_equals_int (gst_harness_buffers_received (self.harness), 2);
  buffer = gst_harness_pull (self.harness);
  gst_check_buffer_data (buffer, first, sizeof first);
  gst_buffer_unref (buffer);
  buffer = gst_harness_pull (self.harness);
  gst_check_buffer_data (buffer, second, sizeof second);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (fixture_count_warnings (&self), 1);
  fixture_clear (&self);
}

GST_END_TEST;

/* Noise is the business of whoever comes next. */
GST_START_TEST (test_what_is_neither_passes)
{
  Fixture self;

  fixture_init (&self);
  fail_unless (PASSES (0x80));
  fail_unless (PASSES (0x00, 201, 0, 1, 0, 0, 0, 1));
  fail_unless (PASSES (0x80, 201, 0, 1));
  fail_unless_equals_int (fixture_count_warnings (&self), 0);
  fixture_clear (&self);
}

GST_END_TEST;

static Suite *
tfrcsrtpdetector_suite (void)
{
  Suite *suite = suite_create ("tfrcsrtpdetector");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_stream_with_protected_rtcp_is_kept_out);
  tcase_add_test (tcase, test_plain_rtcp_ends_it);
  tcase_add_test (tcase, test_rtcp_tells_of_its_own_host);
  tcase_add_test (tcase, test_made_up_ssrcs_hide_none);
  tcase_add_test (tcase, test_each_run_looks_anew);
  tcase_add_test (tcase, test_packets_of_a_list_are_looked_at);
  tcase_add_test (tcase, test_what_is_neither_passes);
  return suite;
}

GST_CHECK_MAIN (tfrcsrtpdetector);
