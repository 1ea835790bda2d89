/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets up srtpdec.  Checks no packet itself: that is libsrtp2.
 *
 * A receiver that joins after the sequence number wrapped does not know the
 * roll-over counter (RFC 3711 section 3.3.1), so that nothing authenticates.
 * A packet of an SSRC of which none has authenticated is therefore tried with
 * one counter after the other; where the rate limit ends the next packet goes
 * on.
 *
 * srtpdec cannot let a stream go: it names it to libsrtp2 in host byte order,
 * which knows SSRCs in network byte order.  So trials take place in an srtpdec
 * of their own, which forgets all after each, and the one that decrypts is only
 * given what has authenticated there.  It forgets all once MAX_LEFT were removed.
 *
 * srtpdec asks for a key under its object lock, which a bin that changes state
 * takes inside its own.  The key is therefore fetched before the packet is in
 * srtpdec. */

#include "security/srtpdec.h"

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#include "common/packet-probe.h"
#include "common/net-debug.h"
#include "rtcp/packet.h"
#include "security/rate-limit.h"
#include "security/streams.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

/* Packets without a single good one before the key is called wrong: a sender
 * that hears nothing sends one per second. */
#define WARN_AFTER 4

/* Streams that libsrtp2 keeps after their removal, at 29 kB each. */
#define MAX_LEFT 64

/* In front of the tag of SRTCP (RFC 3711 section 3.4): index and flag E. */
#define SRTCP_INDEX_SIZE 4
#define SRTCP_INDEX_MASK 0x7FFFFFFF
#define RTCP_HEADER_SIZE 8

typedef struct
{
  const gchar *pad_name;
  GstPadProbeCallback callback;
} Probe;

/* An srtpdec in which nothing lasts; the thread of one pad uses it. */
typedef struct
{
  TfrcSrtpDecoder *owner;
  GstElement *element;
  GstPad *sink_pad;
  GstBuffer *key;
  guint32 roc;
  gboolean passed;
} Trial;

/* The packet that a sink pad's thread has inside srtpdec. */
typedef struct
{
  GThread *thread;   /* NULL: none, and the pad's own thread alone sets it */
  gboolean accepted; /* it has come out */
  gint64 index;      /* where it is authentic */
  Trial trial;
} Passage;

/* What can be read of a packet that may be anybody's. */
typedef struct
{
  gboolean rtcp;
  guint32 ssrc;
  guint16 seq;  /* of RTP */
  gint64 index; /* of RTCP */
} Header;

struct _TfrcSrtpDecoder
{
  TfrcSrtpConfig config; /* without the key: get_key has it */
  GstElement *owner;
  GstElement *element;
  GstElement *encoder; /* or NULL */
  TfrcSrtpGetKey get_key;
  gpointer user_data;
  gulong probe_ids[4]; /* of probes */

  GMutex lock; /* guards all below */
  TfrcSrtpStreams streams;
  TfrcSrtpRateLimit rate_limit;
  Passage rtp, rtcp; /* by sink pad */
  guint64 received;
  guint64 dropped;
  guint n_left;
  gboolean key_is_new; /* one has authenticated for the first time */
  gboolean accepted;   /* anything */
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

static GstCaps *
make_key_caps (TfrcSrtpDecoder *self, guint ssrc, GstBuffer *key, guint32 roc)
{
  const gchar *cipher = tfrc_srtp_get_cipher_name (&self->config);

  return gst_caps_new_simple ("application/x-srtp",
      "srtp-key", GST_TYPE_BUFFER, key, "ssrc", G_TYPE_UINT, ssrc,
      "roc", G_TYPE_UINT, roc,
      "srtp-cipher", G_TYPE_STRING, cipher,
      "srtcp-cipher", G_TYPE_STRING, cipher,
      "srtp-auth", G_TYPE_STRING, tfrc_srtp_get_rtp_auth (&self->config),
      "srtcp-auth", G_TYPE_STRING, tfrc_srtp_get_rtcp_auth (&self->config),
      NULL);
}

/* srtpdec's lock is held. */
static GstCaps *
on_request_key (GstElement *element, guint ssrc, TfrcSrtpDecoder *self)
{
  GstCaps *caps = NULL;
  TfrcSrtpStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  if (stream && stream->key) {
    stream->given = TRUE;
    stream->given_roc = stream->roc;
    stream->counted = FALSE;
    caps = make_key_caps (self, ssrc, stream->key, stream->roc);
  }
  g_mutex_unlock (&self->lock);
  return caps;
}

static GstCaps *
on_request_trial_key (GstElement *element, guint ssrc, Trial *trial)
{
  return make_key_caps (trial->owner, ssrc, trial->key, trial->roc);
}

static GstPadProbeReturn
on_trial_out (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Trial *trial = user_data;

  trial->passed = TRUE;
  return GST_PAD_PROBE_DROP;
}

static void
trial_init (Trial *self, TfrcSrtpDecoder *owner)
{
  GstElement *element = gst_element_factory_make ("srtpdec", NULL);
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-srtp");
  GstSegment segment;

  self->owner = owner;
  self->element = gst_object_ref_sink (element);
  self->sink_pad = gst_element_get_static_pad (element, "rtp_sink");
  g_signal_connect (element, "request-key", G_CALLBACK (on_request_trial_key),
      self);
  for (guint i = 2; i < G_N_ELEMENTS (probes); i++) {
    GstPad *pad = gst_element_get_static_pad (element, probes[i].pad_name);

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_trial_out, self,
        NULL);
    gst_object_unref (pad);
  }
  gst_element_set_state (element, GST_STATE_PAUSED);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (self->sink_pad, gst_event_new_stream_start ("trial"));
  gst_pad_send_event (self->sink_pad, gst_event_new_caps (caps));
  gst_pad_send_event (self->sink_pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static void
trial_clear (Trial *self)
{
  gst_element_set_state (self->element, GST_STATE_NULL);
  gst_object_unref (self->sink_pad);
  gst_object_unref (self->element);
  gst_clear_buffer (&self->key);
}

/* Whether a packet is authentic. */
static gboolean
trial_run (Trial *self, GstBuffer *packet)
{
  self->passed = FALSE;
  if (!self->key)
    return FALSE;
  gst_pad_chain (self->sink_pad, gst_buffer_copy (packet));
  g_signal_emit_by_name (self->element, "clear-keys");
  return self->passed;
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
  trial_init (&self->rtp.trial, self);
  trial_init (&self->rtcp.trial, self);
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
  g_clear_object (&self->encoder);
  trial_clear (&self->rtp.trial);
  trial_clear (&self->rtcp.trial);
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
  tfrc_srtp_streams_begin_run (&self->streams);
  self->received = self->dropped = 0;
  self->n_left = 0;
  self->accepted = self->warned = FALSE;
  g_mutex_unlock (&self->lock);
}

void
tfrc_srtp_decoder_set_encoder (TfrcSrtpDecoder *self, GstElement *encoder)
{
  self->encoder = gst_object_ref (encoder);
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

/* srtpdec asks for the key, and so for the roll-over counter, anew.  It asks for
 * all of them after a while: that begins a run first, so that what it is given
 * in between is not lost sight of. */
static void
remove_key (TfrcSrtpDecoder *self, guint32 ssrc)
{
  gboolean full;

  g_signal_emit_by_name (self->element, "remove-key", ssrc);
  g_mutex_lock (&self->lock);
  full = ++self->n_left >= MAX_LEFT;
  if (full) {
    self->n_left = 0;
    tfrc_srtp_streams_begin_run (&self->streams);
  }
  g_mutex_unlock (&self->lock);
  if (full)
    g_signal_emit_by_name (self->element, "clear-keys");
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
 * authenticated by it. */
static void
prepare_stream (TfrcSrtpDecoder *self, guint32 ssrc)
{
  GArray *forgotten;
  GstBuffer *key;
  TfrcSrtpStream *stream;
  gboolean authentic;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  authentic = stream && stream->authentic;
  g_mutex_unlock (&self->lock);
  if (authentic)
    return;

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
}

/* Asks for the key again where it may have become another one. */
static void
renew_key (TfrcSrtpDecoder *self, guint32 ssrc)
{
  GstClockTime now = gst_util_get_timestamp ();
  TfrcSrtpStream *stream;
  GstBuffer *key = NULL;
  gboolean wanted, given = FALSE;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  wanted = stream && tfrc_srtp_stream_wants_key (stream, now);
  g_mutex_unlock (&self->lock);
  if (wanted)
    key = self->get_key (ssrc, self->user_data);
  if (!key)
    return;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  if (stream) {
    given = stream->given;
    tfrc_srtp_streams_renew_key (&self->streams, stream, key);
    given = given && !stream->given;
  }
  g_mutex_unlock (&self->lock);
  if (given)
    remove_key (self, ssrc);
  gst_buffer_unref (key);
}

/* Who sends by a new key may expect one from us, too. */
static void
renew_own_key (TfrcSrtpDecoder *self)
{
  GstBuffer *key, *used = NULL;
  gboolean wanted;

  g_mutex_lock (&self->lock);
  wanted = self->key_is_new && self->encoder;
  self->key_is_new = FALSE;
  g_mutex_unlock (&self->lock);
  if (!wanted)
    return;
  key = self->get_key (0, self->user_data);
  g_object_get (self->encoder, "key", &used, NULL);
  if (key && !tfrc_srtp_keys_equal (key, used)
      && gst_buffer_get_size (key) == tfrc_srtp_get_key_size (&self->config))
    g_object_set (self->encoder, "key", key, NULL);
  gst_clear_buffer (&used);
  gst_clear_buffer (&key);
}

/* FALSE: it is not known, or the packet is certainly a replayed one.  TRUE with
 * *needs_trial: key or counter are not known to be right. */
static gboolean
begin_packet (TfrcSrtpDecoder *self, Passage *passage, const Header *header,
    gboolean *needs_trial)
{
  TfrcSrtpStream *stream;
  gboolean fresh = FALSE;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, header->ssrc);
  if (stream) {
    *needs_trial = header->rtcp ? !stream->authentic : !stream->proven;
    if (!header->rtcp && *needs_trial)
      tfrc_srtp_stream_begin_trial (stream, header->seq);
    passage->index = header->rtcp
        ? header->index
        : tfrc_srtp_stream_guess_index (stream, header->seq);
    fresh = passage->index > stream->floor[header->rtcp]
        || (!header->rtcp && *needs_trial);
    gst_buffer_replace (&passage->trial.key, stream->key);
    passage->trial.roc = stream->roc;
  }
  g_mutex_unlock (&self->lock);
  return fresh;
}

/* The packet is authentic by the key and counter of the trial. */
static void
end_trial (TfrcSrtpDecoder *self, Passage *passage, const Header *header)
{
  TfrcSrtpStream *stream;
  gboolean misleads = FALSE;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, header->ssrc);
  if (stream && !header->rtcp) {
    passage->index = (gint64) passage->trial.roc << 16 | header->seq;
    misleads = tfrc_srtp_stream_misleads (stream, passage->index);
    if (misleads)
      tfrc_srtp_stream_begin_run (stream);
    stream->roc = passage->trial.roc;
  }
  g_mutex_unlock (&self->lock);
  if (misleads)
    remove_key (self, header->ssrc);
}

/* FALSE: the stream has been forgotten. */
static gboolean
next_counter (TfrcSrtpDecoder *self, Trial *trial, guint32 ssrc)
{
  TfrcSrtpStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, ssrc);
  if (stream) {
    tfrc_srtp_stream_try_next (stream);
    trial->roc = stream->roc;
  }
  g_mutex_unlock (&self->lock);
  return stream != NULL;
}

/* Whether one of the counters is the packet's.  The first is tried whatever
 * others took: a sender that has just begun has that. */
static gboolean
try_counters (TfrcSrtpDecoder *self, Passage *passage, GstBuffer *packet,
    const Header *header)
{
  GstClockTime since = gst_util_get_timestamp ();

  do {
    if (trial_run (&passage->trial, packet)) {
      end_trial (self, passage, header);
      return TRUE;
    }
  } while (!header->rtcp && next_counter (self, &passage->trial, header->ssrc)
      && may_try (self, &since));
  return FALSE;
}

/* FALSE: srtpdec would look for an SSRC where none is.  It reads RTCP on to the
 * first packet that has one, and what it does not take for RTP as RTCP; behind
 * the first header that is ciphertext. */
static gboolean
read_header (TfrcSrtpDecoder *self, GstBuffer *packet, Header *header)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gsize size = gst_buffer_get_size (packet);
  gsize behind = SRTCP_INDEX_SIZE + tfrc_srtp_get_rtcp_tag_size (&self->config);
  guint8 first[2], index[SRTCP_INDEX_SIZE];

  if (!tfrc_packet_read_ssrc (packet, &header->rtcp, &header->ssrc))
    return FALSE;
  if (header->rtcp) {
    gst_buffer_extract (packet, 0, first, sizeof (first));
    if (size < RTCP_HEADER_SIZE + behind || first[1] < GST_RTCP_TYPE_SR
        || first[1] > GST_RTCP_TYPE_PSFB || first[1] == GST_RTCP_TYPE_SDES
        || (first[1] == GST_RTCP_TYPE_BYE && (first[0] & 0x1F) == 0))
      return FALSE;
    gst_buffer_extract (packet, size - behind, index, sizeof (index));
    header->index = GST_READ_UINT32_BE (index) & SRTCP_INDEX_MASK;
    return TRUE;
  }
  if (!gst_rtp_buffer_map (packet,
          GST_MAP_READ | GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING, &rtp))
    return FALSE;
  header->seq = gst_rtp_buffer_get_seq (&rtp);
  header->rtcp = FALSE;
  first[1] = gst_rtp_buffer_get_payload_type (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return first[1] < 64 || first[1] > 80;
}

/* Takes the packet. */
static GstFlowReturn
pass (TfrcSrtpDecoder *self, Passage *passage, GstPad *pad, GstBuffer *buffer)
{
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean needs_trial = FALSE;
  Header header = {
    0,
  };

  /* No data at the port of RTCP: nothing is linked where srtpdec lets it out. */
  if (!read_header (self, buffer, &header)
      || (passage == &self->rtcp && !header.rtcp)
      || exceeds_rate_limit (self, buffer, header.ssrc)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  prepare_stream (self, header.ssrc);
  if (begin_packet (self, passage, &header, &needs_trial)
      && (!needs_trial || try_counters (self, passage, buffer, &header)))
    flow = gst_pad_chain (pad, buffer);
  else
    gst_buffer_unref (buffer);
  if (flow == GST_FLOW_OK && !passage->accepted)
    renew_key (self, header.ssrc);
  renew_own_key (self);
  return flow;
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
  Passage *passage;
  gboolean rtcp;
  guint32 ssrc;

  g_mutex_lock (&self->lock);
  self->accepted = TRUE;
  /* RTCP may have come in at either pad. */
  passage = self->rtp.thread == g_thread_self () ? &self->rtp : &self->rtcp;
  passage->accepted = TRUE;
  if (tfrc_packet_read_ssrc (packet, &rtcp, &ssrc)
      && tfrc_srtp_streams_on_authentic (&self->streams, ssrc, rtcp,
          passage->index, gst_util_get_timestamp ())) {
    self->key_is_new = TRUE;
    tfrc_srtp_rate_limit_refund (&self->rate_limit, get_origin (packet));
  }
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}
