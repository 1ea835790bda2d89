/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the tables of docs/results/groups.md: how soon the video of the demo's group is
 * at 1 Mbit/s, by what is known of its RTTs, and what a guest behind a narrow link loses.
 * An encoder of 30 frames/s follows the rate in virtual time, so packets are small where
 * that is low. */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder/target.h"
#include "link-model.h"
#include "send/flow.h"
#include "tfmcc/receiver.h"

#define MS TFRC_MILLISECOND
#define MBIT 125000.0
#define N_GROUPS 64
#define N_MEMBERS 4 /* the last one is the guest */
#define GUEST (N_MEMBERS - 1)
#define REPORT_SIZE 28
#define RING 4096 /* packets, and reports, on their way */
#define MIN_BITRATE 32000
#define OVERHEAD 40
#define PAYLOAD 1160
#define FRAME_MS 33
#define JOINS_MS 30000
#define LOOKED_AT_MS 2000
#define LONGEST_MS 60000

/* Those of data/links/group-*.link. */
static const struct
{
  gdouble rate, delay_ms, queue_ms, loss;
} links[N_MEMBERS] = {
  { 6, 90, 150, 0 },
  { 10, 10, 100, 0 },
  { 3, 30, 100, .01 },
  { .4, 50, 200, 0 },
};

typedef struct
{
  TfmccReceiver receiver;
  LinkModel *forward, *back;
} Member;

typedef struct
{
  TfmccSendFlow group;
  Member members[N_MEMBERS];
  TfmccExtension extensions[RING];
  guint sizes[RING];
  TfmccReport reports[RING];
  guint32 n_packets, n_reports;
  guint queue[RING]; /* sizes of packets that wait */
  guint head, tail;
  guint64 sent;             /* [bytes] */
  guint64 sent_until[1000]; /* by ms, a second ago */
  TfrcEncoderTargetLimiter limiter;
} Scene;

static void
start (Scene *self, guint seed, guint initial_rtt_ms, gboolean lossy)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();

  memset (self, 0, sizeof *self);
  config.min_rate = tfrc_rate_from_bits (MIN_BITRATE);
  config.round.initial_rtt = initial_rtt_ms * MS;
  tfmcc_send_flow_init (&self->group, &config);
  tfrc_encoder_target_limiter_reset (&self->limiter, MIN_BITRATE);
  for (guint i = 0; i < N_MEMBERS; i++) {
    TfmccReceiverConfig receiver = tfmcc_receiver_config_default ();
    LinkConfig link;

    receiver.ssrc = i + 1;
    receiver.seed = 100 * seed + i;
    receiver.delay_target = 15 * MS;
    tfmcc_receiver_init (&self->members[i].receiver, &receiver);
    link_config_init (&link);
    link.delay = (TfrcDuration) (links[i].delay_ms * MS);
    self->members[i].back = link_model_new (&link, 100 * seed + 2 * i, 0);
    link.rate = links[i].rate * MBIT;
    link.queue_limit = (TfrcDuration) (links[i].queue_ms * MS);
    link.loss = lossy ? links[i].loss : 0;
    self->members[i].forward = link_model_new (&link, 100 * seed + 2 * i + 1,
        0);
  }
}

static void
stop (Scene *self)
{
  for (guint i = 0; i < N_MEMBERS; i++) {
    link_model_free (self->members[i].forward);
    link_model_free (self->members[i].back);
  }
}

static void
deliver (Scene *self, Member *member, TfrcTime now)
{
  TfmccReport *report = &self->reports[self->n_reports % RING];
  LinkOutput output;

  while (link_model_poll (member->forward, &output, now)) {
    TfrcDataPacket packet = { .ssrc = 1,
      .seq = (guint16) output.id,
      .size = self->sizes[output.id % RING] };

    tfmcc_receiver_on_packet (&member->receiver, &packet,
        &self->extensions[output.id % RING], now);
  }
  tfmcc_receiver_on_deadline (&member->receiver, now);
  if (tfmcc_receiver_poll_report (&member->receiver, report, now))
    link_model_enqueue (member->back, REPORT_SIZE, self->n_reports++, now);
  while (link_model_poll (member->back, &output, now))
    tfmcc_send_flow_on_report (&self->group, &self->reports[output.id % RING],
        0, NULL, now);
}

/* What tfrcencoder does with what the pacer tells it. */
static void
control_encoder (Scene *self, TfrcRate rate, TfrcTime now)
{
  const TfrcEncoderSettings settings = { .min_bitrate = MIN_BITRATE };
  TfrcEncoderFlow flow = {
    .allowed_bitrate = tfrc_rate_to_bits (rate),
    .overhead = 1.0,
  };

  for (guint i = self->head; i < self->tail; i++)
    flow.queued_bytes += self->queue[i % RING];
  tfrc_encoder_target_limiter_pass (&self->limiter,
      tfrc_encoder_target_request (&settings,
          tfrc_encoder_target_from_flow (&flow), 1),
      now);
}

static void
encode (Scene *self)
{
  guint left = (guint) (self->limiter.bitrate / 8.0 * FRAME_MS / 1000);
  guint n = (left + PAYLOAD - 1) / PAYLOAD;

  for (; n > 0; n--) {
    self->queue[self->tail++ % RING] = left / n + OVERHEAD;
    left -= left / n;
  }
}

static void
send_packets (Scene *self, gboolean guest, TfrcTime now)
{
  TfrcExtensionBytes bytes;

  while (self->head < self->tail
      && tfmcc_sender_next_send_at (&self->group.sender) <= now) {
    guint32 id = self->n_packets++;
    guint size = self->queue[self->head++ % RING];

    self->sizes[id % RING] = size;
    self->sent += size;
    tfmcc_send_flow_charge (&self->group, size, self->head < self->tail, &bytes,
        now);
    tfmcc_wire_read_extension (&self->extensions[id % RING], bytes.data,
        bytes.size);
    for (guint i = 0; i < (guest ? N_MEMBERS : GUEST); i++)
      link_model_enqueue (self->members[i].forward, size, id, now);
  }
}

/* One ms.  Returns what was sent in the last second [bytes]. */
static guint64
go_on (Scene *self, guint ms)
{
  TfrcTime now = ms * MS;

  for (guint i = 0; i < N_MEMBERS; i++)
    deliver (self, &self->members[i], now);
  tfmcc_send_flow_on_deadline (&self->group, now);
  if (ms % 20 == 0)
    control_encoder (self, tfmcc_sender_get_rate (&self->group.sender, now),
        now);
  if (ms % FRAME_MS == 0)
    encode (self);
  send_packets (self, ms >= JOINS_MS, now);
  self->sent_until[ms % 1000] = self->sent;
  return self->sent - self->sent_until[(ms + 1) % 1000];
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const gdouble *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static void
print_median (const char *format, gdouble found[N_GROUPS])
{
  qsort (found, N_GROUPS, sizeof found[0], compare);
  printf (format, found[N_GROUPS / 2], found[N_GROUPS / 10],
      found[N_GROUPS - 1 - N_GROUPS / 10]);
}

static void
print_start (Scene *scene, guint initial_rtt_ms)
{
  gdouble found[N_GROUPS];

  printf ("| %u ms |", initial_rtt_ms);
  for (gint lossy = 1; lossy >= 0; lossy--) {
    for (guint i = 0; i < N_GROUPS; i++) {
      guint ms = 1;

      start (scene, i, initial_rtt_ms, lossy);
      while (go_on (scene, ms) < MBIT && ms < JOINS_MS)
        ms++;
      found[i] = ms / 1000.0;
      stop (scene);
    }
    print_median (" %.1f (%.1f to %.1f) |", found);
  }
  printf ("\n");
}

static void
print_guest (Scene *scene)
{
  gdouble lost[N_GROUPS], limits[N_GROUPS];

  for (guint i = 0; i < N_GROUPS; i++) {
    const TfmccReceiver *guest = &scene->members[GUEST].receiver;
    guint32 before = 0, sent = 0;

    limits[i] = lost[i] = 0;
    start (scene, i, 100, TRUE);
    for (guint ms = 1; ms < LONGEST_MS && (limits[i] == 0 || lost[i] == 0);
        ms++) {
      go_on (scene, ms);
      if (ms == JOINS_MS)
        before = scene->n_packets;
      if (ms == JOINS_MS + LOOKED_AT_MS)
        sent = scene->n_packets - before;
      if (ms == JOINS_MS + LOOKED_AT_MS + 500)
        lost[i] = 100.0 * guest->counters.packets_lost / sent;
      if (limits[i] == 0 && ms > JOINS_MS
          && tfmcc_clr_choice_is (&scene->group.sender.clr, GUEST + 1))
        limits[i] = (ms - JOINS_MS) / 1000.0;
    }
    stop (scene);
  }
  print_median ("\n| it limits after [s] | %.1f (%.1f to %.1f) |\n|---|--:|\n",
      limits);
  print_median ("| lost of the packets of its first 2 s [%%] | %.0f (%.0f to "
                "%.0f) |\n",
      lost);
}

int
main (void)
{
  static const guint initial_rtts_ms[] = { 100, 350, 500 };
  Scene *scene = g_new (Scene, 1);

  printf ("| `initial-max-rtt` | 1 %% of loss | no loss |\n|--:|--:|--:|\n");
  for (guint i = 0; i < G_N_ELEMENTS (initial_rtts_ms); i++)
    print_start (scene, initial_rtts_ms[i]);
  print_guest (scene);
  g_free (scene);
  return 0;
}
