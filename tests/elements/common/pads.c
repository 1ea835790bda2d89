/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of packets meet the probes that single packets meet: a guard between
 * two pads, then those of tfrcsrc. */

#include "common/pads.h"

#include <gst/check/gstcheck.h>
#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

/* Two pads with a guard on one, and what comes through it. */
typedef struct
{
  GstPad *src;
  GstPad *sink;
  GString *met; /* a letter for each packet */
  GString *came;
  gboolean writable; /* all that were met */
  gchar stop;        /* at this letter the flow ends */
} Fixture;

/* Where the guard is, and whether the sink pad takes lists. */
static const struct
{
  GstPadDirection direction;
  gboolean takes_lists;
} places[] = {
  { GST_PAD_SRC, FALSE },
  { GST_PAD_SRC, TRUE },
  { GST_PAD_SINK, FALSE },
  { GST_PAD_SINK, TRUE },
};

static gchar
get_letter (GstBuffer *buffer)
{
  gchar letter = 0;

  gst_buffer_extract (buffer, 0, &letter, 1);
  return letter;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Fixture *self = gst_pad_get_element_private (pad);
  gchar letter = get_letter (buffer);

  g_string_append_c (self->came, letter);
  gst_buffer_unref (buffer);
  return letter == self->stop ? GST_FLOW_EOS : GST_FLOW_OK;
}

static GstFlowReturn
chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  guint i;

  for (i = 0; i < gst_buffer_list_length (list); i++)
    chain (pad, parent, gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

/* Drops d, takes h, writes r to be R, and goes with x. */
static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Fixture *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gchar letter = get_letter (buffer);

  g_string_append_c (self->met, letter);
  self->writable &= gst_buffer_is_writable (buffer);
  switch (letter) {
    case 'd':
      return GST_PAD_PROBE_DROP;
    case 'h':
      gst_buffer_unref (buffer);
      GST_PAD_PROBE_INFO_DATA (info) = NULL;
      return GST_PAD_PROBE_HANDLED;
    case 'r':
      buffer = gst_buffer_make_writable (buffer);
      GST_PAD_PROBE_INFO_DATA (info) = buffer;
      gst_buffer_fill (buffer, 0, "R", 1);
      return GST_PAD_PROBE_OK;
    case 'x':
      return GST_PAD_PROBE_REMOVE;
    default:
      return GST_PAD_PROBE_OK;
  }
}

/* *user_data has gone with the probe. */
static void
forget (gpointer user_data)
{
  Fixture *self = user_data;

  g_string_append_c (self->met, '.');
}

/* What a source pad pushes in front of its first buffer.  A thread of its own
 * may push the caps at the same time. */
static void
begin_stream (GstPad *pad, const gchar *media_type)
{
  GstEvent *begun = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstCaps *caps = gst_caps_new_empty_simple (media_type);
  GstSegment segment;

  if (begun == NULL) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_push_event (pad, gst_event_new_stream_start ("test"));
    gst_pad_push_event (pad, gst_event_new_caps (caps));
    gst_pad_push_event (pad, gst_event_new_segment (&segment));
  }
  gst_caps_unref (caps);
  gst_clear_event (&begun);
}

static void
fixture_init (Fixture *self, guint place)
{
  *self = (Fixture) {
    .src = gst_pad_new ("src", GST_PAD_SRC),
    .sink = gst_pad_new ("sink", GST_PAD_SINK),
    .met = g_string_new (NULL),
    .came = g_string_new (NULL),
    .writable = TRUE,
  };
  gst_pad_set_element_private (self->sink, self);
  gst_pad_set_chain_function (self->sink, chain);
  if (places[place].takes_lists)
    gst_pad_set_chain_list_function (self->sink, chain_list);
  gst_pad_link (self->src, self->sink);
  gst_pad_set_active (self->sink, TRUE);
  gst_pad_set_active (self->src, TRUE);
  begin_stream (self->src, "application/x-rtp");
  tfrc_packet_probe_add (places[place].direction == GST_PAD_SRC
          ? self->src
          : self->sink,
      on_packet, self, forget);
}

static void
fixture_clear (Fixture *self)
{
  gst_pad_set_active (self->src, FALSE);
  gst_pad_set_active (self->sink, FALSE);
  gst_object_unref (self->src);
  gst_object_unref (self->sink);
  fail_unless (g_str_has_suffix (self->met->str, "."), "%s", self->met->str);
  g_string_free (self->met, TRUE);
  g_string_free (self->came, TRUE);
}

static GstBufferList *
make_list (const gchar *letters)
{
  GstBufferList *list = gst_buffer_list_new ();

  for (; *letters; letters++)
    gst_buffer_list_add (list, gst_buffer_new_memdup (letters, 1));
  return list;
}

/* A list, then the same packets one by one. */
GST_START_TEST (packets_of_a_list_are_met_as_single_ones_are)
{
  const gchar *letters = "adrhbrd";
  Fixture self;

  fixture_init (&self, __i__);
  fail_unless_equals_int (gst_pad_push_list (self.src, make_list (letters)),
      GST_FLOW_OK);
  fail_unless_equals_string (self.met->str, "adrhbrd");
  fail_unless_equals_string (self.came->str, "aRbR");
  fail_unless (self.writable);
  for (; *letters; letters++)
    gst_pad_push (self.src, gst_buffer_new_memdup (letters, 1));
  fail_unless_equals_string (self.met->str, "adrhbrdadrhbrd");
  fail_unless_equals_string (self.came->str, "aRbRaRbR");
  fixture_clear (&self);
}

GST_END_TEST;

/* What another holds stays as it is. */
GST_START_TEST (a_list_that_is_shared_is_not_written_to)
{
  GstBufferList *list = make_list ("rd");
  Fixture self;

  fixture_init (&self, __i__);
  gst_pad_push_list (self.src, gst_buffer_list_ref (list));
  fail_unless_equals_string (self.came->str, "R");
  fail_unless_equals_int (gst_buffer_list_length (list), 2);
  fail_unless_equals_int (get_letter (gst_buffer_list_get (list, 0)), 'r');
  fail_unless_equals_int (get_letter (gst_buffer_list_get (list, 1)), 'd');
  gst_buffer_list_unref (list);
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (the_flow_that_ends_is_the_lists)
{
  Fixture self;

  fixture_init (&self, __i__);
  self.stop = 'b';
  fail_unless_equals_int (gst_pad_push_list (self.src, make_list ("abc")),
      GST_FLOW_EOS);
  fail_unless_equals_string (self.met->str, "ab");
  fail_unless_equals_string (self.came->str, "ab");
  fixture_clear (&self);
}

GST_END_TEST;

/* x itself passes; what is behind it in the list is met no more. */
GST_START_TEST (a_guard_may_go_within_a_list)
{
  Fixture self;

  fixture_init (&self, __i__);
  fail_unless_equals_int (gst_pad_push_list (self.src, make_list ("daxdr")),
      GST_FLOW_OK);
  fail_unless_equals_string (self.came->str, "axdr");
  gst_pad_push_list (self.src, make_list ("d"));
  fail_unless_equals_string (self.came->str, "axdrd");
  fail_unless_equals_string (self.met->str, "dax.");
  fixture_clear (&self);
}

GST_END_TEST;

GST_START_TEST (an_empty_list_is_nothing)
{
  Fixture self;

  fixture_init (&self, __i__);
  fail_unless_equals_int (gst_pad_push_list (self.src, make_list ("")),
      GST_FLOW_OK);
  fail_unless_equals_int (gst_pad_push_list (self.src, make_list ("d")),
      GST_FLOW_OK);
  fail_unless_equals_string (self.came->str, "");
  fixture_clear (&self);
}

GST_END_TEST;

/* A tfrcsrc that plays, RTP and RTCP on ports of their own, and what comes to
 * a pad of its rtpsession. */
typedef struct
{
  GstElement *pipeline;
  GstElement *element;
  GstElement *rtpbin;
  GstPad *receiver_pad; /* of the RTP */
  GArray *ports;        /* of the addresses of what came; guint */
} Receiver;

#define SENDER_SSRC 0x11112222
#define SENDER_PORT 5000
#define MOVED_PORT 6000

static GstElement *
find (GstElement *bin, const gchar *factory)
{
  GstIterator *elements =
      gst_bin_iterate_all_by_element_factory_name (GST_BIN (bin), factory);
  GValue value = G_VALUE_INIT;
  GstElement *found;

  fail_unless_equals_int (gst_iterator_next (elements, &value),
      GST_ITERATOR_OK);
  found = g_value_dup_object (&value);
  g_value_unset (&value);
  gst_iterator_free (elements);
  return found;
}

/* An even one, with the next. */
static guint
find_free_port (void)
{
  GInetAddress *any = g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  guint port;

  for (port = 35000; port < 36000; port += 2) {
    gboolean is_free = TRUE;
    guint i;

    for (i = 0; i < 2; i++) {
      GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
          G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
      GSocketAddress *address = g_inet_socket_address_new (any, port + i);

      is_free &= g_socket_bind (socket, address, FALSE, NULL);
      g_object_unref (address);
      g_object_unref (socket);
    }
    if (is_free)
      break;
  }
  g_object_unref (any);
  return port;
}

static GstPadProbeReturn
note_port (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Receiver *self = user_data;
  GstNetAddressMeta *meta =
      gst_buffer_get_net_address_meta (GST_PAD_PROBE_INFO_BUFFER (info));
  guint port = meta == NULL
      ? 0
      : g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (meta->addr));

  g_array_append_val (self->ports, port);
  return GST_PAD_PROBE_OK;
}

/* Watches the pad of the session behind that of rtpbin. */
static void
receiver_watch (Receiver *self, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (self->rtpbin, name);
  GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));

  gst_pad_add_probe (target, GST_PAD_PROBE_TYPE_BUFFER, note_port, self, NULL);
  gst_object_unref (target);
  gst_object_unref (pad);
}

static void
receiver_init (Receiver *self)
{
  GstElement *inner;

  self->pipeline = gst_pipeline_new (NULL);
  self->element = gst_element_factory_make ("tfrcsrc", NULL);
  self->ports = g_array_new (FALSE, FALSE, sizeof (guint));
  g_object_set (self->element, "address", "127.0.0.1", "port",
      find_free_port (), "rtcp-mux", FALSE, "encoding-name", "H264", NULL);
  gst_bin_add (GST_BIN (self->pipeline), self->element);
  self->rtpbin = find (self->element, "rtpbin");
  inner = find (self->element, "rtptfrcreceive");
  fail_unless (gst_element_set_state (self->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  gst_element_get_state (self->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  self->receiver_pad = gst_element_get_static_pad (inner, "sink");
  gst_object_unref (inner);
}

static void
receiver_clear (Receiver *self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_object_unref (self->receiver_pad);
  gst_object_unref (self->rtpbin);
  gst_object_unref (self->pipeline);
  g_array_unref (self->ports);
}

/* As its source would. */
static void
push_to (GstPad *sinkpad, const gchar *media_type, GstBufferList *list)
{
  GstPad *pad = gst_pad_get_peer (sinkpad);

  begin_stream (pad, media_type);
  fail_unless_equals_int (gst_pad_push_list (pad, list), GST_FLOW_OK);
  gst_object_unref (pad);
}

/* Takes the buffer. */
static void
add_from (GstBufferList *list, GstBuffer *buffer, guint port)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string ("127.0.0.1",
      port);

  gst_buffer_add_net_address_meta (buffer, address);
  gst_buffer_list_add (list, buffer);
  g_object_unref (address);
}

static void
push_rtp (Receiver *self, guint16 seq, guint port)
{
  GstBufferList *list = gst_buffer_list_new ();
  guint i;

  for (i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_rtp_buffer_new_allocate (10, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp));
    gst_rtp_buffer_set_payload_type (&rtp, 96);
    gst_rtp_buffer_set_ssrc (&rtp, SENDER_SSRC);
    gst_rtp_buffer_set_seq (&rtp, seq + i);
    memset (gst_rtp_buffer_get_payload (&rtp), 0, 10);
    gst_rtp_buffer_unmap (&rtp);
    add_from (list, buffer, port);
  }
  push_to (self->receiver_pad, "application/x-rtp", list);
}

/* The session, for which an SSRC at another address is a collision, sees the
 * sender stay where it was (receive/source-address.h). */
GST_START_TEST (the_address_of_lists_is_steady)
{
  Receiver self;
  guint i;

  receiver_init (&self);
  receiver_watch (&self, "recv_rtp_sink_0");
  push_rtp (&self, 1, SENDER_PORT);
  push_rtp (&self, 3, MOVED_PORT);
  fail_unless_equals_int (self.ports->len, 4);
  for (i = 0; i < 4; i++)
    fail_unless_equals_int (g_array_index (self.ports, guint, i), SENDER_PORT);
  receiver_clear (&self);
}

GST_END_TEST;

/* RTCP that is not the sender's stays out, and so does an SR request, on which
 * the session would block (bins/gsttfrcsrc.c). */
GST_START_TEST (rtcp_in_lists_is_filtered)
{
  static const guint8 of_sender[] = { 0x80, 201, 0, 1, 0x11, 0x11, 0x22, 0x22 };
  static const guint8 of_stranger[] = { 0x80, 201, 0, 1, 1, 2, 3, 4 };
  static const guint8 sr_request[] = { 0x85, 205, 0, 2, 0x11, 0x11, 0x22, 0x22,
    0x11, 0x11, 0x22, 0x22 };
  GstBufferList *list = gst_buffer_list_new ();
  Receiver self;
  GstPad *pad;

  receiver_init (&self);
  push_rtp (&self, 1, SENDER_PORT);
  receiver_watch (&self, "recv_rtcp_sink_0");
  add_from (list, gst_buffer_new_memdup (of_stranger, sizeof of_stranger),
      SENDER_PORT + 2);
  add_from (list, gst_buffer_new_memdup (of_sender, sizeof of_sender),
      SENDER_PORT + 1);
  add_from (list, gst_buffer_new_memdup (sr_request, sizeof sr_request),
      SENDER_PORT + 1);
  pad = gst_element_get_static_pad (self.rtpbin, "recv_rtcp_sink_0");
  push_to (pad, "application/x-rtcp", list);
  gst_object_unref (pad);
  fail_unless_equals_int (self.ports->len, 1);
  fail_unless_equals_int (g_array_index (self.ports, guint, 0),
      SENDER_PORT + 1);
  receiver_clear (&self);
}

GST_END_TEST;

/* What has no SSRC to judge by does not leave (bins/gsttfrcsrc.c). */
GST_START_TEST (rtcp_that_leaves_in_lists_is_withheld)
{
  static const guint8 report[] = { 0x80, 201, 0, 1, 1, 2, 3, 4 };
  GstBufferList *list = gst_buffer_list_new ();
  GstStructure *stats;
  guint64 withheld;
  Receiver self;
  GstPad *pad;

  receiver_init (&self);
  gst_buffer_list_add (list, gst_buffer_new_memdup (report, 3));
  gst_buffer_list_add (list, gst_buffer_new_memdup (report, sizeof report));
  gst_buffer_list_add (list, gst_buffer_new_memdup (report, 2));
  pad = gst_element_get_static_pad (self.rtpbin, "send_rtcp_src_0");
  begin_stream (pad, "application/x-rtcp");
  gst_pad_push_list (pad, list);
  gst_object_unref (pad);
  g_object_get (self.element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "rtcp-withheld", &withheld));
  fail_unless_equals_uint64 (withheld, 2);
  gst_structure_free (stats);
  receiver_clear (&self);
}

GST_END_TEST;

static Suite *
tfrcguard_suite (void)
{
  Suite *suite = suite_create ("tfrcguard");
  TCase *pads = tcase_create ("pads");
  TCase *receiver = tcase_create ("tfrcsrc");
  const gint n = G_N_ELEMENTS (places);

  suite_add_tcase (suite, pads);
  tcase_add_loop_test (pads, packets_of_a_list_are_met_as_single_ones_are, 0,
      n);
  tcase_add_loop_test (pads, a_list_that_is_shared_is_not_written_to, 0, n);
  tcase_add_loop_test (pads, the_flow_that_ends_is_the_lists, 0, n);
  tcase_add_loop_test (pads, a_guard_may_go_within_a_list, 0, n);
  tcase_add_loop_test (pads, an_empty_list_is_nothing, 0, n);
  suite_add_tcase (suite, receiver);
  tcase_add_test (receiver, the_address_of_lists_is_steady);
  tcase_add_test (receiver, rtcp_in_lists_is_filtered);
  tcase_add_test (receiver, rtcp_that_leaves_in_lists_is_withheld);
  return suite;
}

GST_CHECK_MAIN (tfrcguard);
