/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the system knows of the way, and when that is told. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include "net/transport.h"

#define MTU 1500

static GstElement *element;
static GstPad *pad;
static GstBus *bus;
static GInetSocketAddress *loopback;
static TfrcPathMtu path;
static guint told; /* the newest */

static GInetSocketAddress *
make_address (const gchar *text)
{
  return G_INET_SOCKET_ADDRESS (g_inet_socket_address_new_from_string (text,
      5004));
}

static void
on_found (GstElement *of, guint found)
{
  fail_unless (of == element);
  told = found;
}

static void
setup (void)
{
  element = gst_element_factory_make ("identity", NULL);
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  pad = gst_element_get_static_pad (element, "src");
  loopback = make_address ("127.0.0.1");
  told = 0;
  tfrc_path_mtu_watch (&path, element, pad, &loopback, MTU, on_found);
}

static void
teardown (void)
{
  g_object_unref (loopback);
  gst_object_unref (pad);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

/* The text of the next warning, "" for none; the caller frees. */
static gchar *
pop_warning (void)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GError *error = NULL;
  gchar *text;

  if (!message)
    return g_strdup ("");
  gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

static const struct
{
  guint found;
  gboolean warns;
} finds[] = {
  { 0, FALSE }, /* not known */
  { MTU, FALSE }, { 9000, FALSE }, { MTU - 1, TRUE },
  { MTU - 1, FALSE },            /* told */
  { MTU, FALSE }, { 576, TRUE }, /* another way */
};

GST_START_TEST (a_narrow_path_is_told_once)
{
  gchar *text;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (finds); i++) {
    tfrc_path_mtu_on_found (&path, finds[i].found);
    assert_equals_int (g_atomic_int_get (&path.found), finds[i].found);
    assert_equals_int (told, MIN (finds[i].found, MTU));
    text = pop_warning ();
    assert_equals_int (*text != '\0', finds[i].warns);
    if (i + 1 < G_N_ELEMENTS (finds))
      g_free (text);
  }
  assert_equals_string (text,
      "The path carries packets of 576 bytes, and up "
      "to 1500 are sent: set the property 'mtu' to 576.");
  g_free (text);
}

GST_END_TEST;

/* Linux has 65536 bytes there, and no IPv6 is less than 1280. */
GST_START_TEST (the_system_knows_its_own_device)
{
  GInetSocketAddress *ipv6 = make_address ("::1");
  guint found = tfrc_path_mtu_read (ipv6);

  assert_equals_int (g_atomic_int_get (&path.found), 0);
  fail_unless (tfrc_path_mtu_read (loopback) >= 1280);
  /* 0: this machine has none. */
  fail_unless (found == 0 || found >= 1280);
  g_object_unref (ipv6);
}

GST_END_TEST;

/* The first buffer looks, and the next one within the second does not. */
GST_START_TEST (buffers_make_it_look)
{
  GstHarness *harness = gst_harness_new_with_element (element, NULL, "src");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_set_active (pad, TRUE);
  gst_pad_push_event (pad, gst_event_new_stream_start ("stream"));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_pad_push (pad, gst_buffer_new ());
  assert_equals_int (g_atomic_int_get (&path.found),
      tfrc_path_mtu_read (loopback));
  tfrc_path_mtu_on_found (&path, 0);
  gst_pad_push (pad, gst_buffer_new ());
  assert_equals_int (g_atomic_int_get (&path.found), 0);
  gst_harness_teardown (harness);
}

GST_END_TEST;

static Suite *
tfrcpathmtu_suite (void)
{
  Suite *suite = suite_create ("tfrcpathmtu");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_narrow_path_is_told_once);
  tcase_add_test (tcase, the_system_knows_its_own_device);
  tcase_add_test (tcase, buffers_make_it_look);
  return suite;
}

GST_CHECK_MAIN (tfrcpathmtu);
