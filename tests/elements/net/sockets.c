/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sockets of the bins, on loopback. */

#include <errno.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/sockets.h"

static gboolean has_ipv6 = TRUE;

/* In the place of that of libc: on a host without IPv6. */
__attribute__ ((visibility ("default"))) int
socket (int family, int type, int protocol)
{
  if (family == AF_INET6 && !has_ipv6) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  return (int) syscall (SYS_socket, family, type, protocol);
}

static gboolean
open_on (TfrcSockets *sockets, const gchar *host, guint16 port,
    gboolean rtcp_mux)
{
  GInetSocketAddress *address = tfrc_address_resolve (host, port,
      G_SOCKET_FAMILY_INVALID, NULL);
  gboolean opened;

  fail_unless (address != NULL);
  opened = tfrc_sockets_open (sockets, address, rtcp_mux, NULL);
  g_object_unref (address);
  return opened;
}

static guint
get_port (GSocket *socket)
{
  GSocketAddress *address = g_socket_get_local_address (socket, NULL);
  guint port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));

  g_object_unref (address);
  return port;
}

GST_START_TEST (muxed_rtcp_shares_the_socket)
{
  TfrcSockets sockets = { NULL, NULL };

  fail_unless (open_on (&sockets, "127.0.0.1", 0, TRUE));
  fail_unless (sockets.rtp == sockets.rtcp);
  fail_unless (tfrc_sockets_get_port (&sockets) != 0);
  tfrc_sockets_close (&sockets);
  fail_unless (sockets.rtp == NULL && sockets.rtcp == NULL);
}

GST_END_TEST;

GST_START_TEST (pair_is_adjacent_and_begins_even)
{
  TfrcSockets sockets = { NULL, NULL };

  fail_unless (open_on (&sockets, "127.0.0.1", 0, FALSE));
  assert_equals_int (get_port (sockets.rtp) % 2, 0);
  assert_equals_int (get_port (sockets.rtcp), get_port (sockets.rtp) + 1);
  tfrc_sockets_close (&sockets);
}

GST_END_TEST;

/* But what is an address of IPv6 alone is none of its. */
GST_START_TEST (wildcard_is_that_of_ipv4_on_a_host_without_ipv6)
{
  TfrcSockets one = { NULL, NULL }, pair = { NULL, NULL };

  has_ipv6 = FALSE;
  fail_unless (open_on (&one, "::", 0, TRUE));
  assert_equals_int (g_socket_get_family (one.rtp), G_SOCKET_FAMILY_IPV4);
  fail_unless (open_on (&pair, "::", 0, FALSE));
  assert_equals_int (get_port (pair.rtcp), get_port (pair.rtp) + 1);
  tfrc_sockets_close (&one);
  tfrc_sockets_close (&pair);
  fail_if (open_on (&one, "::1", 0, TRUE));
  has_ipv6 = TRUE;
}

GST_END_TEST;

GST_START_TEST (taken_port_is_not_shared)
{
  TfrcSockets first = { NULL, NULL }, second = { NULL, NULL };

  fail_unless (open_on (&first, "127.0.0.1", 0, TRUE));
  fail_if (open_on (&second, "127.0.0.1", tfrc_sockets_get_port (&first),
      TRUE));
  fail_unless (second.rtp == NULL && second.rtcp == NULL);
  tfrc_sockets_close (&first);
}

GST_END_TEST;

GST_START_TEST (group_is_shared_and_reported_from_elsewhere)
{
  TfrcSockets first = { NULL, NULL }, second = { NULL, NULL };
  guint port;

  fail_unless (open_on (&first, "239.255.77.3", 0, TRUE));
  port = tfrc_sockets_get_port (&first);
  fail_unless (open_on (&second, "239.255.77.3", port, TRUE));
  fail_unless (first.reports != first.rtcp);
  fail_unless (get_port (first.reports) != port);
  fail_unless (get_port (first.reports) != get_port (second.reports));
  tfrc_sockets_close (&second);
  tfrc_sockets_close (&first);
  fail_unless (first.reports == NULL);
  /* Of a host's address there is one socket for both. */
  fail_unless (open_on (&first, "127.0.0.1", 0, FALSE));
  fail_unless (first.reports == first.rtcp);
  tfrc_sockets_close (&first);
}

GST_END_TEST;

GST_START_TEST (drain_empties_the_socket)
{
  TfrcSockets to = { NULL, NULL }, from = { NULL, NULL };
  GSocketAddress *address;
  guint i;

  fail_unless (open_on (&to, "127.0.0.1", 0, TRUE));
  fail_unless (open_on (&from, "127.0.0.1", 0, TRUE));
  address = g_socket_get_local_address (to.rtp, NULL);
  for (i = 0; i < 5; i++)
    fail_unless (g_socket_send_to (from.rtp, address, "xy", 2, NULL, NULL)
        == 2);
  assert_equals_int (tfrc_sockets_drain (&to), 5);
  assert_equals_int (tfrc_sockets_drain (&to), 0);
  g_object_unref (address);
  tfrc_sockets_close (&to);
  tfrc_sockets_close (&from);
}

GST_END_TEST;

GST_START_TEST (ipv4_is_mapped_on_an_ipv6_socket_alone)
{
  TfrcSockets four = { NULL, NULL }, six = { NULL, NULL };
  GInetSocketAddress *address = tfrc_address_resolve ("192.0.2.7", 5004,
      G_SOCKET_FAMILY_INVALID, NULL);
  GSocketAddress *mapped;
  gchar *text;

  fail_unless (open_on (&four, "127.0.0.1", 0, TRUE));
  fail_unless (open_on (&six, "::", 0, TRUE));

  mapped = tfrc_sockets_map_address (&six, G_SOCKET_ADDRESS (address), 1);
  text = g_inet_address_to_string (
      g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (mapped)));
  assert_equals_string (text, "::ffff:192.0.2.7");
  assert_equals_int (
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (mapped)), 5005);
  g_free (text);
  g_object_unref (mapped);

  mapped = tfrc_sockets_map_address (&four, G_SOCKET_ADDRESS (address), 1);
  text = g_inet_address_to_string (
      g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (mapped)));
  assert_equals_string (text, "192.0.2.7");
  g_free (text);
  g_object_unref (mapped);

  g_object_unref (address);
  tfrc_sockets_close (&four);
  tfrc_sockets_close (&six);
}

GST_END_TEST;

/* What the host localhost, which has an address of each family, is taken for;
 * NULL: refused. */
static gchar *
localhost_of (gboolean sends, const gchar *bind_address, GSocketFamily family)
{
  TfrcNetSettings settings = { .host = (gchar *) "localhost",
    .port = 5004,
    .bind_address = (gchar *) bind_address };
  TfrcEndpoint endpoint;
  gchar *text = NULL;

  if (sends ? tfrc_endpoint_init_sink (&endpoint, &settings, family, NULL)
            : tfrc_endpoint_init_src (&endpoint, &settings, NULL))
    text = g_inet_address_to_string (g_inet_socket_address_get_address (endpoint
            .host));
  tfrc_endpoint_clear (&endpoint);
  return text;
}

static void
assert_localhost (gboolean sends, const gchar *bind_address,
    GSocketFamily family, const gchar *expected)
{
  g_autofree gchar *text = localhost_of (sends, bind_address, family);

  assert_equals_string (text, expected);
}

GST_START_TEST (name_of_both_families_is_taken_in_that_of_the_other_end)
{
  assert_localhost (TRUE, "127.0.0.1", G_SOCKET_FAMILY_INVALID, "127.0.0.1");
  assert_localhost (TRUE, "::1", G_SOCKET_FAMILY_INVALID, "::1");
  /* Of a running tfrcsink. */
  assert_localhost (TRUE, NULL, G_SOCKET_FAMILY_IPV4, "127.0.0.1");
  assert_localhost (TRUE, NULL, G_SOCKET_FAMILY_IPV6, "::1");
}

GST_END_TEST;

GST_START_TEST (name_of_both_families_is_that_of_ipv4_on_a_host_without_ipv6)
{
  has_ipv6 = FALSE;
  assert_localhost (TRUE, NULL, G_SOCKET_FAMILY_INVALID, "127.0.0.1");
  assert_localhost (FALSE, NULL, G_SOCKET_FAMILY_INVALID, "127.0.0.1");
  has_ipv6 = TRUE;
}

GST_END_TEST;

/* Where both families will do, it is that of a tfrcsink that listens, of IPv4 unless its
 * bind-address is another. */
GST_START_TEST (sender_and_feedback_host_are_of_the_family_of_the_receiver)
{
  static const struct
  {
    const gchar *host;
    GSocketFamily family;
  } cases[] = { { "127.0.0.1", G_SOCKET_FAMILY_IPV4 },
    { "::1", G_SOCKET_FAMILY_IPV6 }, { "::", G_SOCKET_FAMILY_IPV4 } };
  TfrcNetSettings settings = { .host = (gchar *) cases[__i__].host,
    .port = 5004,
    .feedback_host = (gchar *) "localhost",
    .sender_host = (gchar *) "localhost",
    .sender_port = 5006 };
  TfrcEndpoint endpoint;

  fail_unless (tfrc_endpoint_init_src (&endpoint, &settings, NULL));
  assert_equals_int (
      g_socket_address_get_family (G_SOCKET_ADDRESS (endpoint.feedback)),
      cases[__i__].family);
  assert_equals_int (
      g_socket_address_get_family (G_SOCKET_ADDRESS (endpoint.sender)),
      cases[__i__].family);
  tfrc_endpoint_clear (&endpoint);
}

GST_END_TEST;

#define N_SENT 20000

typedef struct
{
  GstElement *udpsink;
  GInetSocketAddress *remotes[2];
  gint stopping; /* atomic */
} Turn;

static gpointer
turn_to_and_fro (gpointer data)
{
  Turn *turn = data;

  for (guint i = 0; !g_atomic_int_get (&turn->stopping); i++)
    tfrc_sockets_set_remote (turn->udpsink, turn->remotes[i % 2]);
  return NULL;
}

/* All packets arrive at one of two addresses of this host. */
GST_START_TEST (packets_leave_while_the_destination_changes)
{
  TfrcSockets sockets = { NULL, NULL };
  GSocket *sender;
  GstHarness *sink;
  GThread *thread;
  Turn turn = { NULL };
  guint n_received = 0;

  fail_unless (open_on (&sockets, "0.0.0.0", 0, TRUE));
  for (guint i = 0; i < 2; i++)
    turn.remotes[i] =
        tfrc_address_resolve (i == 0 ? "127.0.0.1" : "127.100.100.100",
            (guint16) tfrc_sockets_get_port (&sockets), G_SOCKET_FAMILY_INVALID,
            NULL);
  sender = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  turn.udpsink = gst_element_factory_make_full ("udpsink", "sync", FALSE,
      "socket", sender, "close-socket", FALSE, NULL);
  tfrc_sockets_set_remote (turn.udpsink, turn.remotes[0]);
  tfrc_sockets_send_at_once (turn.udpsink, sender);
  sink = gst_harness_new_with_element (turn.udpsink, "sink", NULL);
  gst_harness_set_src_caps_str (sink, "application/x-rtcp");
  thread = g_thread_new ("turn", turn_to_and_fro, &turn);
  for (guint i = 0; i < N_SENT; i++) {
    gst_harness_push (sink, gst_buffer_new_memdup ("rtcp", 4));
    if (i % 100 == 99)
      n_received += tfrc_sockets_drain (&sockets);
  }
  assert_equals_int (n_received, N_SENT);
  g_atomic_int_set (&turn.stopping, TRUE);
  g_thread_join (thread);
  gst_harness_teardown (sink);
  gst_object_unref (turn.udpsink);
  for (guint i = 0; i < 2; i++)
    g_object_unref (turn.remotes[i]);
  g_object_unref (sender);
  tfrc_sockets_close (&sockets);
}

GST_END_TEST;

static Suite *
tfrcsockets_suite (void)
{
  Suite *suite = suite_create ("tfrcsockets");
  TCase *tcase = tcase_create ("sockets");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, muxed_rtcp_shares_the_socket);
  tcase_add_test (tcase, pair_is_adjacent_and_begins_even);
  tcase_add_test (tcase, wildcard_is_that_of_ipv4_on_a_host_without_ipv6);
  tcase_add_test (tcase, taken_port_is_not_shared);
  tcase_add_test (tcase, group_is_shared_and_reported_from_elsewhere);
  tcase_add_test (tcase, drain_empties_the_socket);
  tcase_add_test (tcase, packets_leave_while_the_destination_changes);
  tcase_add_test (tcase, ipv4_is_mapped_on_an_ipv6_socket_alone);
  tcase_add_test (tcase,
      name_of_both_families_is_taken_in_that_of_the_other_end);
  tcase_add_test (tcase,
      name_of_both_families_is_that_of_ipv4_on_a_host_without_ipv6);
  tcase_add_loop_test (tcase,
      sender_and_feedback_host_are_of_the_family_of_the_receiver, 0, 3);
  return suite;
}

GST_CHECK_MAIN (tfrcsockets);
