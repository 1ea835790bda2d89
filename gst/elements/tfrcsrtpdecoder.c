/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets up srtpdec.  Checks no packet itself: that is libsrtp2.
 *
 * A receiver that joins after the sequence number wrapped does not know the
 * roll-over counter (RFC 3711 section 3.3.1), so that nothing authenticates.
 * A packet of an SSRC of which none has authenticated is therefore tried with
 * one counter after the other, from 0; where the budget ends the next packet
 * goes on.
 *
 * The receivers of a group report from an SSRC each, and a member can make up
 * more: of those the ones heard of last are remembered.  A report replayed after
 * its SSRC was forgotten authenticates again; that it is old shows in it.
 *
 * srtpdec asks for a key under its object lock, which a bin that changes state
 * takes inside its own.  The key is therefore fetched before the packet is in
 * srtpdec. */

#include "tfrcsrtpdecoder.h"

#include "tfrcpacket.h"

/* Roll-over counters tried in a second, besides one for each packet: about
 * 10 ms of CPU, and the 2^16 packets of each are 31 hours at 300 packets/s.  The
 * bounds are for those who send packets with made-up SSRCs: they must not hold
 * up the stream, on a slow machine neither. */
#define MAX_ATTEMPTS 512
#define MAX_TIME (20 * GST_MSECOND)
#define ATTEMPTS_PERIOD GST_SECOND
#define MAX_ROC 65535
/* Packets a second of SSRCs of which none has authenticated, as long as they do
 * not either; the rest is dropped unseen.  srtpdec makes a cipher for each, and
 * with NSS behind libsrtp2 that takes the longer the more there have been. */
#define MAX_STRANGERS 32
/* SSRCs that never authenticated and are remembered: srtpdec keeps a cipher
 * for each. */
#define MAX_UNKNOWN 32
/* SSRCs that have authenticated: several rounds of feedback of a large group.
 * libsrtp2 looks for one in a list. */
#define MAX_AUTHENTIC 512
/* Packets without a single good one before the key is called wrong: a sender
 * that hears nothing sends one per second. */
#define WARN_AFTER 4

typedef struct
{
  guint32 ssrc;
  GstBuffer *key;               /* NULL = there was none */
  gboolean authentic;           /* a packet has authenticated: key is right */
  guint32 roc;                  /* on trial, or that of the stream */
  guint32 next_roc;             /* to try after 0 */
  gboolean proven;              /* an RTP packet has authenticated: so is roc */
  guint64 used;                 /* `accepted` at its newest packet */
} Stream;

typedef struct
{
  const gchar *pad_name;
  GstPadProbeCallback callback;
} Probe;

struct _TfrcSrtpDecoder
{
  TfrcSrtpConfig config;        /* without the key: get_key has it */
  GstElement *owner;
  GstElement *element;
  TfrcSrtpGetKey get_key;
  gpointer user_data;
  gulong probe_ids[4];          /* of probes */

  GMutex lock;                  /* guards all below */
  GHashTable *streams;          /* SSRC -> Stream */
  guint n_unknown;              /* of streams: not authentic */
  guint strangers;              /* in the period that began at: ... */
  GstClockTime strangers_at;    /* gst_util_get_timestamp */
  guint attempts;               /* in the period that began at: ... */
  GstClockTime spent;           /* time that they took */
  GstClockTime period_at;       /* gst_util_get_timestamp */
  gboolean trying;              /* of the RTP thread: the packet is a try */
  guint64 received;
  guint64 accepted;
  gboolean warned;
};

static GstPadProbeReturn on_rtp_in (GstPad *pad, GstPadProbeInfo * info,
    gpointer user_data);
static GstPadProbeReturn on_rtcp_in (GstPad *pad, GstPadProbeInfo * info,
    gpointer user_data);
static GstPadProbeReturn on_out (GstPad *pad, GstPadProbeInfo * info,
    gpointer user_data);
static GstCaps *on_request_key (GstElement *element, guint ssrc,
    TfrcSrtpDecoder * self);
static void stream_free (gpointer data);

static const Probe probes[] = {
  {"rtp_sink", on_rtp_in},
  {"rtcp_sink", on_rtcp_in},
  {"rtp_src", on_out},
  {"rtcp_src", on_out},
};

TfrcSrtpDecoder *
tfrc_srtp_decoder_new (const TfrcSrtpConfig * config, GstElement *owner,
    TfrcSrtpGetKey get_key, gpointer user_data, GError ** error)
{
  GstElement *element = tfrc_srtp_make_element ("srtpdec", error);
  TfrcSrtpDecoder *self;
  guint i;

  if (!element)
    return NULL;
  self = g_new0 (TfrcSrtpDecoder, 1);
  self->config = *config;
  self->config.key = NULL;
  self->owner = owner;
  self->element = gst_object_ref_sink (element);
  self->get_key = get_key;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  self->streams = g_hash_table_new_full (NULL, NULL, NULL, stream_free);
  /* Paced packets reorder by more than the default of 128 at 100 Mbit/s. */
  g_object_set (element, "replay-window-size", 1024, NULL);
  g_signal_connect (element, "request-key", G_CALLBACK (on_request_key), self);
  for (i = 0; i < G_N_ELEMENTS (probes); i++) {
    GstPad *pad = gst_element_get_static_pad (element, probes[i].pad_name);

    self->probe_ids[i] = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER,
        probes[i].callback, self, NULL);
    gst_object_unref (pad);
  }
  return self;
}

void
tfrc_srtp_decoder_free (TfrcSrtpDecoder * self)
{
  guint i;

  if (!self)
    return;
  /* Somebody may still hold it. */
  g_signal_handlers_disconnect_by_data (self->element, self);
  for (i = 0; i < G_N_ELEMENTS (probes); i++) {
    GstPad *pad =
        gst_element_get_static_pad (self->element, probes[i].pad_name);

    gst_pad_remove_probe (pad, self->probe_ids[i]);
    gst_object_unref (pad);
  }
  gst_object_unref (self->element);
  g_hash_table_unref (self->streams);
  g_mutex_clear (&self->lock);
  g_free (self);
}

GstElement *
tfrc_srtp_decoder_get_element (TfrcSrtpDecoder * self)
{
  return self->element;
}

void
tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder * self, guint64 *received,
    guint64 *dropped)
{
  g_mutex_lock (&self->lock);
  *received = self->received;
  *dropped = self->received - self->accepted;
  g_mutex_unlock (&self->lock);
}

/* With the lock held; the SSRCs are for srtpdec to forget too. */
static void
forget_unknown (TfrcSrtpDecoder * self, GArray * forgotten)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->streams);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Stream *stream = value;

    if (!stream->authentic) {
      g_array_append_val (forgotten, stream->ssrc);
      g_hash_table_iter_remove (&iter);
    }
  }
  self->n_unknown = 0;
}

/* The one that was silent for the longest time; with the lock held. */
static void
forget_oldest (TfrcSrtpDecoder * self, GArray * forgotten)
{
  Stream *oldest = NULL;
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->streams);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Stream *stream = value;

    if (stream->authentic && (!oldest || stream->used < oldest->used))
      oldest = stream;
  }
  if (!oldest)
    return;
  g_array_append_val (forgotten, oldest->ssrc);
  g_hash_table_remove (self->streams, GUINT_TO_POINTER (oldest->ssrc));
}

/* For one more; with the lock held. */
static void
make_room (TfrcSrtpDecoder * self, GArray * forgotten)
{
  if (self->n_unknown >= MAX_UNKNOWN)
    forget_unknown (self, forgotten);
  if (g_hash_table_size (self->streams) - self->n_unknown >= MAX_AUTHENTIC)
    forget_oldest (self, forgotten);
}

/* With the lock held; NULL = it is not known. */
static Stream *
find_stream (TfrcSrtpDecoder * self, guint32 ssrc)
{
  return g_hash_table_lookup (self->streams, GUINT_TO_POINTER (ssrc));
}

/* With the lock held. */
static Stream *
add_stream (TfrcSrtpDecoder * self, guint32 ssrc)
{
  Stream *stream = g_new0 (Stream, 1);

  stream->ssrc = ssrc;
  g_hash_table_insert (self->streams, GUINT_TO_POINTER (ssrc), stream);
  self->n_unknown++;
  return stream;
}

static void
stream_free (gpointer data)
{
  Stream *stream = data;

  gst_clear_buffer (&stream->key);
  g_free (stream);
}

/* srtpdec asks for the key, and so for the roll-over counter, anew. */
static void
remove_key (TfrcSrtpDecoder * self, guint32 ssrc)
{
  g_signal_emit_by_name (self->element, "remove-key", ssrc);
}

/* `plain`: the lengths in it say that it is RTCP without SRTP.  Feedback comes
 * within a round trip of the first packet, so this shows at once. */
static void
count_received (TfrcSrtpDecoder * self, gboolean plain)
{
  gboolean warn;

  g_mutex_lock (&self->lock);
  self->received++;
  warn = !self->warned && !self->accepted
      && (plain || self->received > WARN_AFTER);
  if (warn)
    self->warned = TRUE;
  g_mutex_unlock (&self->lock);
  if (warn && plain)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT,
        ("The other end does not use SRTP: srtp-key must be set at both ends."),
        ("RTCP came in that is not protected"));
  else if (warn)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT,
        ("None of the packets that arrive authenticates: srtp-key, srtp-cipher "
            "and srtp-auth must be the same at both ends."),
        ("%d packets", WARN_AFTER));
}

/* Whether a packet is one of too many that nobody knows. */
static gboolean
is_too_much (TfrcSrtpDecoder * self, guint32 ssrc)
{
  GstClockTime now = gst_util_get_timestamp ();
  gboolean too_much;
  Stream *stream;

  g_mutex_lock (&self->lock);
  stream = find_stream (self, ssrc);
  if (now - self->strangers_at >= ATTEMPTS_PERIOD) {
    self->strangers_at = now;
    self->strangers = 0;
  }
  too_much = !(stream && stream->authentic)
      && self->strangers >= MAX_STRANGERS;
  if (!too_much && !(stream && stream->authentic))
    self->strangers++;
  g_mutex_unlock (&self->lock);
  return too_much;
}

/* Whether one more roll-over counter may be tried; `since` is when the one
 * before was, and becomes now. */
static gboolean
may_try (TfrcSrtpDecoder * self, GstClockTime *since)
{
  GstClockTime now = gst_util_get_timestamp ();

  self->spent += now - *since;
  *since = now;
  if (now - self->period_at >= ATTEMPTS_PERIOD) {
    self->period_at = now;
    self->attempts = 0;
    self->spent = 0;
  }
  if (self->attempts >= MAX_ATTEMPTS || self->spent >= MAX_TIME)
    return FALSE;
  self->attempts++;
  return TRUE;
}

/* Fetches the key that srtpdec is going to ask for, anew as long as nothing has
 * authenticated.  Gives whether the roll-over counter is known. */
static gboolean
prepare_stream (TfrcSrtpDecoder * self, guint32 ssrc)
{
  GArray *forgotten;
  GstBuffer *key;
  Stream *stream;
  gboolean authentic, proven;
  guint i;

  g_mutex_lock (&self->lock);
  stream = find_stream (self, ssrc);
  authentic = stream && stream->authentic;
  proven = stream && stream->proven;
  g_mutex_unlock (&self->lock);
  if (authentic)
    return proven;

  key = self->get_key (ssrc, self->user_data);
  forgotten = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_mutex_lock (&self->lock);
  stream = find_stream (self, ssrc);
  if (!stream) {
    make_room (self, forgotten);
    stream = add_stream (self, ssrc);
  }
  gst_buffer_replace (&stream->key, key);
  g_mutex_unlock (&self->lock);
  for (i = 0; i < forgotten->len; i++)
    remove_key (self, g_array_index (forgotten, guint32, i));
  g_array_unref (forgotten);
  gst_clear_buffer (&key);
  return FALSE;
}

/* With 0 again, whatever others have sent under that SSRC. */
static void
begin_counters (TfrcSrtpDecoder * self, guint32 ssrc)
{
  Stream *stream;

  g_mutex_lock (&self->lock);
  stream = find_stream (self, ssrc);
  if (stream && !stream->proven)
    stream->roc = 0;
  g_mutex_unlock (&self->lock);
}

/* Gives whether a packet has authenticated; goes on to the next counter if
 * not. */
static gboolean
judge_counter (TfrcSrtpDecoder * self, guint32 ssrc)
{
  gboolean proven = FALSE;
  Stream *stream;

  g_mutex_lock (&self->lock);
  stream = find_stream (self, ssrc);
  if (stream) {
    proven = stream->proven;
    if (!proven) {
      if (stream->roc > 0)
        stream->next_roc = stream->roc % MAX_ROC + 1;
      stream->roc = MAX (stream->next_roc, 1);
    }
  }
  g_mutex_unlock (&self->lock);
  if (!proven)
    remove_key (self, ssrc);
  return proven;
}

/* Sends copies of the packet through srtpdec until one gets out.  The first
 * counter is tried whatever others took: a sender that has just begun has
 * that. */
static GstFlowReturn
try_counters (TfrcSrtpDecoder * self, GstPad *pad, GstBuffer *buffer,
    guint32 ssrc)
{
  GstClockTime since = gst_util_get_timestamp ();
  GstFlowReturn flow;
  gboolean proven;

  begin_counters (self, ssrc);
  self->trying = TRUE;
  do {
    flow = gst_pad_chain (pad, gst_buffer_copy (buffer));
    proven = judge_counter (self, ssrc);
  } while (!proven && flow == GST_FLOW_OK && may_try (self, &since));
  self->trying = FALSE;
  return flow;
}

static GstPadProbeReturn
on_rtp_in (GstPad *pad, GstPadProbeInfo * info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;
  GstBuffer *buffer;
  gboolean rtcp;
  guint32 ssrc;

  if (self->trying)
    return GST_PAD_PROBE_OK;
  buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  count_received (self, tfrc_packet_is_plain_rtcp (buffer));
  if (!tfrc_packet_read_ssrc (buffer, &rtcp, &ssrc))
    return GST_PAD_PROBE_OK;
  if (is_too_much (self, ssrc))
    return GST_PAD_PROBE_DROP;
  if (prepare_stream (self, ssrc) || rtcp)
    return GST_PAD_PROBE_OK;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) =
      try_counters (self, pad, buffer, ssrc);
  gst_buffer_unref (buffer);
  info->data = NULL;
  return GST_PAD_PROBE_HANDLED;
}

static GstPadProbeReturn
on_rtcp_in (GstPad *pad, GstPadProbeInfo * info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gboolean rtcp;
  guint32 ssrc;

  count_received (self, tfrc_packet_is_plain_rtcp (buffer));
  if (!tfrc_packet_read_ssrc (buffer, &rtcp, &ssrc))
    return GST_PAD_PROBE_OK;
  if (is_too_much (self, ssrc))
    return GST_PAD_PROBE_DROP;
  prepare_stream (self, ssrc);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_out (GstPad *pad, GstPadProbeInfo * info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;
  Stream *stream = NULL;
  gboolean rtcp;
  guint32 ssrc;

  g_mutex_lock (&self->lock);
  self->accepted++;
  if (tfrc_packet_read_ssrc (GST_PAD_PROBE_INFO_BUFFER (info), &rtcp, &ssrc))
    stream = find_stream (self, ssrc);
  if (stream) {
    self->n_unknown -= !stream->authentic;
    if (!stream->authentic && self->strangers > 0)
      self->strangers--;
    stream->authentic = TRUE;
    stream->proven |= !rtcp;
    stream->used = self->accepted;
  }
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

/* srtpdec's lock is held. */
static GstCaps *
on_request_key (GstElement *element, guint ssrc, TfrcSrtpDecoder * self)
{
  const gchar *cipher = tfrc_srtp_get_cipher_name (&self->config);
  GstCaps *caps = NULL;
  Stream *stream;

  g_mutex_lock (&self->lock);
  stream = find_stream (self, ssrc);
  if (stream && stream->key)
    caps = gst_caps_new_simple ("application/x-srtp",
        "srtp-key", GST_TYPE_BUFFER, stream->key, "ssrc", G_TYPE_UINT, ssrc,
        "roc", G_TYPE_UINT, stream->roc,
        "srtp-cipher", G_TYPE_STRING, cipher,
        "srtcp-cipher", G_TYPE_STRING, cipher,
        "srtp-auth", G_TYPE_STRING, tfrc_srtp_get_rtp_auth (&self->config),
        "srtcp-auth", G_TYPE_STRING, tfrc_srtp_get_rtcp_auth (&self->config),
        NULL);
  g_mutex_unlock (&self->lock);
  return caps;
}
