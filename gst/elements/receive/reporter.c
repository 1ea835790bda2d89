/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The task of the RTCP source pad. */

#include "receive/reporter.h"

#include <gst/net/net.h>

#include "common/alarm.h"
#include "common/pads.h"
#include "common/stats.h"
#include "receive/report.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

/* How long a thread may wait for what is downstream of the last report. */
#define MAX_FINISH_US (200 * G_TIME_SPAN_MILLISECOND)

struct _TfrcReporter
{
  GstElement *owner;
  GstPad *pad;
  GMutex *lock;
  TfrcMeter *meter;
  TfrcReporterOnNews on_news;
  const TfrcReceiveSettings *settings;

  TfrcAlarm alarm; /* of the task */
  gboolean running;
  gboolean paused;
  TfrcTime stats_at; /* of the next message, TFRC_TIME_NONE: off */
  gboolean eos;      /* is to be pushed */
  gboolean eos_sent;
  GThread *busy; /* with an output, the lock given up; or NULL */
  GCond idle;    /* not busy any more */

  GstFlowReturn worst_flow; /* of the task: since a report was taken */

  guint64 packets;         /* pushed */
  guint64 packets_refused; /* of these */
};

TfrcReporter *
tfrc_reporter_new (GstElement *owner, GstPad *pad, GMutex *lock,
    TfrcMeter *meter, TfrcReporterOnNews on_news)
{
  TfrcReporter *self = g_new0 (TfrcReporter, 1);

  self->owner = owner;
  self->pad = pad;
  self->lock = lock;
  self->meter = meter;
  self->on_news = on_news;
  g_cond_init (&self->idle);
  tfrc_alarm_init (&self->alarm);
  return self;
}

void
tfrc_reporter_free (TfrcReporter *self)
{
  tfrc_alarm_clear (&self->alarm);
  g_cond_clear (&self->idle);
  g_free (self);
}

static void
log_feedback (TfrcReporter *self, const TfrcFeedback *feedback)
{
  GST_DEBUG_OBJECT (self->owner,
      "event=feedback ssrc=%08x echo_us=%u "
      "echo_delay_ns=%" G_GUINT64_FORMAT " receive_rate_bytes_s=%.0f "
      "loss_event_rate=%.6f",
      feedback->media_ssrc, feedback->echo_time_us, feedback->echo_delay,
      feedback->receive_rate, feedback->loss_event_rate);
}

static void
log_report (TfrcReporter *self, const TfmccReport *report)
{
  GST_DEBUG_OBJECT (self->owner,
      "event=report ssrc=%08x media_ssrc=%08x "
      "round=%u rate_bytes_s=%.0f has_rtt=%d has_loss=%d leaving=%d",
      report->ssrc, report->media_ssrc, report->round, report->rate,
      report->has_rtt, report->has_loss, report->leaving);
}

/* Lock held. */
static GstBuffer *
make_report (TfrcReporter *self, const TfrcReceiveOutput *output, TfrcTime now)
{
  const TfrcReportFormat *format = &self->settings->report;
  GSocketAddress *address = tfrc_meter_get_source_address (self->meter);
  GstBuffer *buffer;

  switch (output->kind) {
    case TFRC_RECEIVE_FEEDBACK:
      buffer = tfrc_report_new_feedback (format, &output->feedback, output->ecn,
          output->n_ecn);
      log_feedback (self, &output->feedback);
      break;
    case TFRC_RECEIVE_REPORT:
      buffer = tfrc_report_new_member_report (format, &output->report,
          &output->diagnostics);
      log_report (self, &output->report);
      break;
    case TFRC_RECEIVE_ARRIVALS:
      buffer = output->arrivals;
      GST_LOG_OBJECT (self->owner, "event=arrivals size_bytes=%" G_GSIZE_FORMAT,
          gst_buffer_get_size (buffer));
      break;
    case TFRC_RECEIVE_KEY_FRAME_REQUEST:
      buffer = tfrc_report_new_pli (format, output->ssrc);
      GST_DEBUG_OBJECT (self->owner, "event=key-frame-request ssrc=%08x",
          output->ssrc);
      break;
    case TFRC_RECEIVE_NACK:
      buffer = tfrc_report_new_nack (format, output->ssrc, output->missing,
          output->n_missing);
      GST_DEBUG_OBJECT (self->owner, "event=nack ssrc=%08x seq=%u packets=%u",
          output->ssrc, output->missing[0], output->n_missing);
      break;
    default:
      return NULL;
  }
  if (address)
    gst_buffer_add_net_address_meta (buffer, address);
  tfrc_meter_on_report (self->meter, gst_buffer_get_size (buffer), now);
  self->packets++;
  return buffer;
}

static void
post_refusal (TfrcReporter *self, GstFlowReturn flow)
{
  if (flow == GST_FLOW_EOS)
    GST_ELEMENT_WARNING (self->owner, STREAM, FAILED,
        ("What is behind rtcp_src is at EOS and takes no reports (%s), so the "
         "sender slows down: flush or restart it.",
            gst_flow_get_name (flow)),
        (NULL));
  else
    GST_ELEMENT_ERROR_WITH_DETAILS (self->owner, STREAM, FAILED,
        ("What is behind rtcp_src takes no reports (%s), so the sender slows "
         "down: see what it posted, and restart it.",
            gst_flow_get_name (flow)),
        (NULL), ("flow-return", G_TYPE_INT, flow, NULL));
}

static void
push_report (TfrcReporter *self, GstBuffer *buffer)
{
  GstFlowReturn flow;

  tfrc_pads_start_rtcp (self->pad, self->owner);
  flow = gst_pad_push (self->pad, buffer);
  if (flow == GST_FLOW_OK) {
    if (self->worst_flow != GST_FLOW_OK)
      GST_INFO_OBJECT (self->owner, "event=reports-taken-again");
    self->worst_flow = GST_FLOW_OK;
    return;
  }
  g_mutex_lock (self->lock);
  self->packets_refused++;
  g_mutex_unlock (self->lock);
  GST_DEBUG_OBJECT (self->owner, "event=report-refused flow=%s",
      gst_flow_get_name (flow));
  /* The codes of errors are below EOS. */
  if (flow > GST_FLOW_EOS || flow >= self->worst_flow)
    return;
  self->worst_flow = flow;
  post_refusal (self, flow);
}

static void
post_stats (TfrcReporter *self)
{
  GstStructure *stats;

  g_object_get (self->owner, "stats", &stats, NULL);
  gst_element_post_message (self->owner,
      gst_message_new_element (GST_OBJECT (self->owner), stats));
}

/* When the next stats message is due; moves on when it is now. */
static TfrcTime
next_stats_at (TfrcReporter *self, TfrcTime now)
{
  TfrcDuration interval = self->settings->stats_interval * TFRC_MILLISECOND;
  TfrcTime at = self->stats_at;

  if (interval == 0)
    self->stats_at = at = TFRC_TIME_NONE;
  else if (at == TFRC_TIME_NONE || at > now + interval)
    self->stats_at = at = now + interval;
  else if (at <= now)
    self->stats_at = tfrc_time_max (at + interval, now);
  return at;
}

static void
reporter_loop (gpointer user_data)
{
  TfrcReporter *self = user_data;
  TfrcReceiveOutput output;
  gboolean silent;
  TfrcTime now;

  g_mutex_lock (self->lock);
  if (!self->running) {
    g_mutex_unlock (self->lock);
    gst_pad_pause_task (self->pad);
    return;
  }
  now = tfrc_alarm_get_time (&self->alarm);
  silent = self->paused || self->eos_sent;
  if (!silent && tfrc_meter_poll (self->meter, &output, now)) {
    GstBuffer *buffer = make_report (self, &output, now);

    self->busy = g_thread_self ();
    g_mutex_unlock (self->lock);
    if (buffer)
      push_report (self, buffer);
    else
      self->on_news (self->owner, &output);
    g_mutex_lock (self->lock);
    self->busy = NULL;
    g_cond_signal (&self->idle);
    g_mutex_unlock (self->lock);
  } else if (self->eos && !self->eos_sent) {
    self->eos_sent = TRUE;
    g_mutex_unlock (self->lock);
    tfrc_pads_start_rtcp (self->pad, self->owner);
    gst_pad_push_event (self->pad, gst_event_new_eos ());
  } else if (next_stats_at (self, now) <= now) {
    g_mutex_unlock (self->lock);
    post_stats (self);
  } else {
    tfrc_alarm_wait (&self->alarm, self->lock,
        silent ? self->stats_at
               : tfrc_time_min (self->stats_at,
                     tfrc_meter_next_deadline (self->meter)));
    g_mutex_unlock (self->lock);
  }
}

gboolean
tfrc_reporter_start (TfrcReporter *self, GstClock *clock,
    const TfrcReceiveSettings *settings)
{
  g_mutex_lock (self->lock);
  tfrc_alarm_set_clock (&self->alarm, gst_object_ref (clock));
  self->settings = settings;
  self->running = TRUE;
  self->paused = FALSE;
  self->eos = FALSE;
  self->eos_sent = FALSE;
  self->stats_at = TFRC_TIME_NONE;
  self->worst_flow = GST_FLOW_OK;
  self->packets = 0;
  self->packets_refused = 0;
  g_mutex_unlock (self->lock);
  return gst_pad_start_task (self->pad, reporter_loop, self, NULL);
}

gboolean
tfrc_reporter_stop (TfrcReporter *self)
{
  gboolean stopped;

  g_mutex_lock (self->lock);
  self->running = FALSE;
  tfrc_alarm_wake (&self->alarm);
  g_mutex_unlock (self->lock);
  stopped = gst_pad_stop_task (self->pad);
  g_mutex_lock (self->lock);
  tfrc_alarm_set_clock (&self->alarm, NULL);
  g_mutex_unlock (self->lock);
  return stopped;
}

void
tfrc_reporter_wake (TfrcReporter *self)
{
  tfrc_alarm_wake_before (&self->alarm, tfrc_meter_next_deadline (self->meter));
}

void
tfrc_reporter_update (TfrcReporter *self)
{
  tfrc_alarm_wake (&self->alarm);
}

void
tfrc_reporter_set_paused (TfrcReporter *self, gboolean paused)
{
  self->paused = paused;
  tfrc_alarm_wake (&self->alarm);
}

void
tfrc_reporter_set_eos (TfrcReporter *self)
{
  self->eos = TRUE;
  tfrc_alarm_wake (&self->alarm);
}

void
tfrc_reporter_finish (TfrcReporter *self)
{
  gint64 end = g_get_monotonic_time () + MAX_FINISH_US;

  tfrc_alarm_wake (&self->alarm);
  while (self->running && !self->paused && !self->eos_sent
      && self->busy != g_thread_self ()
      && (self->busy || tfrc_meter_next_deadline (self->meter) == 0)
      && g_cond_wait_until (&self->idle, self->lock, end))
    ;
}

gboolean
tfrc_reporter_has_ended (const TfrcReporter *self)
{
  return self->eos;
}

void
tfrc_reporter_resume (TfrcReporter *self)
{
  gboolean after_eos;

  g_mutex_lock (self->lock);
  after_eos = self->eos_sent;
  self->eos = FALSE;
  g_mutex_unlock (self->lock);
  if (!after_eos)
    return;
  gst_pad_push_event (self->pad, gst_event_new_flush_start ());
  gst_pad_push_event (self->pad, gst_event_new_flush_stop (FALSE));
  g_mutex_lock (self->lock);
  self->eos_sent = FALSE;
  g_mutex_unlock (self->lock);
}

void
tfrc_reporter_get_stats (const TfrcReporter *self, GstStructure *stats)
{
  tfrc_stats_set (stats, "rtcp-packets", self->packets);
  tfrc_stats_set (stats, "rtcp-packets-refused", self->packets_refused);
}
