/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Knows the SSRCs of RTCP compounds on their way to an rtpsession. */

#include "rtcp/members.h"

#include "common/pads.h"
#include "common/stats.h"
#include "rtcp/identity.h"
#include "rtcp/packet.h"

/* Then rtpsession has forgotten it: 5 intervals (RFC 3550 section 6.3.5), which
 * with this many members are about 16 s each at 64 kbit/s. */
#define FORGOTTEN_AFTER (300 * GST_SECOND)

typedef struct
{
  guint32 ssrc;
  GstClockTime heard_at;
  gboolean proven; /* spoke about us */
} Member;

struct _TfrcMembers
{
  GObject *session; /* NULL before tfrc_members_watch */

  GMutex lock; /* guards all below */
  Member members[TFRC_MEMBERS_MAX];
  guint n_members;
  guint64 refused;
};

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
tfrc_members_begin_run (TfrcMembers *self)
{
  g_mutex_lock (&self->lock);
  self->n_members = 0;
  self->refused = 0;
  g_mutex_unlock (&self->lock);
}

static GstPadProbeReturn
on_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  return tfrc_members_admit (user_data, GST_PAD_PROBE_INFO_BUFFER (info),
             gst_util_get_timestamp ())
      ? GST_PAD_PROBE_OK
      : GST_PAD_PROBE_DROP;
}

void
tfrc_members_watch (TfrcMembers *self, GstPad *pad, GstElement *rtpbin)
{
  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &self->session);
  tfrc_packet_probe_add (pad, on_rtcp, self, NULL);
}

void
tfrc_members_add_stats (TfrcMembers *self, GstStructure *stats)
{
  g_mutex_lock (&self->lock);
  tfrc_stats_set (stats, "rtcp-members", self->n_members);
  tfrc_stats_set (stats, "rtcp-members-refused", self->refused);
  g_mutex_unlock (&self->lock);
}

/* With the lock held.  A place for one more; NULL = none. */
static Member *
find_place (TfrcMembers *self, gboolean proven, GstClockTime now)
{
  Member *oldest = NULL;

  if (self->n_members < TFRC_MEMBERS_MAX)
    return &self->members[self->n_members++];
  for (guint i = 0; i < TFRC_MEMBERS_MAX; i++) {
    Member *member = &self->members[i];

    if (now - member->heard_at <= FORGOTTEN_AFTER
        && (!proven || member->proven))
      continue;
    if (!oldest || member->heard_at < oldest->heard_at)
      oldest = member;
  }
  return oldest;
}

/* With the lock held. */
static gboolean
admit_ssrc (TfrcMembers *self, guint32 ssrc, gboolean proven, GstClockTime now)
{
  Member *member = NULL;

  for (guint i = 0; i < self->n_members && !member; i++)
    if (self->members[i].ssrc == ssrc)
      member = &self->members[i];
  if (!member) {
    member = find_place (self, proven, now);
    if (!member)
      return FALSE;
    *member = (Member) { .ssrc = ssrc };
  }
  member->heard_at = now;
  member->proven |= proven;
  return TRUE;
}

gboolean
tfrc_members_admit (TfrcMembers *self, GstBuffer *buffer, GstClockTime now)
{
  TfrcWireCompound compound;
  gboolean admitted = tfrc_packet_read_compound (buffer, &compound);
  gboolean proven = GST_BUFFER_FLAG_IS_SET (buffer, TFRC_MEMBERS_ABOUT_US);

  for (gsize i = 0; admitted && i < compound.n_ssrcs && self->session; i++)
    admitted = !tfrc_identity_is_own (self->session, compound.ssrcs[i]);
  g_mutex_lock (&self->lock);
  for (gsize i = 0; admitted && i < compound.n_ssrcs; i++)
    admitted = admit_ssrc (self, compound.ssrcs[i], proven && i == 0, now);
  self->refused += !admitted;
  g_mutex_unlock (&self->lock);
  return admitted;
}
