/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CSV and JSON of the relay; columns in the header. */
#include "relay-log.h"

#include <inttypes.h>
#include <string.h>

static double
seconds_at (const RelayLog *self, TfrcTime at)
{
  return tfrc_duration_to_seconds (tfrc_time_since (self->origin, at));
}

bool
relay_log_open (RelayLog *self, const char *rows_path, const char *drops_path,
    TfrcTime now, const char **failed)
{
  memset (self, 0, sizeof *self);
  self->origin = self->next_row_at = now;
  if (rows_path != NULL && (self->rows = fopen (rows_path, "w")) == NULL) {
    *failed = rows_path;
    return false;
  }
  if (drops_path != NULL && (self->drops = fopen (drops_path, "w")) == NULL) {
    *failed = drops_path;
    return false;
  }
  /* Whole lines at once, for those who watch the files grow. */
  if (self->rows != NULL)
    setvbuf (self->rows, NULL, _IOLBF, BUFSIZ);
  if (self->drops != NULL)
    setvbuf (self->drops, NULL, _IOLBF, BUFSIZ);
  if (self->rows != NULL)
    fprintf (self->rows,
        "# origin_ns=%" PRIu64 "\n"
        "time_s,capacity_kbit_s,queue_ms,queue_bytes,offered_packets,offered_"
        "bytes,"
        "forward_packets,forward_bytes,dropped_queue,dropped_outage,lost,"
        "duplicated,back_packets,back_bytes,back_dropped,lateness_ms\n",
        now);
  if (self->drops != NULL)
    fprintf (self->drops,
        "# origin_ns=%" PRIu64 "\n"
        "time_s,direction,kind,bytes,number\n",
        now);
  return true;
}

void
relay_log_close (RelayLog *self)
{
  if (self->rows != NULL)
    fclose (self->rows);
  if (self->drops != NULL)
    fclose (self->drops);
  self->rows = self->drops = NULL;
}

void
relay_log_schedule (RelayLog *self, TfrcTime now)
{
  if (self->rows != NULL)
    fprintf (self->rows, "# schedule_ns=%" PRIu64 "\n", now);
  if (self->drops != NULL)
    fprintf (self->drops, "# schedule_ns=%" PRIu64 "\n", now);
}

void
relay_log_drop (RelayLog *self, const char *direction, const char *kind,
    size_t bytes, uint64_t number, TfrcTime now)
{
  if (self->drops != NULL)
    fprintf (self->drops, "%.6f,%s,%s,%zu,%" PRIu64 "\n",
        seconds_at (self, now), direction, kind, bytes, number);
}

void
relay_log_lateness (RelayLog *self, TfrcDuration lateness)
{
  self->lateness = tfrc_time_max (self->lateness, lateness);
  self->max_lateness = tfrc_time_max (self->max_lateness, lateness);
}

void
relay_log_on_time (RelayLog *self, const LinkModel *forward,
    const LinkModel *back, TfrcTime now)
{
  const LinkCounters *f = link_model_get_counters (forward);
  const LinkCounters *b = link_model_get_counters (back);

  if (now < self->next_row_at)
    return;
  relay_log_lateness (self, now - self->next_row_at);
  if (self->rows != NULL)
    fprintf (self->rows,
        "%.6f,%.3f,%.3f,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
        ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
        ",%" PRIu64 ",%.3f\n",
        seconds_at (self, now), link_model_get_rate (forward) / 125.0,
        (double) link_model_get_queue_time (forward) / 1e6,
        link_model_get_queue_bytes (forward), f->offered, f->offered_bytes,
        f->delivered, f->delivered_bytes, f->dropped_queue + f->dropped_red,
        f->dropped_outage, f->lost, f->duplicated, b->delivered,
        b->delivered_bytes,
        b->dropped_queue + b->dropped_red + b->dropped_outage + b->lost,
        (double) self->lateness / 1e6);
  self->lateness = 0;
  /* Rows that a stall skipped are not made up. */
  while (self->next_row_at <= now)
    self->next_row_at += RELAY_LOG_INTERVAL;
}

static void
print_link (FILE *file, const char *name, const LinkCounters *c)
{
  fprintf (file,
      "\"%s\": {\"offered_packets\": %" PRIu64 ", \"offered_bytes\": %" PRIu64
      ", \"packets\": %" PRIu64 ", \"bytes\": %" PRIu64
      ", \"dropped_queue\": %" PRIu64 ", \"dropped_red\": %" PRIu64
      ", \"dropped_outage\": %" PRIu64 ", \"lost\": %" PRIu64
      ", \"duplicated\": %" PRIu64 "}, ",
      name, c->offered, c->offered_bytes, c->delivered, c->delivered_bytes,
      c->dropped_queue, c->dropped_red, c->dropped_outage, c->lost,
      c->duplicated);
}

void
relay_log_print_summary (const RelayLog *self, FILE *file,
    const LinkModel *forward, const LinkModel *back, TfrcTime now)
{
  fprintf (file, "{\"seconds\": %.3f, ", seconds_at (self, now));
  print_link (file, "forward", link_model_get_counters (forward));
  print_link (file, "back", link_model_get_counters (back));
  fprintf (file, "\"lateness_ms_max\": %.3f}\n",
      (double) self->max_lateness / 1e6);
}
