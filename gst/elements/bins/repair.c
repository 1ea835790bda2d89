/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between jitter buffers, rtprtxreceive and rtptfrcreceive. */

#include "bins/repair.h"

#include <gst/rtp/rtp.h>

#define PAYLOAD_TYPES 128

/* A larger step of sequence numbers is a restart (MAX_DROPOUT of RFC 3550
 * appendix A.1). */
#define MAX_HOLE 3000

struct _TfrcRepair
{
  GstElement *rtpbin;
  GstRtpTfrcReceive *receive;
  GstElement *rtx; /* rtprtxreceive; NULL = not there */

  GMutex lock; /* guards all below */
  GstTfrcRetransmission mode;
  guint8 originals[PAYLOAD_TYPES]; /* by RTX type; 0 = it is none */
  gboolean named[PAYLOAD_TYPES];   /* sdp or caps say what it is */
  guint n_types;
};

/* Of a jitter buffer, in whose thread it is. */
typedef struct
{
  TfrcRepair *repair;
  gboolean started;
  guint16 next_seq;
} Departures;

static GstElement *on_request_aux (GstElement *rtpbin, guint session,
    TfrcRepair *self);
static void on_new_jitter_buffer (GstElement *rtpbin, GstElement *buffer,
    guint session, guint ssrc, TfrcRepair *self);
static GstPadProbeReturn on_request (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);
static GstPadProbeReturn on_departure (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);
static void add_ghost_pad (GstElement *bin, GstElement *element,
    const gchar *name, const gchar *ghost_name);
static gboolean is_active (TfrcRepair *self);
static void add_type (TfrcRepair *self, guint payload_type, guint original);
static void apply_types (TfrcRepair *self);

TfrcRepair *
tfrc_repair_new (GstElement *rtpbin, GstRtpTfrcReceive *receive)
{
  TfrcRepair *self = g_new0 (TfrcRepair, 1);

  self->rtpbin = gst_object_ref (rtpbin);
  self->receive = receive;
  g_mutex_init (&self->lock);
  g_signal_connect (rtpbin, "request-aux-receiver", G_CALLBACK (on_request_aux),
      self);
  g_signal_connect (rtpbin, "new-jitterbuffer",
      G_CALLBACK (on_new_jitter_buffer), self);
  return self;
}

void
tfrc_repair_free (TfrcRepair *self)
{
  if (!self)
    return;
  /* Somebody may still hold it. */
  g_signal_handlers_disconnect_by_data (self->rtpbin, self);
  gst_clear_object (&self->rtx);
  gst_object_unref (self->rtpbin);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_repair_start (TfrcRepair *self, GstTfrcRetransmission mode,
    const GstCaps *caps)
{
  guint i;

  g_mutex_lock (&self->lock);
  self->mode = mode;
  self->n_types = 0;
  memset (self->originals, 0, sizeof (self->originals));
  memset (self->named, FALSE, sizeof (self->named));
  for (i = 0; caps && i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    gint payload_type;
    guint original;

    if (!gst_structure_get_int (structure, "payload", &payload_type)
        || payload_type < 0 || payload_type >= PAYLOAD_TYPES)
      continue;
    self->named[payload_type] = TRUE;
    if (tfrc_rtx_is_caps (structure, &original))
      add_type (self, (guint) payload_type, original);
  }
  g_mutex_unlock (&self->lock);
  apply_types (self);
}

void
tfrc_repair_expect (TfrcRepair *self, guint payload_type)
{
  guint usual = tfrc_rtx_get_payload_type (payload_type);
  guint before;
  gboolean added;

  g_mutex_lock (&self->lock);
  before = self->n_types;
  if (self->mode == GST_TFRC_RETRANSMISSION_ON && usual != 0
      && !self->named[usual]
      && memchr (self->originals, (int) payload_type, PAYLOAD_TYPES) == NULL)
    add_type (self, usual, payload_type);
  added = self->n_types > before;
  g_mutex_unlock (&self->lock);
  if (added)
    apply_types (self);
}

gboolean
tfrc_repair_find_original (TfrcRepair *self, guint payload_type,
    guint *original)
{
  g_mutex_lock (&self->lock);
  *original = self->originals[payload_type % PAYLOAD_TYPES];
  g_mutex_unlock (&self->lock);
  return *original != 0;
}

/* rtpbin wants the number of the session in the names of the pads. */
static GstElement *
on_request_aux (GstElement *rtpbin, guint session, TfrcRepair *self)
{
  GstElement *bin;
  GstPad *pad;

  self->rtx = gst_element_factory_make ("rtprtxreceive", NULL);
  if (!self->rtx)
    return NULL;
  gst_object_ref_sink (self->rtx);
  bin = gst_bin_new (NULL);
  gst_bin_add (GST_BIN (bin), self->rtx);
  pad = gst_element_get_static_pad (self->rtx, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_request, self,
      NULL);
  gst_object_unref (pad);
  add_ghost_pad (bin, self->rtx, "sink", "sink_0");
  add_ghost_pad (bin, self->rtx, "src", "src_0");
  return bin;
}

static void
on_new_jitter_buffer (GstElement *rtpbin, GstElement *buffer, guint session,
    guint ssrc, TfrcRepair *self)
{
  Departures *departures;
  GstPad *pad;

  if (!is_active (self))
    return;
  /* Else a packet is asked for as soon as it is expected, which a paced one is
   * too early. */
  g_object_set (buffer, "do-retransmission", TRUE, "rtx-next-seqnum", FALSE,
      NULL);
  departures = g_new0 (Departures, 1);
  departures->repair = self;
  pad = gst_element_get_static_pad (buffer, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_departure, departures,
      g_free);
  gst_object_unref (pad);
}

/* Behind rtprtxreceive, which has noted whose packet it is. */
static GstPadProbeReturn
on_request (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcRepair *self = user_data;
  const GstStructure *request =
      gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT (info));
  guint ssrc, seq, delay, deadline;

  if (!request
      || !gst_structure_has_name (request, "GstRTPRetransmissionRequest")
      || !gst_structure_get_uint (request, "ssrc", &ssrc)
      || !gst_structure_get_uint (request, "seqnum", &seq)
      || !gst_structure_get_uint (request, "delay", &delay)
      || !gst_structure_get_uint (request, "deadline", &deadline))
    return GST_PAD_PROBE_OK;
  gst_rtp_tfrc_receive_want_packet (self->receive, ssrc, (guint16) seq,
      delay < deadline ? (deadline - delay) * GST_MSECOND : 0);
  gst_event_unref (GST_PAD_PROBE_INFO_EVENT (info));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  return GST_PAD_PROBE_HANDLED;
}

/* A jitter buffer lets packets out in order. */
static GstPadProbeReturn
on_departure (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Departures *self = user_data;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 seq, hole;
  guint32 ssrc;

  if (!gst_rtp_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), GST_MAP_READ,
          &rtp))
    return GST_PAD_PROBE_OK;
  seq = gst_rtp_buffer_get_seq (&rtp);
  ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  hole = self->started ? (guint16) (seq - self->next_seq) : 0;
  self->started = TRUE;
  self->next_seq = (guint16) (seq + 1);
  if (hole > 0 && hole < MAX_HOLE)
    gst_rtp_tfrc_receive_on_hole (self->repair->receive, ssrc,
        (guint16) (seq - 1));
  return GST_PAD_PROBE_OK;
}

static void
add_ghost_pad (GstElement *bin, GstElement *element, const gchar *name,
    const gchar *ghost_name)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_element_add_pad (bin, gst_ghost_pad_new (ghost_name, pad));
  gst_object_unref (pad);
}

static gboolean
is_active (TfrcRepair *self)
{
  gboolean active;

  g_mutex_lock (&self->lock);
  active = self->rtx && self->mode != GST_TFRC_RETRANSMISSION_OFF
      && (self->n_types > 0 || self->mode == GST_TFRC_RETRANSMISSION_ON);
  g_mutex_unlock (&self->lock);
  return active;
}

/* With the lock held. */
static void
add_type (TfrcRepair *self, guint payload_type, guint original)
{
  if (self->mode == GST_TFRC_RETRANSMISSION_OFF || original == 0
      || payload_type >= PAYLOAD_TYPES || self->originals[payload_type] != 0)
    return;
  self->originals[payload_type] = (guint8) original;
  self->n_types++;
}

static void
apply_types (TfrcRepair *self)
{
  GstStructure *map = gst_structure_new_empty ("application/x-rtp-pt-map");
  guint type;

  g_mutex_lock (&self->lock);
  for (type = 0; type < PAYLOAD_TYPES; type++) {
    gchar *original = g_strdup_printf ("%u", self->originals[type]);

    if (self->originals[type] != 0)
      gst_structure_set (map, original, G_TYPE_UINT, type, NULL);
    g_free (original);
  }
  g_mutex_unlock (&self->lock);
  if (self->rtx)
    g_object_set (self->rtx, "payload-type-map", map, NULL);
  gst_structure_free (map);
  gst_rtp_tfrc_receive_set_repairs (self->receive, is_active (self));
}
