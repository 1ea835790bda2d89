/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose RTCP the rtpsession of a tfrcsink gets to hear: that of so many SSRCs
 * at most, as it keeps a source for each that it hears of, and never under its
 * own SSRC, which it would give up to whoever says it.  (A tfrcsrc gives way.)
 * The reports of TFRC and TFMCC do not come here. */
#pragma once

#include <gst/gst.h>

#define TFRC_MEMBERS_MAX 64

/* On a buffer: its first SSRC has told something of a stream of ours, which not
 * everybody knows.  Such a member takes the place of one that has not. */
#define TFRC_MEMBERS_ABOUT_US GST_BUFFER_FLAG_MARKER

typedef struct _TfrcMembers TfrcMembers;

TfrcMembers *tfrc_members_new (void);
void tfrc_members_free (TfrcMembers *self);

/* Forgets those of the run before. */
void tfrc_members_begin_run (TfrcMembers *self);

/* Drops from `pad` what session 0 of `rtpbin` is not to hear; once. */
void tfrc_members_watch (TfrcMembers *self, GstPad *pad, GstElement *rtpbin);

/* Adds rtcp-members (guint) and rtcp-members-refused (guint64, packets). */
void tfrc_members_add_stats (TfrcMembers *self, GstStructure *stats);

/* Whether a compound packet that came at `now` [ns] may go on.  Without
 * tfrc_members_watch there is no SSRC of one's own. */
gboolean tfrc_members_admit (TfrcMembers *self, GstBuffer *buffer,
    GstClockTime now);
