/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "door.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gst/gst.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cipher.h"
#include "feed.h"
#include "tfrc-wire-bytes.h"
#include "watch.h"

#define N_FEEDS 3
#define N_HEARD 16
#define N_STRANGERS 8
#define MAX_DATAGRAM 65536

/* Below the ports that the kernel hands out. */
#define SINK_PORT 20000
#define SINK_PEER_PORT 22000
#define SRC_PORT 24000
#define SRC_PEER_PORT 26000

typedef struct
{
  const gchar *name;
  const gchar *both, *sink; /* properties */
  gboolean is_group, is_secure, is_split;
  gboolean greets;    /* the source speaks first, and the sink waits for it */
  gboolean is_steady; /* stays in PLAYING: what grows there is not hidden */
} Kind;

static const Kind kinds[] = {
  { "tfrc", "feedback=tfrc", "max-queue-time=1000" },
  { "group", "", "", .is_group = TRUE },
  { "rr", "feedback=rr retransmission=off", "", .is_steady = TRUE },
  { "ccfb", "feedback=ccfb ecn=true", "delay-target=50" },
  { "twcc", "feedback=twcc", "fec=20" },
  { "auto", "feedback=auto ecn=true retransmission=on", "fec=-1",
      .is_steady = TRUE },
  { "srtp", "retransmission=on srtp-key=" CIPHER_KEY, "fec=10",
      .is_secure = TRUE },
  { "split", "rtcp-mux=false ecn=true", "sync=true", .is_split = TRUE },
  { "group-steady", "ecn=true", "", .is_group = TRUE, .is_steady = TRUE },
  { "srtp-steady", "feedback=auto srtp-key=" CIPHER_KEY, "", .is_secure = TRUE,
      .is_steady = TRUE },
  { "greeting", "", "listen=true", .greets = TRUE },
  { "srtp-group", "srtp-key=" CIPHER_KEY, "", .is_group = TRUE,
      .is_secure = TRUE },
};

struct _Door
{
  const Kind *kind;
  gchar *name;
  gboolean is_sink;
  GstElement *pipeline, *element;
  Feed *feeds[N_FEEDS]; /* of a sink */
  gint n_passed;
  int peer[2]; /* sockets: RTP and RTCP */
  int ear;     /* to a group; -1: peer[0] has it all */
  int strangers[N_STRANGERS];
  struct sockaddr_in address; /* of the element */
  GMutex
      disturbing; /* a flush from PAUSED dead-locks GstBaseSrc with PLAYING */
  GMutex lock;    /* for what follows */
  SeedsTalk talk;
  GByteArray *heard[N_HEARD];
  guint n_heard;
};

guint
door_count_kinds (void)
{
  return G_N_ELEMENTS (kinds);
}

gboolean
door_is_kind (guint kind, gchar **names)
{
  return g_strv_contains ((const gchar *const *) names, kinds[kind].name);
}

static struct sockaddr_in
make_address (guint32 host, guint port)
{
  return (struct sockaddr_in) { .sin_family = AF_INET,
    .sin_addr.s_addr = htonl (host),
    .sin_port = htons ((guint16) port) };
}

static int
open_socket (guint32 host, guint port)
{
  struct sockaddr_in address = make_address (host, port);
  struct ip_mreqn lo = { .imr_ifindex = (int) if_nametoindex ("lo") };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) != 0
      || setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &lo, sizeof lo) != 0)
    g_error ("port %u: %s", port, g_strerror (errno));
  return fd;
}

static int
join_group (guint32 group, guint port)
{
  struct ip_mreqn request = { .imr_multiaddr.s_addr = htonl (group),
    .imr_ifindex = (int) if_nametoindex ("lo") };
  int fd = open_socket (group, port);

  if (setsockopt (fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request)
      != 0)
    g_error ("group: %s", g_strerror (errno));
  return fd;
}

static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Door *self = data;
  GError *error;
  gchar *details, *text;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, &details);
    text = g_strdup_printf ("%s: error message: %s (%s)", self->name,
        error->message, details);
    watch_fail (text);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstFlowReturn
take_packet (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Door *self = gst_pad_get_element_private (pad);

  g_atomic_int_inc (&self->n_passed);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static gboolean
take_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  return FALSE;
}

static void
on_pad_added (GstElement *element, GstPad *pad, gpointer data)
{
  GstPad *end;

  if (GST_PAD_IS_SINK (pad))
    return;
  end = gst_pad_new (NULL, GST_PAD_SINK);
  gst_object_ref_sink (end);
  gst_pad_set_element_private (end, data);
  gst_pad_set_chain_function (end, take_packet);
  gst_pad_set_event_function (end, take_event);
  gst_pad_set_query_function (end, take_query);
  gst_pad_set_active (end, TRUE);
  g_object_set_data_full (G_OBJECT (pad), "end", end, gst_object_unref);
  gst_pad_link (pad, end);
}

/* What a sink and a source of the same kind have in common, and what not. */
static gchar *
describe (const Door *self, guint number)
{
  const Kind *kind = self->kind;
  gchar *speaks, *description;

  if (self->is_sink && kind->is_group)
    return g_strdup_printf ("tfrcsink name=%s host=239.255.1.%u port=%u "
                            "bind-port=%u multicast-iface=lo sync=false %s %s",
        self->name, number + 1, SINK_PEER_PORT + 4 * number,
        SINK_PORT + 4 * number, kind->both, kind->sink);
  if (self->is_sink)
    return g_strdup_printf ("tfrcsink name=%s host=127.0.0.1 port=%u "
                            "bind-port=%u sync=false %s %s",
        self->name, SINK_PEER_PORT + 4 * number, SINK_PORT + 4 * number,
        kind->both, kind->sink);
  speaks = kind->greets
      ? g_strdup_printf ("sender-host=127.0.0.1 sender-port=%u",
            SRC_PEER_PORT + 4 * number)
      : g_strdup ("");
  description = g_strdup_printf (
      "tfrcsrc name=%s host=%s port=%u encoding-name=H264 multicast-iface=lo "
      "%s %s",
      self->name, kind->is_group ? inet_ntoa (self->address.sin_addr) : "::",
      SRC_PORT + 4 * number, kind->both, speaks);
  g_free (speaks);
  return description;
}

static void
open_sockets (Door *self, guint number)
{
  guint port = (self->is_sink ? SINK_PEER_PORT : SRC_PEER_PORT) + 4 * number;
  gboolean to_group = self->kind->is_group && !self->is_sink;
  guint i;

  self->address =
      make_address (to_group ? 0xEFFF0201 + number : INADDR_LOOPBACK,
          (self->is_sink ? SINK_PORT : SRC_PORT) + 4 * number);
  for (i = 0; i < 2; i++)
    self->peer[i] = open_socket (INADDR_LOOPBACK, port + i);
  self->ear = self->is_sink && self->kind->is_group
      ? join_group (0xEFFF0101 + number, port)
      : -1;
  for (i = 0; i < N_STRANGERS; i++)
    self->strangers[i] = open_socket (INADDR_LOOPBACK + 1 + i / 2, 0);
}

static void
set_state (Door *self, GstState state)
{
  guint slot = watch_begin (gst_element_state_get_name (state), self->name);

  if (gst_element_set_state (self->pipeline, state) == GST_STATE_CHANGE_FAILURE)
    watch_fail ("a state change fails");
  gst_element_get_state (self->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  watch_end (slot);
}

Door *
door_new (gboolean is_sink, guint kind, guint32 seed)
{
  Door *self = g_new0 (Door, 1);
  GRand *rand = g_rand_new_with_seed (seed);
  gchar *description;
  GError *error = NULL;
  GstBus *bus;
  guint i;

  self->kind = &kinds[kind];
  self->is_sink = is_sink;
  self->name = g_strdup_printf ("%s-%s", is_sink ? "sink" : "src",
      self->kind->name);
  g_mutex_init (&self->disturbing);
  g_mutex_init (&self->lock);
  open_sockets (self, kind);
  description = describe (self, kind);
  self->element = gst_parse_launch (description, &error);
  if (self->element == NULL || error != NULL)
    g_error ("%s: %s", description, error->message);
  g_free (description);
  self->pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (self->pipeline), self->element);
  g_signal_connect (self->element, "pad-added", G_CALLBACK (on_pad_added),
      self);
  bus = gst_element_get_bus (self->pipeline);
  gst_bus_set_sync_handler (bus, on_message, self, NULL);
  gst_object_unref (bus);
  self->talk = (SeedsTalk) { .own_ssrc = g_rand_int (rand),
    .own_seq = (guint16) g_rand_int (rand),
    .own_timestamp = g_rand_int (rand),
    .is_group = self->kind->is_group,
    .greets = self->kind->greets };
  for (i = 0; is_sink && i < N_FEEDS; i++)
    self->feeds[i] = feed_new (self->element, i, g_rand_int (rand));
  g_rand_free (rand);
  set_state (self, GST_STATE_PLAYING);
  return self;
}

void
door_free (Door *self)
{
  guint i;

  set_state (self, GST_STATE_NULL);
  for (i = 0; i < N_FEEDS; i++)
    if (self->feeds[i] != NULL)
      feed_free (self->feeds[i]);
  gst_object_unref (self->pipeline);
  close (self->peer[0]);
  close (self->peer[1]);
  if (self->ear >= 0)
    close (self->ear);
  for (i = 0; i < N_STRANGERS; i++)
    close (self->strangers[i]);
  for (i = 0; i < N_HEARD; i++)
    if (self->heard[i] != NULL)
      g_byte_array_unref (self->heard[i]);
  g_mutex_clear (&self->disturbing);
  g_mutex_clear (&self->lock);
  g_free (self->name);
  g_free (self);
}

const gchar *
door_get_name (const Door *self)
{
  return self->name;
}

gboolean
door_is_secure (const Door *self)
{
  return self->kind->is_secure;
}

gboolean
door_is_sink (const Door *self)
{
  return self->is_sink;
}

void
door_set_busy (Door *self, gboolean busy)
{
  guint i;

  for (i = 0; i < N_FEEDS; i++)
    if (self->feeds[i] != NULL)
      feed_set_busy (self->feeds[i], busy);
}

static void
hear_ssrc (SeedsTalk *talk, guint32 ssrc)
{
  guint i;

  for (i = 0; i < talk->n_ssrcs; i++)
    if (talk->ssrcs[i] == ssrc)
      return;
  if (talk->n_ssrcs < SEEDS_N_SSRCS)
    talk->ssrcs[talk->n_ssrcs++] = ssrc;
  else
    talk->ssrcs[ssrc % SEEDS_N_SSRCS] = ssrc;
}

/* The extension of either protocol, in the one-byte form. */
static void
hear_extension (SeedsTalk *talk, const guint8 *data, gsize size)
{
  gsize at = 16, end;

  if (size < 16 || !(data[0] & 0x10) || data[12] != 0xBE)
    return;
  end = MIN (size, 16 + 4u * tfrc_wire_get16 (data + 14));
  while (at < end) {
    gsize length = (data[at] & 0xFu) + 1;

    if (data[at] == 0) {
      at++;
      continue;
    }
    if (at + 1 + length > end)
      return;
    if (length == 7 || length == 8 || length == 16)
      talk->send_time_us = tfrc_wire_get32 (data + at + (length == 7 ? 4 : 5));
    if (length == 8 || length == 16)
      talk->round = data[at + 4];
    at += 1 + length;
  }
}

static void
hear_datagram (Door *self, const guint8 *data, gsize size)
{
  SeedsTalk *talk = &self->talk;
  gboolean is_rtcp = size >= 8 && data[1] >= 192 && data[1] <= 223;

  if (is_rtcp) {
    hear_ssrc (talk, tfrc_wire_get32 (data + 4));
    if (!self->is_sink)
      talk->media_ssrc = tfrc_wire_get32 (data + 4);
    if (data[1] == 200 && size >= 20)
      talk->sender_report = tfrc_wire_get32 (data + 10);
    if (data[1] == 204 && size == 20)
      talk->cookie = (guint64) tfrc_wire_get32 (data + 12) << 32
          | tfrc_wire_get32 (data + 16);
    if (data[1] == 206 && size >= 28) {
      talk->receiver_ssrc = tfrc_wire_get32 (data + 4);
      talk->send_time_us = tfrc_wire_get32 (data + 20);
    }
  } else if (size >= 12) {
    talk->media_ssrc = tfrc_wire_get32 (data + 8);
    talk->seq = tfrc_wire_get16 (data + 2);
    hear_ssrc (talk, talk->media_ssrc);
    hear_extension (talk, data, size);
    g_atomic_int_inc (&self->n_passed);
  }
}

static void
hear_socket (Door *self, int fd)
{
  static guint8 data[MAX_DATAGRAM];
  gssize size;
  guint place;

  while ((size = recv (fd, data, sizeof data, 0)) > 0) {
    g_mutex_lock (&self->lock);
    hear_datagram (self, data, (gsize) size);
    place = self->n_heard++ % N_HEARD;
    if (self->heard[place] == NULL)
      self->heard[place] = g_byte_array_new ();
    g_byte_array_set_size (self->heard[place], 0);
    g_byte_array_append (self->heard[place], data, (guint) size);
    g_mutex_unlock (&self->lock);
  }
}

void
door_hear (Door *self)
{
  hear_socket (self, self->peer[0]);
  hear_socket (self, self->peer[1]);
  if (self->ear >= 0)
    hear_socket (self, self->ear);
}

void
door_get_talk (Door *self, SeedsTalk *talk)
{
  g_mutex_lock (&self->lock);
  *talk = self->talk;
  g_mutex_unlock (&self->lock);
}

void
door_next_packet (Door *self, SeedsTalk *talk)
{
  g_mutex_lock (&self->lock);
  self->talk.own_seq++;
  self->talk.own_timestamp += 1800;
  *talk = self->talk;
  g_mutex_unlock (&self->lock);
}

gboolean
door_copy_heard (Door *self, GByteArray *data, GRand *rand)
{
  guint place = (guint) g_rand_int_range (rand, 0, N_HEARD);
  gboolean found;

  g_mutex_lock (&self->lock);
  found = self->heard[place] != NULL;
  if (found) {
    g_byte_array_set_size (data, 0);
    g_byte_array_append (data, self->heard[place]->data,
        self->heard[place]->len);
  }
  g_mutex_unlock (&self->lock);
  return found;
}

void
door_send (Door *self, const GByteArray *data, gboolean from_peer,
    gboolean to_rtcp, GRand *rand)
{
  struct sockaddr_in to = self->address;
  gboolean other_port = to_rtcp && self->kind->is_split;
  int fd = from_peer ? self->peer[other_port ? 1 : 0]
                     : self->strangers[g_rand_int_range (rand, 0, N_STRANGERS)];
  int tos = g_rand_int_range (rand, 0, 4);

  if (other_port)
    to.sin_port = htons ((guint16) (ntohs (to.sin_port) + 1));
  setsockopt (fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
  watch_note_packet (self->name, from_peer ? "peer" : "stranger", data->data,
      data->len);
  sendto (fd, data->data, data->len, 0, (struct sockaddr *) &to, sizeof to);
}

static gpointer
flush_feed (gpointer data)
{
  feed_flush (data);
  return NULL;
}

/* Two streams at a time, each from a thread of its own. */
static void
flush (Door *self, GRand *rand)
{
  guint first = (guint) g_rand_int_range (rand, 0, N_FEEDS);
  GThread *thread;

  if (!self->is_sink) {
    guint slot = watch_begin ("flush", self->name);

    gst_element_send_event (self->element, gst_event_new_flush_start ());
    gst_element_send_event (self->element, gst_event_new_flush_stop (TRUE));
    watch_end (slot);
    return;
  }
  thread = g_thread_new ("fuzz-flush", flush_feed, self->feeds[first]);
  feed_flush (self->feeds[(first + 1) % N_FEEDS]);
  g_thread_join (thread);
}

static void
change_state (Door *self, GRand *rand)
{
  static const GstState states[] = { GST_STATE_PAUSED, GST_STATE_READY,
    GST_STATE_NULL };

  set_state (self, states[g_rand_int_range (rand, 0, 3)]);
  g_usleep ((gulong) g_rand_int_range (rand, 0, 50000));
  set_state (self, GST_STATE_PLAYING);
}

/* What an application looks at, and turns, while it runs. */
static void
look (Door *self, GRand *rand)
{
  guint slot = watch_begin ("properties", self->name);
  GstQuery *query = gst_query_new_latency ();
  GstStructure *stats;

  g_object_get (self->element, "stats", &stats, NULL);
  gst_structure_free (stats);
  gst_element_query (self->pipeline, query);
  gst_query_unref (query);
  if (self->is_sink) {
    gchar *sdp;

    g_object_get (self->element, "sdp", &sdp, NULL);
    g_free (sdp);
    g_object_set (self->element, "max-bitrate",
        (guint) g_rand_int_range (rand, 100000, 20000000), NULL);
  } else {
    g_object_set (self->element, "latency",
        (guint) g_rand_int_range (rand, 0, 300), NULL);
  }
  watch_end (slot);
}

void
door_disturb (Door *self, GRand *rand)
{
  guint feed = (guint) g_rand_int_range (rand, 0, N_FEEDS);

  g_mutex_lock (&self->disturbing);
  switch (g_rand_int_range (rand, 0, 8)) {
    case 0:
    case 1:
      if (!self->kind->is_steady)
        change_state (self, rand);
      break;
    case 2:
    case 3:
      flush (self, rand);
      break;
    case 4:
      if (self->is_sink)
        feed_change_pad (self->feeds[feed]);
      break;
    case 5:
      if (self->is_sink) {
        feed_send_eos (self->feeds[feed]);
        g_usleep (100000);
        feed_flush (self->feeds[feed]);
      }
      break;
    default:
      look (self, rand);
  }
  g_mutex_unlock (&self->disturbing);
}

guint
door_count_passed (Door *self)
{
  return (guint) g_atomic_int_get (&self->n_passed);
}

gchar *
door_describe (Door *self)
{
  GstStructure *stats;
  GstState state;
  gchar *text, *all;

  gst_element_get_state (self->element, &state, NULL, 0);
  g_object_get (self->element, "stats", &stats, NULL);
  text = gst_structure_to_string (stats);
  all = g_strdup_printf ("%s: %s", gst_element_state_get_name (state), text);
  g_free (text);
  gst_structure_free (stats);
  return all;
}

void
door_restart (Door *self)
{
  guint i;

  for (i = 0; i < N_FEEDS; i++)
    if (self->feeds[i] != NULL)
      feed_send_eos (self->feeds[i]);
  g_usleep (500000);
  set_state (self, GST_STATE_NULL);
  set_state (self, GST_STATE_PLAYING);
  for (i = 0; i < N_FEEDS; i++)
    if (self->feeds[i] != NULL)
      feed_restart (self->feeds[i]);
}
