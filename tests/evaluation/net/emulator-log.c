/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CSV and JSON of the emulator; columns and fields in the header. */
#include "emulator-log.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const directions[] = { "to", "from" };

static FILE *
open_table (const char *path, TfrcTime origin, const char *columns)
{
  FILE *file = path != NULL ? fopen (path, "w") : NULL;

  if (file != NULL)
    fprintf (file, "# origin_ns=%" PRIu64 "\ntime_s,port,direction,%s\n",
        origin, columns);
  return file;
}

bool
emulator_log_open (EmulatorLog *self, const char *path, const char *flows_path,
    const char *packets_path, TfrcTime now)
{
  memset (self, 0, sizeof *self);
  self->origin = self->next_row_at = self->next_tick_at = now;
  self->rows = open_table (path, now,
      "rate_kbit_s,queue_ms,offered_packets,"
      "offered_bytes,packets,bytes,tcp_bytes,udp_bytes,dropped_queue,"
      "dropped_red,dropped_outage,lost,marked,duplicated,lateness_ms");
  self->flows = open_table (flows_path, now,
      "protocol,source,source_port,"
      "destination,destination_port,packets,bytes,dropped");
  self->packets = open_table (packets_path, now,
      "protocol,source_port,destination_port,bytes,wait_ms,fate");
  return (path == NULL || self->rows != NULL)
      && (flows_path == NULL || self->flows != NULL)
      && (packets_path == NULL || self->packets != NULL);
}

void
emulator_log_close (EmulatorLog *self)
{
  if (self->rows != NULL)
    fclose (self->rows);
  if (self->flows != NULL)
    fclose (self->flows);
  if (self->packets != NULL)
    fclose (self->packets);
  self->rows = self->flows = self->packets = NULL;
}

static double
seconds_at (const EmulatorLog *self, TfrcTime at)
{
  return tfrc_duration_to_seconds (tfrc_time_since (self->origin, at));
}

static double
milliseconds (TfrcDuration duration)
{
  return (double) duration / 1e6;
}

static void
print_rows (EmulatorLog *self, const Emulator *emulator, TfrcTime now)
{
  const EmulatorLink *link;
  const LinkCounters *c;
  unsigned i, direction;

  for (i = 0; i < emulator->n_ports; i++) {
    for (direction = 0; direction < EMULATOR_N_DIRECTIONS; direction++) {
      link = &emulator->ports[i].links[direction];
      c = link_model_get_counters (link->model);
      fprintf (self->rows,
          "%.6f,%s,%s,%.3f,%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
          ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
          ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.3f\n",
          seconds_at (self, now), emulator->ports[i].name,
          directions[direction], link_model_get_rate (link->model) / 125.0,
          milliseconds (link_model_get_queue_time (link->model)), c->offered,
          c->offered_bytes, c->delivered, c->delivered_bytes, link->tcp_bytes,
          link->udp_bytes, c->dropped_queue, c->dropped_red, c->dropped_outage,
          c->lost, c->marked, c->duplicated, milliseconds (emulator->lateness));
    }
  }
  fflush (self->rows);
}

static void
print_flow (FILE *file, const Flow *flow)
{
  const FlowKey *key = &flow->key;
  int family = key->source.version == 6 ? AF_INET6 : AF_INET;
  char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];

  inet_ntop (family, key->source.bytes, source, sizeof source);
  inet_ntop (family, key->destination.bytes, destination, sizeof destination);
  fprintf (file, "%u,%s,%u,%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
      key->protocol, source, key->source_port, destination,
      key->destination_port, flow->packets, flow->bytes, flow->dropped);
}

static void
print_flows (EmulatorLog *self, const Emulator *emulator, TfrcTime now)
{
  const FlowTable *table;
  unsigned i, j, direction;

  for (i = 0; i < emulator->n_ports; i++) {
    for (direction = 0; direction < EMULATOR_N_DIRECTIONS; direction++) {
      table = &emulator->ports[i].links[direction].flows;
      for (j = 0; j < table->n; j++) {
        fprintf (self->flows, "%.6f,%s,%s,", seconds_at (self, now),
            emulator->ports[i].name, directions[direction]);
        print_flow (self->flows, &table->flows[j]);
      }
    }
  }
  fflush (self->flows);
}

void
emulator_log_on_time (EmulatorLog *self, Emulator *emulator, TfrcTime now)
{
  TfrcDuration lateness = tfrc_time_since (self->next_tick_at, now);

  if (now < self->next_tick_at)
    return;
  emulator->lateness = tfrc_time_max (emulator->lateness, lateness);
  while (self->next_tick_at <= now)
    self->next_tick_at += EMULATOR_LOG_TICK;
  if (now < self->next_row_at)
    return;
  self->max_lateness = tfrc_time_max (self->max_lateness, emulator->lateness);
  self->n_stalls += emulator->lateness > EMULATOR_LOG_STALL;
  if (self->rows != NULL)
    print_rows (self, emulator, now);
  if (self->flows != NULL)
    print_flows (self, emulator, now);
  emulator->lateness = 0;
  /* Rows that a stall skipped are not made up. */
  while (self->next_row_at <= now)
    self->next_row_at += EMULATOR_LOG_INTERVAL;
}

void
emulator_log_on_arrival (void *user, const EmulatorArrival *arrival,
    TfrcTime now)
{
  static const char *const fates[] = {
    [LINK_QUEUED] = "passed",
    [LINK_MARKED] = "marked",
    [LINK_LOST] = "lost",
    [LINK_DROPPED_QUEUE] = "queue",
    [LINK_DROPPED_RED] = "red",
    [LINK_DROPPED_OUTAGE] = "outage",
  };
  EmulatorLog *self = user;
  const LinkConfig *config =
      link_model_get_config (arrival->port->links[arrival->direction].model);

  if (isinf (config->rate) && config->trace == NULL)
    return;
  fprintf (self->packets, "%.6f,%s,%s,%u,%u,%u,%zu,%.3f,%s\n",
      seconds_at (self, now), arrival->port->name,
      directions[arrival->direction], arrival->flow->protocol,
      arrival->flow->source_port, arrival->flow->destination_port,
      arrival->size, milliseconds (arrival->wait), fates[arrival->verdict]);
}

static void
print_link (FILE *file, const char *direction, const EmulatorLink *link)
{
  const LinkCounters *c = link_model_get_counters (link->model);

  fprintf (file,
      "\"%s\": {\"offered_packets\": %" PRIu64 ", \"offered_bytes\": %" PRIu64
      ", \"packets\": %" PRIu64 ", \"bytes\": %" PRIu64
      ", \"tcp_bytes\": %" PRIu64 ", \"udp_bytes\": %" PRIu64
      ", \"dropped_queue\": %" PRIu64 ", \"dropped_red\": %" PRIu64
      ", \"dropped_outage\": %" PRIu64 ", \"lost\": %" PRIu64
      ", \"marked\": %" PRIu64 ", \"duplicated\": %" PRIu64,
      direction, c->offered, c->offered_bytes, c->delivered, c->delivered_bytes,
      link->tcp_bytes, link->udp_bytes, c->dropped_queue, c->dropped_red,
      c->dropped_outage, c->lost, c->marked, c->duplicated);
  fprintf (file,
      ", \"queue_ms\": {\"p50\": %.3f, \"p95\": %.3f, "
      "\"max\": %.3f}}, ",
      milliseconds (delay_spread_percentile (&link->wait, 0.5)),
      milliseconds (delay_spread_percentile (&link->wait, 0.95)),
      milliseconds (link->wait.max));
}

void
emulator_log_print_summary (const EmulatorLog *self, const Emulator *emulator,
    FILE *file, TfrcTime now)
{
  const EmulatorPort *port;
  uint64_t n_unwritten = 0;
  unsigned i, direction;

  fprintf (file, "{\"seconds\": %.3f, \"ports\": {", seconds_at (self, now));
  for (i = 0; i < emulator->n_ports; i++) {
    port = &emulator->ports[i];
    n_unwritten += port->n_unwritten;
    fprintf (file, "%s\"%s\": {", i > 0 ? ", " : "", port->name);
    for (direction = 0; direction < EMULATOR_N_DIRECTIONS; direction++)
      print_link (file, directions[direction], &port->links[direction]);
    fprintf (file, "\"joins\": %" PRIu64 ", \"leaves\": %" PRIu64 "}",
        port->n_joins, port->n_leaves);
  }
  fprintf (file,
      "}, \"unroutable\": %" PRIu64 ", \"expired\": %" PRIu64
      ", \"too_big\": %" PRIu64 ", \"malformed\": %" PRIu64
      ", \"unwritten\": %" PRIu64
      ", \"lateness_ms\": {\"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f}"
      ", \"stalls\": %u}\n",
      emulator->n_unroutable, emulator->n_expired, emulator->n_too_big,
      emulator->n_malformed, n_unwritten,
      milliseconds (delay_spread_percentile (&emulator->late, 0.5)),
      milliseconds (delay_spread_percentile (&emulator->late, 0.99)),
      milliseconds (tfrc_time_max (self->max_lateness, emulator->late.max)),
      self->n_stalls);
}
