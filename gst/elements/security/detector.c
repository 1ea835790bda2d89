/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pad probes behind the udpsrcs of an end without a key. */

#include "security/detector.h"

#include <gst/net/net.h>

#include "common/pads.h"
#include "common/net-debug.h"
#include "rtcp/packet.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

/* The newest SSRCs whose RTCP is protected, and the hosts that it came from: RTP of
 * another host is somebody else's. */
#define MAX_SOURCES 16

typedef struct
{
  guint32 ssrc;
  GInetAddress *host; /* owned; NULL = not known */
} Source;

struct _TfrcSrtpDetector
{
  GstElement *owner;
  gint plain;  /* the other end has no key either; atomic */
  GMutex lock; /* guards all below */
  Source sources[MAX_SOURCES];
  guint n_sources; /* that there were */
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
forget (TfrcSrtpDetector *self)
{
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&self->sources[i].host);
  self->n_sources = 0;
}

static void
clear (gpointer data)
{
  forget (data);
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
  forget (self);
  g_mutex_unlock (&self->lock);
}

static GInetAddress *
get_host (GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  return meta && G_IS_INET_SOCKET_ADDRESS (meta->addr)
      ? g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (meta->addr))
      : NULL;
}

/* With the lock held. */
static gboolean
knows (const TfrcSrtpDetector *self, guint32 ssrc, GInetAddress *host)
{
  for (guint i = 0; i < MIN (self->n_sources, MAX_SOURCES); i++) {
    const Source *source = &self->sources[i];

    if (source->ssrc == ssrc
        && (source->host == host
            || (host && source->host
                && g_inet_address_equal (host, source->host))))
      return TRUE;
  }
  return FALSE;
}

/* With the lock held.  FALSE: there was one before. */
static gboolean
add (TfrcSrtpDetector *self, guint32 ssrc, GInetAddress *host)
{
  Source *source = &self->sources[self->n_sources++ % MAX_SOURCES];

  source->ssrc = ssrc;
  g_set_object (&source->host, host);
  return self->n_sources == 1;
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSrtpDetector *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GInetAddress *host = get_host (buffer);
  gboolean rtcp, drop, warn = FALSE;
  guint32 ssrc;

  if (g_atomic_int_get (&self->plain)
      || !tfrc_packet_read_ssrc (buffer, &rtcp, &ssrc))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&self->lock);
  if (rtcp && tfrc_packet_is_plain_rtcp (buffer)) {
    g_atomic_int_set (&self->plain, TRUE);
  } else if (rtcp && !knows (self, ssrc, host)) {
    warn = add (self, ssrc, host);
  }
  drop = !g_atomic_int_get (&self->plain) && knows (self, ssrc, host);
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
