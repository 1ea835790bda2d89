/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets up srtpdec.  Checks no packet itself: that is libsrtp2.
 *
 * A receiver that joins after the sequence number wrapped does not know the
 * roll-over counter (RFC 3711 section 3.3.1), so that nothing authenticates.
 * A packet of an SSRC of which none has authenticated is therefore tried with
 * one counter after the other, from 0; where the rate limit ends the next packet
 * goes on.
 *
 * srtpdec asks for a key under its object lock, which a bin that changes state
 * takes inside its own.  The key is therefore fetched before the packet is in
 * srtpdec. */

#include "security/srtpdec.h"

#include <gst/net/net.h>

#include "common/packet-probe.h"
#include "common/net-debug.h"
#include "rtcp/packet.h"
#include "security/rate-limit.h"
#include "security/streams.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

/* Packets without a single good one before the key is called wrong: a sender
 * that hears nothing sends one per second. */
#define WARN_AFTER 4

typedef struct
{
  const gchar *pad_name;
  GstPadProbeCallback callback;
} Probe;

/* The packet that a sink pad's thread has inside srtpdec. */
typedef struct
{
  GThread *thread;   /* NULL: none, and the pad's own thread alone sets it */
  gboolean accepted; /* it has come out */
} Passage;

struct _TfrcSrtpDecoder
{
  TfrcSrtpConfig config; /* without the key: get_key has it */
  GstElement *owner;
  GstElement *element;
  TfrcSrtpGetKey get_key;
  gpointer user_data;
  gulong probe_ids[4]; /* of probes */

  GMutex lock; /* guards all below */
  TfrcSrtpStreams streams;
  TfrcSrtpRateLimit rate_limit;
  Passage rtp, rtcp; /* by sink pad */
  guint64 received;
  guint64 dropped;
  gboolean accepted; /* anything */
  gboolean warned;
};

static GstPadProbeReturn on_rtp_in (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);
static GstPadProbeReturn on_rtcp_in (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);
static GstPadProbeReturn on_out (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);

static const Probe probes[] = {
  { "rtp_sink", on_rtp_in },
  { "rtcp_sink", on_rtcp_in },
  { "rtp_src", on_out },
  { "rtcp_src", on_out },
};

/* srtpdec's lock is held. */
static GstCaps *
on_request_key (GstElement *element, guint ssrc, TfrcSrtpDecoder *self)
{
  const gchar *cipher = tfrc_srtp_get_cipher_name (&self->config);
  GstCaps *caps = NULL;
  TfrcSrtpStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
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

TfrcSrtpDecoder *
tfrc_srtp_decoder_new (const TfrcSrtpConfig *config, GstElement *owner,
    TfrcSrtpGetKey get_key, gpointer user_data, GError **error)
{
  GstElement *element = tfrc_srtp_make_element ("srtpdec", error);
  TfrcSrtpDecoder *self;

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
  tfrc_srtp_streams_init (&self->streams);
  /* Paced packets reorder by more than the default of 128 at 100 Mbit/s. */
  g_object_set (element, "replay-window-size", 1024, NULL);
  g_signal_connect (element, "request-key", G_CALLBACK (on_request_key), self);
  for (guint i = 0; i < G_N_ELEMENTS (probes); i++) {
    GstPad *pad = gst_element_get_static_pad (element, probes[i].pad_name);

    self->probe_ids[i] = tfrc_packet_probe_add (pad, probes[i].callback, self,
        NULL);
    gst_object_unref (pad);
  }
  return self;
}

void
tfrc_srtp_decoder_free (TfrcSrtpDecoder *self)
{
  if (!self)
    return;
  /* Somebody may still hold it. */
  g_signal_handlers_disconnect_by_data (self->element, self);
  for (guint i = 0; i < G_N_ELEMENTS (probes); i++) {
    GstPad *pad = gst_element_get_static_pad (self->element,
        probes[i].pad_name);

    gst_pad_remove_probe (pad, self->probe_ids[i]);
    gst_object_unref (pad);
  }
  gst_object_unref (self->element);
  tfrc_srtp_streams_clear (&self->streams);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_srtp_decoder_begin_run (TfrcSrtpDecoder *self)
{
  if (!self)
    return;
  g_mutex_lock (&self->lock);
  self->received = self->dropped = 0;
  self->accepted = self->warned = FALSE;
  g_mutex_unlock (&self->lock);
}

GstElement *
tfrc_srtp_decoder_get_element (TfrcSrtpDecoder *self)
{
  return self->element;
}

void
tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder *self, guint64 *received,
    guint64 *dropped)
{
  g_mutex_lock (&self->lock);
  *received = self->received;
  *dropped = self->dropped;
  g_mutex_unlock (&self->lock);
}

/* srtpdec asks for the key, and so for the roll-over counter, anew. */
static void
remove_key (TfrcSrtpDecoder *self, guint32 ssrc)
{
  g_signal_emit_by_name (self->element, "remove-key", ssrc);
}

/* `plain`: the lengths in it say that it is RTCP without SRTP.  Feedback comes
 * within a round trip of the first packet, so this shows at once. */
static void
count_received (TfrcSrtpDecoder *self, Passage *passage, gboolean plain)
{
  gboolean warn;

  g_mutex_lock (&self->lock);
  passage->thread = g_thread_self ();
  passage->accepted = FALSE;
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

/* What a flush stops is not refused. */
static void
count_passed (TfrcSrtpDecoder *self, Passage *passage, GstFlowReturn flow)
{
  g_mutex_lock (&self->lock);
  if (!passage->accepted && flow != GST_FLOW_FLUSHING)
    self->dropped++;
  passage->thread = NULL;
  g_mutex_unlock (&self->lock);
}

/* NULL: not known. */
static GSocketAddress *
get_origin (GstBuffer *packet)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (packet);

  return meta ? meta->addr : NULL;
}

/* Whether a packet is one of too many that nobody knows. */
static gboolean
exceeds_rate_limit (TfrcSrtpDecoder *self, GstBuffer *packet, guint32 ssrc)
{
  GstClockTime now = gst_util_get_timestamp ();
  TfrcSrtpStream *stream;
  gboolean admitted;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  admitted = tfrc_srtp_rate_limit_admit (&self->rate_limit,
      stream && stream->authentic, get_origin (packet), now);
  g_mutex_unlock (&self->lock);
  return !admitted;
}

/* Whether one more roll-over counter may be tried; `since` is when the one
 * before was, and becomes now. */
static gboolean
may_try (TfrcSrtpDecoder *self, GstClockTime *since)
{
  GstClockTime now = gst_util_get_timestamp ();
  gboolean may;

  g_mutex_lock (&self->lock);
  may = tfrc_srtp_rate_limit_may_try (&self->rate_limit, now - *since, now);
  g_mutex_unlock (&self->lock);
  *since = now;
  return may;
}

/* Fetches the key that srtpdec is going to ask for, anew as long as nothing has
 * authenticated.  Gives whether the roll-over counter is known. */
static gboolean
prepare_stream (TfrcSrtpDecoder *self, guint32 ssrc)
{
  GArray *forgotten;
  GstBuffer *key;
  TfrcSrtpStream *stream;
  gboolean authentic, proven;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  authentic = stream && stream->authentic;
  proven = stream && stream->proven;
  g_mutex_unlock (&self->lock);
  if (authentic)
    return proven;

  key = self->get_key (ssrc, self->user_data);
  forgotten = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find_or_add (&self->streams, ssrc, forgotten);
  gst_buffer_replace (&stream->key, key);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < forgotten->len; i++)
    remove_key (self, g_array_index (forgotten, guint32, i));
  g_array_unref (forgotten);
  gst_clear_buffer (&key);
  return FALSE;
}

/* With 0 again, whatever others have sent under that SSRC. */
static void
begin_counters (TfrcSrtpDecoder *self, guint32 ssrc)
{
  TfrcSrtpStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  if (stream)
    tfrc_srtp_stream_begin_trial (stream);
  g_mutex_unlock (&self->lock);
}

/* Gives whether a packet has authenticated; goes on to the next counter if
 * not. */
static gboolean
next_counter (TfrcSrtpDecoder *self, guint32 ssrc)
{
  gboolean proven = FALSE;
  TfrcSrtpStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  if (stream) {
    proven = stream->proven;
    tfrc_srtp_stream_try_next (stream);
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
try_counters (TfrcSrtpDecoder *self, GstPad *pad, GstBuffer *buffer,
    guint32 ssrc)
{
  GstClockTime since = gst_util_get_timestamp ();
  GstFlowReturn flow;
  gboolean proven;

  begin_counters (self, ssrc);
  do {
    flow = gst_pad_chain (pad, gst_buffer_copy (buffer));
    proven = next_counter (self, ssrc);
  } while (!proven && flow == GST_FLOW_OK && may_try (self, &since));
  gst_buffer_unref (buffer);
  return flow;
}

/* Takes the packet. */
static GstFlowReturn
pass (TfrcSrtpDecoder *self, const Passage *passage, GstPad *pad,
    GstBuffer *buffer)
{
  gboolean rtcp;
  guint32 ssrc;

  if (!tfrc_packet_read_ssrc (buffer, &rtcp, &ssrc))
    return gst_pad_chain (pad, buffer);
  /* srtpdec would push data out of the pad of data, behind which there may be
   * nothing. */
  if ((!rtcp && passage == &self->rtcp)
      || exceeds_rate_limit (self, buffer, ssrc)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (prepare_stream (self, ssrc) || rtcp)
    return gst_pad_chain (pad, buffer);
  return try_counters (self, pad, buffer, ssrc);
}

/* The packet goes through srtpdec in here, not behind the probe: what became of
 * it is known when that is over, and not before. */
static GstPadProbeReturn
on_in (TfrcSrtpDecoder *self, Passage *passage, GstPad *pad,
    GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstFlowReturn flow;

  if (passage->thread)
    return GST_PAD_PROBE_OK;
  count_received (self, passage, tfrc_packet_is_plain_rtcp (buffer));
  flow = pass (self, passage, pad, buffer);
  count_passed (self, passage, flow);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = flow;
  return GST_PAD_PROBE_HANDLED;
}

static GstPadProbeReturn
on_rtp_in (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;

  return on_in (self, &self->rtp, pad, info);
}

static GstPadProbeReturn
on_rtcp_in (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;

  return on_in (self, &self->rtcp, pad, info);
}

static GstPadProbeReturn
on_out (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;
  GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER (info);
  gboolean rtcp;
  guint32 ssrc;

  g_mutex_lock (&self->lock);
  self->accepted = TRUE;
  /* RTCP may have come in at either pad. */
  if (self->rtp.thread == g_thread_self ())
    self->rtp.accepted = TRUE;
  else
    self->rtcp.accepted = TRUE;
  if (tfrc_packet_read_ssrc (packet, &rtcp, &ssrc)
      && tfrc_srtp_streams_on_authentic (&self->streams, ssrc, rtcp))
    tfrc_srtp_rate_limit_refund (&self->rate_limit, get_origin (packet));
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}
