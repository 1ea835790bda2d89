/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signs of what comes back, the state that they show, and what is said of it. */

#include "send/feedback-watch.h"

#include "common/stats.h"

/* Longer than this nothing leaves for want of data alone: where nobody answers
 * a packet in 3 s does (probe-interval). */
#define MAX_GAP (3 * TFRC_SECOND)
/* How long a refused report is a sign: of an ended stream the last one may be
 * refused, and every probe is answered. */
#define REFUSAL_TIME (4 * TFRC_SECOND)
/* The same of other RTCP: it comes after 6.2 s at the latest (RFC 3550 section
 * 6.3.1). */
#define RTCP_TIME (10 * TFRC_SECOND)
/* RTCP that comes so soon behind a report, or so long before one, is of a receiver
 * that reports: behind an outage it waits for a probe, one in 3 s. */
#define BEHIND_REPORT TFRC_SECOND
#define BEFORE_REPORT (4 * TFRC_SECOND)
#define MIN_INTERVAL (60 * TFRC_SECOND)
#define MAX_INTERVAL (3600 * TFRC_SECOND)

static const struct
{
  const gchar *name;
  const gchar *text;
  const gchar *group_text; /* NULL = the same */
} states[TFRC_FEEDBACK_WATCH_N_STATES] = {
  [TFRC_FEEDBACK_WATCH_WAITING] = { "waiting", NULL, NULL },
  [TFRC_FEEDBACK_WATCH_WORKING] = { "working", "Reports of the receiver come.",
      "Reports come from the group." },
  [TFRC_FEEDBACK_WATCH_SILENT] = { "silent",
      "Nothing comes back from the receiver, so hardly anything is sent: is "
      "it running, are host and port right, do firewalls let UDP through in "
      "both directions? feedback=none is for players that never answer.",
      "No receiver of the group reports: the rate stays at min-bitrate until "
      "one does." },
  [TFRC_FEEDBACK_WATCH_RTCP_ONLY] = { "rtcp-only",
      "RTCP comes back, but nothing that may be followed tells which packets "
      "arrive, so hardly anything is sent: with feedback=tfrc the receiver "
      "must be tfrcsrc, or have rtptfrcreceive in front of its rtpbin and get "
      "the header extension that the caps name; feedback=auto follows others, "
      "too.",
      "RTCP comes back, but no TFMCC reports, so the rate stays at "
      "min-bitrate: receivers must be tfrcsrc, or have rtptfrcreceive in "
      "front of their rtpbin, and get the header extension that the caps "
      "name." },
  [TFRC_FEEDBACK_WATCH_OTHER_MODE] = { "other-mode",
      "Reports of TFMCC come back, and this sender speaks TFRC: set the same "
      "mode at both ends.",
      "Reports of TFRC come back, and this sender speaks TFMCC: set the same "
      "mode at both ends." },
  [TFRC_FEEDBACK_WATCH_MALFORMED] = { "malformed",
      "What comes back cannot be read: is the receiver of another version, "
      "or is it SRTP at one end only?",
      NULL },
  [TFRC_FEEDBACK_WATCH_FOREIGN] = { "foreign",
      "Reports come back about other SSRCs than are sent from here: do they "
      "belong to another sender, or does something on the way change SSRCs?",
      NULL },
  [TFRC_FEEDBACK_WATCH_STALE] = { "stale",
      "Reports come back, but older than others, replayed, or held for more "
      "than a minute, and are refused: does something on the way store or "
      "copy them?",
      "Reports come back, but more than receivers may send, or under one SSRC "
      "by several of them, and are refused: see reports-limited and "
      "reports-colliding." },
  [TFRC_FEEDBACK_WATCH_INVALID] = { "invalid",
      "Reports come back, but answer nothing that was sent from here, and "
      "are refused: does somebody forge them, or does something on the way "
      "change the header extension?",
      NULL },
};

void
tfrc_feedback_watch_start (TfrcFeedbackWatch *self)
{
  *self = (TfrcFeedbackWatch) {
    .working_since = TFRC_TIME_NONE,
    .interval = MIN_INTERVAL,
  };
  for (guint i = 0; i < TFRC_FEEDBACK_WATCH_N_STATES; i++)
    self->told_at[i] = TFRC_TIME_NONE;
  tfrc_feedback_watch_resume (self);
}

/* What came and what left says nothing of what follows. */
static void
forget (TfrcFeedbackWatch *self)
{
  self->unanswered_since = TFRC_TIME_NONE;
  self->sending = 0;
  for (guint i = 0; i < TFRC_FEEDBACK_WATCH_N_STATES; i++)
    self->came_at[i] = TFRC_TIME_NONE;
}

void
tfrc_feedback_watch_resume (TfrcFeedbackWatch *self)
{
  self->sent_at = TFRC_TIME_NONE;
  forget (self);
}

static gboolean
is_recent (TfrcTime at, TfrcDuration time, TfrcTime now)
{
  return at != TFRC_TIME_NONE && tfrc_time_since (at, now) <= time;
}

/* The newest refusal says more than other RTCP does; WAITING: it may still be of
 * one that reports. */
static TfrcFeedbackWatchState
find_state (const TfrcFeedbackWatch *self, TfrcTime now)
{
  TfrcFeedbackWatchState newest = TFRC_FEEDBACK_WATCH_SILENT;

  for (guint i = TFRC_FEEDBACK_WATCH_OTHER_MODE;
      i < TFRC_FEEDBACK_WATCH_N_STATES; i++)
    if (is_recent (self->came_at[i], REFUSAL_TIME, now)
        && (newest == TFRC_FEEDBACK_WATCH_SILENT
            || self->came_at[i] > self->came_at[newest]))
      newest = i;
  if (newest == TFRC_FEEDBACK_WATCH_SILENT
      && is_recent (self->came_at[TFRC_FEEDBACK_WATCH_RTCP_ONLY], RTCP_TIME,
          now))
    return is_recent (self->rtcp_since, BEFORE_REPORT, now)
        ? TFRC_FEEDBACK_WATCH_WAITING
        : TFRC_FEEDBACK_WATCH_RTCP_ONLY;
  return newest;
}

void
tfrc_feedback_watch_on_sent (TfrcFeedbackWatch *self, gboolean group,
    TfrcDuration round_time, TfrcTime now)
{
  TfrcDuration gap = self->sent_at == TFRC_TIME_NONE
      ? 0
      : tfrc_time_min (tfrc_time_since (self->sent_at, now), MAX_GAP);
  TfrcFeedbackWatchState state;

  self->group = group;
  self->sent_at = now;
  if (self->unanswered_since == TFRC_TIME_NONE) {
    self->unanswered_since = now;
    return;
  }
  self->sending += gap;
  if (self->sending
      < tfrc_time_max (TFRC_FEEDBACK_WATCH_SENDING_TIME, round_time))
    return;
  state = find_state (self, now);
  if (state == TFRC_FEEDBACK_WATCH_WAITING)
    return;
  self->state = state;
  self->due = self->told_at[self->state] == TFRC_TIME_NONE
      || tfrc_time_since (self->told_at[self->state], now) >= self->interval;
}

static void
on_other_rtcp (TfrcFeedbackWatch *self, gboolean bye, TfrcTime now)
{
  TfrcTime *newest = &self->came_at[TFRC_FEEDBACK_WATCH_RTCP_ONLY];

  if (bye) {
    *newest = TFRC_TIME_NONE;
    return;
  }
  if (self->working_since != TFRC_TIME_NONE
      && (self->unanswered_since == TFRC_TIME_NONE
          || tfrc_time_since (self->unanswered_since, now) < BEHIND_REPORT))
    return;
  if (!is_recent (*newest, RTCP_TIME, now))
    self->rtcp_since = now;
  *newest = now;
}

void
tfrc_feedback_watch_on_rtcp (TfrcFeedbackWatch *self,
    const TfrcFeedbackFilterResult *result, TfrcTime now)
{
  if (result->n_packets > 0)
    on_other_rtcp (self, result->n_byes > 0, now);
  if (result->feedback_malformed + result->rtcp_malformed > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_MALFORMED] = now;
  if (result->feedback_foreign > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_FOREIGN] = now;
  if (result->feedback_other_mode > 0)
    self->came_at[TFRC_FEEDBACK_WATCH_OTHER_MODE] = now;
}

void
tfrc_feedback_watch_on_report (TfrcFeedbackWatch *self, TfrcResult result,
    TfrcTime now)
{
  if (result != TFRC_OK) {
    self->came_at[result == TFRC_INVALID ? TFRC_FEEDBACK_WATCH_INVALID
                                         : TFRC_FEEDBACK_WATCH_STALE] = now;
    return;
  }
  if (self->state != TFRC_FEEDBACK_WATCH_WORKING) {
    self->state = TFRC_FEEDBACK_WATCH_WORKING;
    self->working_since = now;
    self->due = self->told;
    if (self->unanswered_since != TFRC_TIME_NONE)
      self->unanswered = tfrc_time_since (self->unanswered_since, now);
  } else if (tfrc_time_since (self->working_since, now) >= self->interval) {
    self->interval = MIN_INTERVAL;
  }
  forget (self);
}

gboolean
tfrc_feedback_watch_poll_news (TfrcFeedbackWatch *self,
    TfrcFeedbackWatchNews *news, TfrcTime now)
{
  if (!self->due)
    return FALSE;
  self->due = FALSE;
  self->told = self->state != TFRC_FEEDBACK_WATCH_WORKING;
  if (self->told) {
    if (self->told_at[self->state] != TFRC_TIME_NONE)
      self->interval = tfrc_time_min (2 * self->interval, MAX_INTERVAL);
    self->told_at[self->state] = now;
    self->unanswered = tfrc_time_since (self->unanswered_since, now);
  }
  *news = (TfrcFeedbackWatchNews) {
    .state = self->state,
    .group = self->group,
    .unanswered = self->unanswered,
  };
  return TRUE;
}

void
tfrc_feedback_watch_news_post (const TfrcFeedbackWatchNews *self,
    GstElement *element)
{
  gboolean info = self->state == TFRC_FEEDBACK_WATCH_WORKING
      || (self->group && self->state == TFRC_FEEDBACK_WATCH_SILENT);
  const gchar *text = self->group && states[self->state].group_text != NULL
      ? states[self->state].group_text
      : states[self->state].text;
  GstPad *pad = gst_element_get_static_pad (element, "rtcp_sink");

  if (self->state == TFRC_FEEDBACK_WATCH_SILENT && !gst_pad_is_linked (pad))
    text = "Pad rtcp_sink is not linked, and no transport-wide feedback comes "
           "from an rtpsession, so hardly anything is sent: RTCP from the "
           "receiver must go there, or the receiver and the packets need the "
           "header extension of transport-wide feedback.";
  gst_object_unref (pad);
  gst_element_message_full_with_details (element,
      info ? GST_MESSAGE_INFO : GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_READ, g_strdup (text),
      g_strdup_printf (
          "feedback-state=%s: no report was accepted for %" G_GUINT64_FORMAT
          " ms",
          states[self->state].name, self->unanswered / TFRC_MILLISECOND),
      __FILE__, G_STRFUNC, __LINE__,
      gst_structure_new ("tfrc-feedback", "feedback-state", G_TYPE_STRING,
          states[self->state].name, NULL));
}

void
tfrc_feedback_watch_set_stats (const TfrcFeedbackWatch *self,
    GstStructure *stats)
{
  tfrc_stats_set (stats, "feedback-state", states[self->state].name);
}
