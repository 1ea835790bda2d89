/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of packets through a udpsink to a socket of ours.  With UDP_GRO that one
 * gets what went through the kernel as one as it went, over loopback. */

#include "network/segmentation.h"

#include <gst/check/gstcheck.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

#ifdef UDP_GRO

#define MAX_SIZE 65536

typedef struct
{
  GstElement *udpsink;
  GstPad *src; /* feeds it */
  GSocket *socket;
  GSocket *receiver;
  guint8 next; /* what the next packet is full of */
} Fixture;

static GSocket *
make_socket (GSocketAddress **address)
{
  GInetAddress *loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *any = g_inet_socket_address_new (loopback, 0);
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);

  fail_unless (g_socket_bind (socket, any, FALSE, NULL));
  *address = g_socket_get_local_address (socket, NULL);
  g_object_unref (any);
  g_object_unref (loopback);
  return socket;
}

static void
fixture_init (Fixture *self, gboolean whole)
{
  GSocketAddress *remote, *local;
  GstSegment segment;
  GstPad *sink;

  *self = (Fixture) { gst_element_factory_make ("udpsink", NULL) };
  gst_object_ref_sink (self->udpsink);
  self->receiver = make_socket (&remote);
  self->socket = make_socket (&local);
  g_socket_set_timeout (self->receiver, 10);
  if (whole)
    fail_unless (g_socket_set_option (self->receiver, IPPROTO_UDP, UDP_GRO, 1,
        NULL));
  g_object_set (self->udpsink, "socket", self->socket, "close-socket", FALSE,
      "sync", FALSE, "async", FALSE, "host", "127.0.0.1", "port",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (remote)), NULL);
  tfrc_segmentation_add (self->udpsink, self->socket,
      G_INET_SOCKET_ADDRESS (remote));
  g_object_unref (remote);
  g_object_unref (local);

  self->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_active (self->src, TRUE);
  sink = gst_element_get_static_pad (self->udpsink, "sink");
  fail_unless_equals_int (gst_pad_link (self->src, sink), GST_PAD_LINK_OK);
  gst_object_unref (sink);
  gst_element_set_state (self->udpsink, GST_STATE_PLAYING);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->src, gst_event_new_stream_start ("test"));
  gst_pad_push_event (self->src, gst_event_new_segment (&segment));
}

static void
fixture_clear (Fixture *self)
{
  gst_element_set_state (self->udpsink, GST_STATE_NULL);
  gst_object_unref (self->src);
  gst_object_unref (self->udpsink);
  g_object_unref (self->socket);
  g_object_unref (self->receiver);
}

/* In two memories, as payloaders make them; the numbers of packets fill them. */
static GstBuffer *
make_packet (Fixture *self, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size / 2, NULL);

  gst_buffer_append_memory (buffer,
      gst_allocator_alloc (NULL, size - size / 2, NULL));
  gst_buffer_memset (buffer, 0, self->next++, size);
  return buffer;
}

/* Sizes end with 0. */
static void
push (Fixture *self, const guint *sizes)
{
  GstBufferList *list = gst_buffer_list_new ();

  for (; *sizes != 0; sizes++)
    gst_buffer_list_add (list, make_packet (self, *sizes));
  fail_unless_equals_int (gst_pad_push_list (self->src, list), GST_FLOW_OK);
}

/* A datagram of these packets. */
static void
expect (Fixture *self, guint8 *next, const guint *sizes)
{
  static guint8 bytes[MAX_SIZE];
  gssize size = g_socket_receive (self->receiver, (gchar *) bytes, MAX_SIZE,
      NULL, NULL);
  const guint8 *at = bytes;

  for (; *sizes != 0; sizes++, (*next)++) {
    for (guint i = 0; i < *sizes; i++)
      fail_unless_equals_int (*at++, *next);
  }
  fail_unless_equals_int (size, at - bytes);
}

#define SIZES(...) ((const guint[]) { __VA_ARGS__, 0 })

/* A smaller packet is the last of them; a larger one begins anew. */
GST_START_TEST (packets_of_one_size_leave_as_one)
{
  guint8 next = 0;
  Fixture f;

  fixture_init (&f, TRUE);
  push (&f, SIZES (100, 100, 100, 40, 100, 300, 300));
  expect (&f, &next, SIZES (100, 100, 100, 40));
  expect (&f, &next, SIZES (100));
  expect (&f, &next, SIZES (300, 300));
  fixture_clear (&f);
}
GST_END_TEST

GST_START_TEST (a_receiver_gets_them_one_by_one)
{
  guint8 next = 0;
  Fixture f;

  fixture_init (&f, FALSE);
  push (&f, SIZES (101, 101, 40));
  expect (&f, &next, SIZES (101));
  expect (&f, &next, SIZES (101));
  expect (&f, &next, SIZES (40));
  fixture_clear (&f);
}
GST_END_TEST

/* 64 packets are the most (UDP_MAX_SEGMENTS). */
GST_START_TEST (no_more_leave_as_one_than_the_kernel_takes)
{
  guint sizes[67] = { 0 }, rest[] = { 10, 10, 0 };
  guint8 next = 0;
  Fixture f;

  fixture_init (&f, TRUE);
  for (guint i = 0; i < 66; i++)
    sizes[i] = 10;
  push (&f, sizes);
  sizes[64] = 0;
  expect (&f, &next, sizes);
  expect (&f, &next, rest);
  fixture_clear (&f);
}
GST_END_TEST

/* Without checksums Linux segments nothing. */
GST_START_TEST (what_the_kernel_refuses_leaves_packet_by_packet)
{
  guint8 next = 0;
  Fixture f;

  fixture_init (&f, TRUE);
  fail_unless (g_socket_set_option (f.socket, SOL_SOCKET, SO_NO_CHECK, 1,
      NULL));
  for (guint i = 0; i < 2; i++) {
    push (&f, SIZES (100, 100));
    expect (&f, &next, SIZES (100));
    expect (&f, &next, SIZES (100));
  }
  fixture_clear (&f);
}
GST_END_TEST

static GstPadProbeReturn
drop (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  return GST_PAD_PROBE_DROP;
}

GST_START_TEST (a_probe_of_the_udpsink_meets_them)
{
  guint8 next = 2;
  GstPad *sink;
  gulong probe;
  Fixture f;

  fixture_init (&f, TRUE);
  sink = gst_element_get_static_pad (f.udpsink, "sink");
  probe = gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER_LIST, drop, NULL,
      NULL);
  push (&f, SIZES (100, 100));
  gst_pad_remove_probe (sink, probe);
  push (&f, SIZES (100, 100));
  expect (&f, &next, SIZES (100, 100));
  gst_object_unref (sink);
  fixture_clear (&f);
}
GST_END_TEST

#endif

static Suite *
segmentation_suite (void)
{
  Suite *suite = suite_create ("segmentation");
  TCase *lists = tcase_create ("lists");

#ifdef UDP_GRO
  tcase_add_test (lists, packets_of_one_size_leave_as_one);
  tcase_add_test (lists, a_receiver_gets_them_one_by_one);
  tcase_add_test (lists, no_more_leave_as_one_than_the_kernel_takes);
  tcase_add_test (lists, what_the_kernel_refuses_leaves_packet_by_packet);
  tcase_add_test (lists, a_probe_of_the_udpsink_meets_them);
#endif
  suite_add_tcase (suite, lists);
  return suite;
}

GST_CHECK_MAIN (segmentation);
