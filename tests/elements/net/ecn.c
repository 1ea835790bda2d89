/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN bits on loopback sockets: what the source reads and what udpsinks send. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/net/net.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "net/ecn.h"
#include "net/sockets.h"
#include "net/transport.h"

#define DSCP_EF (46 << 2)

/* Families of receiver and sender: the IPv6 wildcard takes IPv4, too. */
static const struct
{
  GSocketFamily receiver;
  GSocketFamily sender;
} families[] = {
  { G_SOCKET_FAMILY_IPV4, G_SOCKET_FAMILY_IPV4 },
  { G_SOCKET_FAMILY_IPV6, G_SOCKET_FAMILY_IPV6 },
  { G_SOCKET_FAMILY_IPV6, G_SOCKET_FAMILY_IPV4 },
};

static GSocket *
open_socket (GSocketFamily family)
{
  GInetAddress *any = g_inet_address_new_any (family);
  GSocketAddress *local = g_inet_socket_address_new (any, 0);
  GSocket *socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);

  fail_unless (g_socket_bind (socket, local, FALSE, NULL));
  g_object_unref (local);
  g_object_unref (any);
  return socket;
}

static GSocketAddress *
get_address (GSocket *socket, GSocketFamily family)
{
  GSocketAddress *local = g_socket_get_local_address (socket, NULL);
  GInetAddress *host = g_inet_address_new_loopback (family);
  GSocketAddress *address = g_inet_socket_address_new (host,
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local)));

  g_object_unref (host);
  g_object_unref (local);
  return address;
}

static void
set_byte (GSocket *socket, gint byte)
{
  gboolean ipv6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;

  fail_unless (g_socket_set_option (socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
      ipv6 ? IPV6_TCLASS : IP_TOS, byte, NULL));
}

static gint
get_byte (GSocket *socket)
{
  gboolean ipv6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;
  gint byte;

  fail_unless (g_socket_get_option (socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
      ipv6 ? IPV6_TCLASS : IP_TOS, &byte, NULL));
  return byte;
}

static GstHarness *
start_source (GSocket *socket)
{
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtp");
  GstElement *source = gst_tfrc_ecn_src_new (socket, caps, 0);
  GstHarness *harness = gst_harness_new_with_element (source, NULL, "src");

  gst_harness_use_systemclock (harness);
  gst_harness_play (harness);
  gst_caps_unref (caps);
  gst_object_unref (source);
  return harness;
}

static void
send_bytes (GSocket *socket, GSocketAddress *to, gconstpointer data, gsize size)
{
  fail_unless_equals_int (g_socket_send_to (socket, to, data, size, NULL, NULL),
      size);
}

GST_START_TEST (the_source_reads_every_codepoint)
{
  GSocket *receiver = open_socket (families[__i__].receiver);
  GSocket *sender = open_socket (families[__i__].sender);
  GSocketAddress *to = get_address (receiver, families[__i__].sender);
  GstHarness *harness = start_source (receiver);
  gint ecn;

  for (ecn = 0; ecn < 4; ecn++) {
    TfrcEcnCodepoint read;
    GstBuffer *buffer;

    set_byte (sender, DSCP_EF | ecn);
    send_bytes (sender, to, "abc", 3);
    buffer = gst_harness_pull (harness);
    fail_unless_equals_int (gst_buffer_memcmp (buffer, 0, "abc", 3), 0);
    fail_unless_equals_int (gst_buffer_get_size (buffer), 3);
    fail_unless (tfrc_ecn_message_of_buffer (buffer, &read));
    fail_unless_equals_int (read, ecn);
    fail_unless (gst_buffer_get_net_address_meta (buffer));
    fail_unless (GST_BUFFER_DTS_IS_VALID (buffer)
        || GST_BUFFER_PTS_IS_VALID (buffer));
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
  g_object_unref (to);
  g_object_unref (sender);
  g_object_unref (receiver);
}

GST_END_TEST;

/* As much as UDP carries, and nothing, of which an rtpsession wants the memory. */
GST_START_TEST (datagrams_of_any_size_come_whole)
{
  static const gsize sizes[] = { 0, 1, 1536, 1537, 65507 };
  GSocket *receiver = open_socket (G_SOCKET_FAMILY_IPV4);
  GSocket *sender = open_socket (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *to = get_address (receiver, G_SOCKET_FAMILY_IPV4);
  GstHarness *harness = start_source (receiver);
  guint8 *data = g_malloc (65507);
  guint i;

  for (i = 0; i < 65507; i++)
    data[i] = i % 251;
  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstBuffer *buffer;

    send_bytes (sender, to, data, sizes[i]);
    buffer = gst_harness_pull (harness);
    fail_unless_equals_int (gst_buffer_get_size (buffer), sizes[i]);
    fail_unless_equals_int (gst_buffer_n_memory (buffer), 1);
    fail_unless_equals_int (gst_buffer_memcmp (buffer, 0, data, sizes[i]), 0);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (harness);
  g_free (data);
  g_object_unref (to);
  g_object_unref (sender);
  g_object_unref (receiver);
}

GST_END_TEST;

/* srtpdec makes the buffer its own, and writes into it. */
GST_START_TEST (the_bits_go_with_a_copy)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 10, NULL), *copy;
  GSocketControlMessage *message = tfrc_ecn_message_new (G_SOCKET_FAMILY_IPV4,
      TFRC_ECN_CE);
  TfrcEcnCodepoint read;

  fail_if (tfrc_ecn_message_of_buffer (buffer, &read));
  gst_buffer_add_net_control_message_meta (buffer, message);
  copy = gst_buffer_copy_deep (buffer);
  fail_unless (tfrc_ecn_message_of_buffer (copy, &read));
  fail_unless_equals_int (read, TFRC_ECN_CE);
  gst_buffer_unref (copy);
  gst_buffer_unref (buffer);
  g_object_unref (message);
}

GST_END_TEST;

static guint
count_event_fds (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  const gchar *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL) {
    gchar *path = g_build_filename ("/proc/self/fd", name, NULL);
    gchar *target = g_file_read_link (path, NULL);

    n += g_strcmp0 (target, "anon_inode:[eventfd]") == 0;
    g_free (target);
    g_free (path);
  }
  g_dir_close (dir);
  return n;
}

static gint n_event_fds; /* atomic */

static GstPadProbeReturn
count_on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_atomic_int_set (&n_event_fds, count_event_fds ());
  return GST_PAD_PROBE_OK;
}

/* The descriptor that wakes the source up is there between two datagrams, too:
 * it is not made for each.  One goes with each stop. */
GST_START_TEST (the_source_opens_no_descriptor_for_a_datagram)
{
  GSocket *receiver = open_socket (G_SOCKET_FAMILY_IPV4);
  GSocket *sender = open_socket (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *to = get_address (receiver, G_SOCKET_FAMILY_IPV4);
  GstHarness *harness = start_source (receiver);
  GstPad *pad = gst_element_get_static_pad (harness->element, "src");
  guint n_stopped, i;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_on_buffer, NULL,
      NULL);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  n_stopped = count_event_fds ();
  for (i = 0; i < 3; i++) {
    gst_element_set_state (harness->element, GST_STATE_PLAYING);
    send_bytes (sender, to, "x", 1);
    gst_buffer_unref (gst_harness_pull (harness));
    fail_unless_equals_int (g_atomic_int_get (&n_event_fds), n_stopped + 1);
    gst_element_set_state (harness->element, GST_STATE_NULL);
    fail_unless_equals_int (count_event_fds (), n_stopped);
  }
  gst_object_unref (pad);
  gst_harness_teardown (harness);
  g_object_unref (to);
  g_object_unref (sender);
  g_object_unref (receiver);
}

GST_END_TEST;

/* PAUSED is reached while nothing comes, and PLAYING again after it. */
GST_START_TEST (the_source_stops_while_it_waits)
{
  GSocket *receiver = open_socket (G_SOCKET_FAMILY_IPV4);
  GSocket *sender = open_socket (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *to = get_address (receiver, G_SOCKET_FAMILY_IPV4);
  GstHarness *harness = start_source (receiver);

  fail_unless_equals_int (gst_element_set_state (harness->element,
                              GST_STATE_PAUSED),
      GST_STATE_CHANGE_NO_PREROLL);
  fail_unless_equals_int (gst_element_set_state (harness->element,
                              GST_STATE_PLAYING),
      GST_STATE_CHANGE_SUCCESS);
  send_bytes (sender, to, "x", 1);
  gst_buffer_unref (gst_harness_pull (harness));
  gst_harness_teardown (harness);
  g_object_unref (to);
  g_object_unref (sender);
  g_object_unref (receiver);
}

GST_END_TEST;

/* A DSCP that somebody set stays, and so do the bits when it is taken back. */
GST_START_TEST (marking_leaves_the_dscp)
{
  GSocket *socket = open_socket (families[__i__].receiver);

  set_byte (socket, DSCP_EF);
  fail_unless (tfrc_ecn_socket_mark (socket, TFRC_ECN_ECT_0, NULL));
  fail_unless_equals_int (get_byte (socket), DSCP_EF | TFRC_ECN_ECT_0);
  fail_unless (tfrc_ecn_socket_mark (socket, TFRC_ECN_NOT_ECT, NULL));
  fail_unless_equals_int (get_byte (socket), DSCP_EF);
  g_object_unref (socket);
}

GST_END_TEST;

/* RFC 6679 section 7.3.1: RTCP is never ECT, also when it leaves from the
 * socket of RTP that is. */
GST_START_TEST (a_udpsink_sends_without_ect)
{
  GSocketFamily family = families[__i__].sender;
  GSocket *receiver = open_socket (families[__i__].receiver);
  GSocket *sender = open_socket (family);
  GSocketAddress *to = get_address (receiver, family);
  GstHarness *source = start_source (receiver);
  GstElement *element = gst_element_factory_make_full ("udpsink", "sync", FALSE,
      family == G_SOCKET_FAMILY_IPV6 ? "socket-v6" : "socket", sender,
      "close-socket", FALSE, NULL);
  GstHarness *sink;
  TfrcEcnCodepoint read;
  GstBuffer *buffer;

  tfrc_sockets_set_remote (element, G_INET_SOCKET_ADDRESS (to));
  tfrc_sockets_send_at_once (element, sender);
  sink = gst_harness_new_with_element (element, "sink", NULL);
  fail_unless (tfrc_ecn_socket_mark (sender, TFRC_ECN_ECT_0, NULL));
  gst_harness_set_src_caps_str (sink, "application/x-rtcp");
  fail_unless_equals_int (gst_harness_push (sink,
                              gst_buffer_new_memdup ("rtcp", 4)),
      GST_FLOW_OK);
  send_bytes (sender, to, "rtp", 3);

  buffer = gst_harness_pull (source);
  fail_unless_equals_int (gst_buffer_memcmp (buffer, 0, "rtcp", 4), 0);
  fail_unless (tfrc_ecn_message_of_buffer (buffer, &read));
  fail_unless_equals_int (read, TFRC_ECN_NOT_ECT);
  gst_buffer_unref (buffer);
  buffer = gst_harness_pull (source);
  fail_unless (tfrc_ecn_message_of_buffer (buffer, &read));
  fail_unless_equals_int (read, TFRC_ECN_ECT_0);
  gst_buffer_unref (buffer);

  gst_harness_teardown (sink);
  gst_harness_teardown (source);
  gst_object_unref (element);
  g_object_unref (to);
  g_object_unref (sender);
  g_object_unref (receiver);
}

GST_END_TEST;

/* A sender with an "ect" that is read while another thread frees the transport. */
typedef struct
{
  GObject parent;
  TfrcTransport *transport;
} Sender;

typedef GObjectClass SenderClass;

GType sender_get_type (void);
G_DEFINE_TYPE (Sender, sender, G_TYPE_OBJECT);

static void
sender_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  g_clear_pointer (&((Sender *) object)->transport, tfrc_transport_free);
  g_value_set_uint (value, TFRC_ECN_ECT_0);
}

static void
sender_class_init (SenderClass *klass)
{
  klass->get_property = sender_get_property;
  g_object_class_install_property (klass, 1,
      g_param_spec_uint ("ect", NULL, NULL, 0, 3, 0, G_PARAM_READABLE));
}

static void
sender_init (Sender *self)
{
}

GST_START_TEST (a_transport_may_go_while_its_socket_is_marked)
{
  TfrcNetSettings settings = { .host = (gchar *) "127.0.0.1" };
  GstElement *bin = gst_bin_new (NULL);
  Sender *sender = g_object_new (sender_get_type (), NULL);
  GInetSocketAddress *local = tfrc_address_resolve (settings.host, 0,
      G_SOCKET_FAMILY_IPV4, NULL);

  sender->transport = tfrc_transport_new (GST_BIN (bin), &settings);
  fail_unless (tfrc_sockets_open (&sender->transport->sockets, local, TRUE,
      NULL));
  tfrc_transport_follow_ect (sender->transport, (GstElement *) sender);
  g_object_notify (G_OBJECT (sender), "ect");
  fail_unless (sender->transport == NULL);
  g_object_unref (local);
  g_object_unref (sender);
  gst_object_unref (bin);
}

GST_END_TEST;

static Suite *
tfrcecn_suite (void)
{
  Suite *suite = suite_create ("tfrcecn");
  TCase *tcase = tcase_create ("sockets");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, the_source_reads_every_codepoint, 0,
      G_N_ELEMENTS (families));
  tcase_add_test (tcase, datagrams_of_any_size_come_whole);
  tcase_add_test (tcase, the_bits_go_with_a_copy);
  tcase_add_test (tcase, the_source_opens_no_descriptor_for_a_datagram);
  tcase_add_test (tcase, the_source_stops_while_it_waits);
  tcase_add_loop_test (tcase, marking_leaves_the_dscp, 0, 2);
  tcase_add_test (tcase, a_transport_may_go_while_its_socket_is_marked);
  tcase_add_loop_test (tcase, a_udpsink_sends_without_ect, 0,
      G_N_ELEMENTS (families));
  return suite;
}

GST_CHECK_MAIN (tfrcecn);
