/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc:// URIs on both bins: what is taken, and which part is refused. */

#include <gst/check/gstcheck.h>

#include "bins/bin.h"
#include "net/settings.h"

static GObject *
make_sink (void)
{
  return g_object_ref_sink (g_object_new (GST_TYPE_TFRC_SINK, NULL));
}

static const struct
{
  const gchar *uri;
  const gchar *host;
  guint port;
} good[] = {
  { "tfrc://192.0.2.7:6000", "192.0.2.7", 6000 },
  { "tfrc://[2001:db8::1]:6000", "2001:db8::1", 6000 },
  { "tfrc://example.com", "example.com", 5004 },
  { "tfrc://example.com/", "example.com", 5004 },
  { "TFRC://example.com:1?", "example.com", 1 },
};

GST_START_TEST (uri_sets_host_and_port)
{
  GObject *sink = make_sink ();
  gchar *host;
  guint port;

  fail_unless (tfrc_uri_set (sink, good[__i__].uri, NULL));
  g_object_get (sink, "host", &host, "port", &port, NULL);
  assert_equals_string (host, good[__i__].host);
  assert_equals_int (port, good[__i__].port);
  g_free (host);
  g_object_unref (sink);
}

GST_END_TEST;

GST_START_TEST (uri_sets_options_of_every_type)
{
  GObject *sink = make_sink ();
  gboolean rtcp_mux;
  gchar *bind_address;
  guint ttl, max_bitrate;
  gint cipher;

  fail_unless (tfrc_uri_set (sink,
      "tfrc://h:1?rtcp-mux=false&ttl=3&"
      "bind-address=%3A%3A1&max-bitrate=2000000&"
      "srtp-cipher=aes-128-gcm",
      NULL));
  g_object_get (sink, "rtcp-mux", &rtcp_mux, "ttl", &ttl, "bind-address",
      &bind_address, "max-bitrate", &max_bitrate,
      "srtp-cipher", &cipher, NULL);
  fail_if (rtcp_mux);
  assert_equals_int (ttl, 3);
  assert_equals_string (bind_address, "::1");
  assert_equals_int (max_bitrate, 2000000);
  assert_equals_int (cipher, 2);
  g_free (bind_address);
  g_object_unref (sink);
}

GST_END_TEST;

/* URI, and a word of the error that names what is wrong. */
static const gchar *const bad[][2] = {
  { "", "''" },
  { "no uri", "no uri" },
  { "rtp://h:1", "rtp" },
  { "tfrc://", "no host" },
  { "tfrc://:5004", "no host" },
  { "tfrc://h:0", "port 0" },
  { "tfrc://h:65536", "65536" },
  { "tfrc://h:-1", "-1" },
  { "tfrc://h:x", "x" },
  { "tfrc://[::1:5004", "[::1" },
  { "tfrc://user@h:1", "user" },
  { "tfrc://h:1/path", "/path" },
  { "tfrc://h:1#part", "part" },
  { "tfrc://h:1?ttl", "ttl" },
  { "tfrc://h:1?ttl=", "ttl" },
  { "tfrc://h:1?ttl=%zz", "ttl" },
  { "tfrc://h:1?ttl=3&", "''" },
  { "tfrc://h:1?ttl=3&ttl=4", "twice" },
  { "tfrc://h:1?ttl=0", "'0'" },
  { "tfrc://h:1?ttl=256", "256" },
  { "tfrc://h:1?ttl=-1", "-1" },
  { "tfrc://h:1?ttl=many", "many" },
  { "tfrc://h:1?rtcp-mux=maybe", "maybe" },
  { "tfrc://h:1?srtp-cipher=rot13", "rot13" },
  { "tfrc://h:1?no-such-option=1", "no-such-option" },
  { "tfrc://h:1?bitrate=1", "bitrate" },
  { "tfrc://h:1?name=x", "name" },
  { "tfrc://h:1?host=x", "host" },
  { "tfrc://h:1?srtp-key=00", "srtp-key" },
};

GST_START_TEST (bad_uri_is_refused_by_name_and_changes_nothing)
{
  GObject *sink = make_sink ();
  GError *error = NULL;
  gchar *uri;

  fail_if (tfrc_uri_set (sink, bad[__i__][0], &error), "%s took",
      bad[__i__][0]);
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, bad[__i__][1]) != NULL,
      "'%s' does not name '%s'", error->message, bad[__i__][1]);
  g_object_get (sink, "uri", &uri, NULL);
  assert_equals_string (uri, "tfrc://127.0.0.1:5004");
  g_error_free (error);
  g_free (uri);
  g_object_unref (sink);
}

GST_END_TEST;

GST_START_TEST (uri_is_given_back)
{
  GObject *sink = make_sink ();
  gchar *uri;

  fail_unless (gst_uri_handler_set_uri (GST_URI_HANDLER (sink),
      "tfrc://[::1]:7000?ttl=3", NULL));
  uri = gst_uri_handler_get_uri (GST_URI_HANDLER (sink));
  assert_equals_string (uri, "tfrc://[::1]:7000?ttl=3");
  g_free (uri);
  g_object_unref (sink);
}

GST_END_TEST;

GST_START_TEST (uri_of_the_source_is_where_it_receives)
{
  GObject *src = g_object_ref_sink (g_object_new (GST_TYPE_TFRC_SRC, NULL));
  gchar *encoding;
  guint latency;

  fail_unless (gst_uri_handler_set_uri (GST_URI_HANDLER (src),
      "tfrc://0.0.0.0:7000?encoding-name=VP8&latency=80", NULL));
  g_object_get (src, "encoding-name", &encoding, "latency", &latency, NULL);
  assert_equals_string (encoding, "VP8");
  assert_equals_int (latency, 80);
  g_free (encoding);
  g_object_unref (src);
}

GST_END_TEST;

static gboolean
handles_the_scheme (const gchar *name, GstURIType direction)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  const gchar *const *protocols;
  gboolean handles;

  fail_unless (factory != NULL);
  protocols = gst_element_factory_get_uri_protocols (factory);
  handles = gst_element_factory_get_uri_type (factory) == direction
      && g_strv_contains (protocols, "tfrc");
  gst_object_unref (factory);
  return handles;
}

/* gst_uri_protocol_is_supported() says as much, and leaks the factories. */
GST_START_TEST (both_directions_handle_the_scheme)
{
  fail_unless (handles_the_scheme ("tfrcsink", GST_URI_SINK));
  fail_unless (handles_the_scheme ("tfrcsrc", GST_URI_SRC));
}

GST_END_TEST;

static Suite *
tfrcuri_suite (void)
{
  Suite *suite = suite_create ("tfrcuri");
  TCase *tcase = tcase_create ("uri");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, uri_sets_host_and_port, 0, G_N_ELEMENTS (good));
  tcase_add_test (tcase, uri_sets_options_of_every_type);
  tcase_add_loop_test (tcase, bad_uri_is_refused_by_name_and_changes_nothing, 0,
      G_N_ELEMENTS (bad));
  tcase_add_test (tcase, uri_is_given_back);
  tcase_add_test (tcase, uri_of_the_source_is_where_it_receives);
  tcase_add_test (tcase, both_directions_handle_the_scheme);
  return suite;
}

GST_CHECK_MAIN (tfrcuri);
