/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pad probe behind rtpbin's RTCP output, which the BYE of rtcp/bye passes
 * too. */

#include "group/regular-rtcp.h"

#include <gst/rtp/rtp.h>

#include "common/stats.h"
#include "rtcp/bye.h"
#include "common/packet-probe.h"
#include "rtcp/packet.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

struct _TfrcRegularRtcp
{
  GstElement *rtpbin;
  GstElement *receive;

  GMutex lock; /* guards all below */
  gboolean is_group;
  guint limit;
  gboolean small;      /* the group is known to be */
  guint32 spoken_ssrc; /* of what passed last; 0 = nothing, or BYE was said */
  guint64 withheld;
};

/* With the lock held. */
static gboolean
passes (TfrcRegularRtcp *self, GstBuffer *buffer)
{
  TfrcWireCompound compound;

  if (!tfrc_packet_read_compound (buffer, &compound))
    return FALSE;
  if (compound.byes != 0) {
    if (self->is_group && compound.ssrcs[0] != self->spoken_ssrc)
      return FALSE;
    self->spoken_ssrc = 0;
    return TRUE;
  }
  if (self->is_group && !self->small)
    return FALSE;
  self->spoken_ssrc = compound.ssrcs[0];
  return TRUE;
}

/* With the lock held.  `size` is 0 while it is not known. */
static void
update (TfrcRegularRtcp *self, guint size)
{
  gboolean small = size > 0 && size <= self->limit;

  if (self->is_group && small != self->small)
    GST_INFO_OBJECT (self->receive, "event=regular-rtcp on=%d overheard=%u",
        small, size);
  self->small = small;
}

/* Every 5 s or so. */
static GstPadProbeReturn
on_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcRegularRtcp *self = user_data;
  GstStructure *stats = NULL;
  guint size = 0;
  gboolean pass;

  g_object_get (self->receive, "stats", &stats, NULL);
  gst_structure_get_uint (stats, "receivers-overheard", &size);
  gst_structure_free (stats);
  g_mutex_lock (&self->lock);
  update (self, size);
  pass = passes (self, GST_PAD_PROBE_INFO_BUFFER (info));
  self->withheld += !pass;
  g_mutex_unlock (&self->lock);
  return pass ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

TfrcRegularRtcp *
tfrc_regular_rtcp_new (GstElement *rtpbin, GstElement *receive)
{
  TfrcRegularRtcp *self = g_new0 (TfrcRegularRtcp, 1);
  GstPad *pad = gst_element_get_static_pad (rtpbin, "send_rtcp_src_0");

  self->rtpbin = rtpbin;
  self->receive = receive;
  g_mutex_init (&self->lock);
  tfrc_packet_probe_add (pad, on_rtcp, self, NULL);
  gst_object_unref (pad);
  return self;
}

void
tfrc_regular_rtcp_free (TfrcRegularRtcp *self)
{
  if (!self)
    return;
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_regular_rtcp_begin_run (TfrcRegularRtcp *self, gboolean is_group,
    guint limit)
{
  g_mutex_lock (&self->lock);
  self->is_group = is_group;
  self->limit = limit;
  self->small = FALSE;
  self->spoken_ssrc = 0;
  self->withheld = 0;
  g_mutex_unlock (&self->lock);
}

void
tfrc_regular_rtcp_send_bye (TfrcRegularRtcp *self)
{
  guint32 spoken;

  g_mutex_lock (&self->lock);
  spoken = self->spoken_ssrc;
  g_mutex_unlock (&self->lock);
  if (spoken != 0)
    tfrc_bye_send (self->rtpbin, spoken);
}

void
tfrc_regular_rtcp_add_stats (TfrcRegularRtcp *self, GstStructure *stats)
{
  g_mutex_lock (&self->lock);
  tfrc_stats_set (stats, "rtcp-withheld", self->withheld);
  g_mutex_unlock (&self->lock);
}
