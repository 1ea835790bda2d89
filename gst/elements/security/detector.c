/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pad probes behind the udpsrcs of an end without a key. */

#include "security/detector.h"

#include "common/packet-probe.h"
#include "common/net-debug.h"
#include "rtcp/packet.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

/* SSRCs whose RTCP is protected: more than a sender has streams.  Who makes
 * them up for the RTP of others must know those SSRCs. */
#define MAX_SSRCS 16

struct _TfrcSrtpDetector
{
  GstElement *owner;
  gint plain;  /* the other end has no key either; atomic */
  GMutex lock; /* guards all below */
  guint32 ssrcs[MAX_SSRCS];
  guint n_ssrcs;
};

TfrcSrtpDetector *
tfrc_srtp_detector_new (GstElement *owner)
{
  TfrcSrtpDetector *self = g_atomic_rc_box_new0 (TfrcSrtpDetector);

  self->owner = owner;
  g_mutex_init (&self->lock);
  return self;
}

static void
clear (gpointer data)
{
  g_mutex_clear (&((TfrcSrtpDetector *) data)->lock);
}

void
tfrc_srtp_detector_unref (TfrcSrtpDetector *self)
{
  if (self)
    g_atomic_rc_box_release_full (self, clear);
}

void
tfrc_srtp_detector_begin_run (TfrcSrtpDetector *self)
{
  if (!self)
    return;
  g_mutex_lock (&self->lock);
  g_atomic_int_set (&self->plain, FALSE);
  self->n_ssrcs = 0;
  g_mutex_unlock (&self->lock);
}

/* With the lock held. */
static gboolean
knows (const TfrcSrtpDetector *self, guint32 ssrc)
{
  guint i = 0;

  while (i < self->n_ssrcs && self->ssrcs[i] != ssrc)
    i++;
  return i < self->n_ssrcs;
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSrtpDetector *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gboolean rtcp, drop, warn = FALSE;
  guint32 ssrc;

  if (g_atomic_int_get (&self->plain)
      || !tfrc_packet_read_ssrc (buffer, &rtcp, &ssrc))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&self->lock);
  if (rtcp && tfrc_packet_is_plain_rtcp (buffer)) {
    g_atomic_int_set (&self->plain, TRUE);
  } else if (rtcp && !knows (self, ssrc) && self->n_ssrcs < MAX_SSRCS) {
    warn = self->n_ssrcs == 0;
    self->ssrcs[self->n_ssrcs++] = ssrc;
  }
  drop = !g_atomic_int_get (&self->plain) && knows (self, ssrc);
  g_mutex_unlock (&self->lock);
  if (warn)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT_NOKEY,
        ("What arrives seems to be SRTP, but srtp-key is not set."),
        ("RTCP whose lengths do not add up"));
  return drop ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

void
tfrc_srtp_detector_add (TfrcSrtpDetector *self, GstElement *udpsrc)
{
  GstPad *pad = gst_element_get_static_pad (udpsrc, "src");

  tfrc_packet_probe_add (pad, on_packet, g_atomic_rc_box_acquire (self),
      (GDestroyNotify) tfrc_srtp_detector_unref);
  gst_object_unref (pad);
}
