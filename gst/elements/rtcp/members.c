/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Knows the SSRCs of RTCP compounds on their way to an rtpsession. */

#include "rtcp/members.h"

#include <gst/rtp/rtp.h>

#include "common/packet-probe.h"
#include "rtcp/identity.h"

/* Then rtpsession has forgotten it: 5 intervals (RFC 3550 section 6.3.5), which
 * with this many members are about 16 s each at 64 kbit/s. */
#define FORGOTTEN_AFTER (300 * GST_SECOND)

typedef struct
{
  guint32 ssrc;
  GstClockTime heard_at;
} Member;

struct _TfrcMembers
{
  GObject *session; /* NULL before tfrc_members_watch */

  GMutex lock; /* guards all below */
  Member members[TFRC_MEMBERS_MAX];
  guint n_members;
  guint64 refused;
};

static guint read_packet (GstRTCPPacket *packet, guint32 *ssrcs, guint n_max);
static gboolean admit_ssrc (TfrcMembers *self, guint32 ssrc, GstClockTime now);
static GstPadProbeReturn on_rtcp (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);

TfrcMembers *
tfrc_members_new (void)
{
  TfrcMembers *self = g_new0 (TfrcMembers, 1);

  g_mutex_init (&self->lock);
  return self;
}

void
tfrc_members_free (TfrcMembers *self)
{
  if (!self)
    return;
  g_clear_object (&self->session);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_members_watch (TfrcMembers *self, GstPad *pad, GstElement *rtpbin)
{
  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &self->session);
  tfrc_guard_add (pad, on_rtcp, self, NULL);
}

void
tfrc_members_add_stats (TfrcMembers *self, GstStructure *stats)
{
  g_mutex_lock (&self->lock);
  gst_structure_set (stats, "rtcp-members", G_TYPE_UINT, self->n_members,
      "rtcp-members-refused", G_TYPE_UINT64, self->refused, NULL);
  g_mutex_unlock (&self->lock);
}

gboolean
tfrc_members_admit (TfrcMembers *self, GstBuffer *buffer, GstClockTime now)
{
  guint32 ssrcs[TFRC_MEMBERS_MAX_SSRCS];
  guint n_ssrcs = tfrc_members_read_ssrcs (buffer, ssrcs);
  gboolean admitted = TRUE;
  guint i;

  for (i = 0; i < n_ssrcs && admitted && self->session; i++)
    admitted = !tfrc_identity_is_own (self->session, ssrcs[i]);
  g_mutex_lock (&self->lock);
  for (i = 0; i < n_ssrcs && admitted; i++)
    admitted = admit_ssrc (self, ssrcs[i], now);
  self->refused += !admitted;
  g_mutex_unlock (&self->lock);
  return admitted;
}

guint
tfrc_members_read_ssrcs (GstBuffer *buffer, guint32 *ssrcs)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  guint n_ssrcs = 0;
  gboolean more;

  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp))
    return 0;
  for (more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet); more;
      more = gst_rtcp_packet_move_to_next (&packet))
    n_ssrcs += read_packet (&packet, ssrcs + n_ssrcs,
        TFRC_MEMBERS_MAX_SSRCS - n_ssrcs);
  gst_rtcp_buffer_unmap (&rtcp);
  return n_ssrcs;
}

static guint
read_packet (GstRTCPPacket *packet, guint32 *ssrcs, guint n_max)
{
  guint n_ssrcs = 0, i;

  switch (gst_rtcp_packet_get_type (packet)) {
    case GST_RTCP_TYPE_SR:
      if (n_max > 0)
        gst_rtcp_packet_sr_get_sender_info (packet, &ssrcs[n_ssrcs++], NULL,
            NULL, NULL, NULL);
      break;
    case GST_RTCP_TYPE_RR:
      if (n_max > 0)
        ssrcs[n_ssrcs++] = gst_rtcp_packet_rr_get_ssrc (packet);
      break;
    case GST_RTCP_TYPE_SDES:
      if (gst_rtcp_packet_sdes_first_item (packet))
        do {
          if (n_ssrcs < n_max)
            ssrcs[n_ssrcs++] = gst_rtcp_packet_sdes_get_ssrc (packet);
        } while (gst_rtcp_packet_sdes_next_item (packet));
      break;
    case GST_RTCP_TYPE_BYE:
      for (i = 0;
          i < gst_rtcp_packet_bye_get_ssrc_count (packet) && n_ssrcs < n_max;
          i++)
        ssrcs[n_ssrcs++] = gst_rtcp_packet_bye_get_nth_ssrc (packet, i);
      break;
    default:
      break;
  }
  return n_ssrcs;
}

/* With the lock held. */
static gboolean
admit_ssrc (TfrcMembers *self, guint32 ssrc, GstClockTime now)
{
  Member *free = NULL;
  guint i;

  for (i = 0; i < self->n_members; i++) {
    Member *member = &self->members[i];

    if (member->ssrc == ssrc) {
      member->heard_at = now;
      return TRUE;
    }
    if (now - member->heard_at > FORGOTTEN_AFTER)
      free = member;
  }
  if (!free && self->n_members == TFRC_MEMBERS_MAX)
    return FALSE;
  if (!free)
    free = &self->members[self->n_members++];
  *free = (Member) { ssrc, now };
  return TRUE;
}

static GstPadProbeReturn
on_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  return tfrc_members_admit (user_data, GST_PAD_PROBE_INFO_BUFFER (info),
             gst_util_get_timestamp ())
      ? GST_PAD_PROBE_OK
      : GST_PAD_PROBE_DROP;
}
