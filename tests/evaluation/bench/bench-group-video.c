/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the tables of docs/results/groups.md: how soon the video of the demo's group is
 * at 1 Mbit/s, by what is known of its RTTs, what a guest behind a narrow link loses, how
 * soon the rate is back when it has left, and what slow links get.
 * An encoder of 30 frames/s follows the rate in virtual time, so packets are small where
 * that is low. */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder/video-group.h"
#include "units.h"

#define N_GROUPS 64
#define START_RATE (0.3 * MBIT) /* start-bitrate */
#define N_MEMBERS 4             /* the last one is the guest */
#define GUEST (N_MEMBERS - 1)
#define RING 4096 /* packets that wait */
#define OVERHEAD 40
#define PAYLOAD 1160
#define FRAME_MS 33
#define JOINS_MS 30000
#define LOOKED_AT_MS 2000
#define LEAVES_MS 45000
#define BEFORE_MS 5000
#define LOST_MS 10000
#define BACK_PART 0.8
#define LONGEST_MS 60000
#define TARGET_MS 15 /* delay-target */
#define SLOW_FROM_MS 60000
#define SLOW_MS 180000
#define N_SLOW 16

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
  VideoGroup group;
  guint queue[RING]; /* sizes of packets that wait */
  guint head, tail;
  guint64 sent;             /* [bytes] */
  guint64 sent_until[1000]; /* by ms, a second ago */
} Scene;

static void
start (Scene *self, guint seed, guint initial_rtt_ms, gboolean lossy)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();

  memset (self, 0, sizeof *self);
  config.round.initial_rtt = initial_rtt_ms * MS;
  config.start_rate = START_RATE;
  video_group_start (&self->group, config);
  for (guint i = 0; i < N_MEMBERS; i++) {
    TfmccReceiverConfig receiver = tfmcc_receiver_config_default ();
    LinkConfig link;

    receiver.seed = 100 * seed + i;
    receiver.delay_target = TARGET_MS * MS;
    link_config_init (&link);
    link.delay = (TfrcDuration) (links[i].delay_ms * MS);
    link.rate = links[i].rate * MBIT;
    link.queue_limit = (TfrcDuration) (links[i].queue_ms * MS);
    link.loss = lossy ? links[i].loss : 0;
    video_group_join (&self->group, receiver, &link, 100 * seed + 2 * i);
  }
}

static guint
sum_queue (const Scene *self)
{
  guint sum = 0;

  for (guint i = self->head; i < self->tail; i++)
    sum += self->queue[i % RING];
  return sum;
}

static void
encode (Scene *self)
{
  guint left = (guint) (self->group.limiter.bitrate / 8.0 * FRAME_MS / 1000);
  guint n = (left + PAYLOAD - 1) / PAYLOAD;

  for (; n > 0; n--) {
    self->queue[self->tail++ % RING] = left / n + OVERHEAD;
    left -= left / n;
  }
}

static void
send_packets (Scene *self, guint n_members, TfrcTime now)
{
  while (self->head < self->tail
      && tfmcc_sender_next_send_at (&self->group.flow.sender) <= now) {
    guint size = self->queue[self->head++ % RING];

    self->sent += size;
    video_group_send (&self->group, size, self->head < self->tail, n_members,
        now);
  }
}

/* One ms, with so many members.  Returns what was sent in the last second [bytes]. */
static guint64
go_on (Scene *self, guint ms, guint n_members)
{
  TfrcTime now = ms * MS;

  video_group_receive (&self->group, now);
  if (ms % 20 == 0)
    video_group_control_encoder (&self->group, sum_queue (self), now);
  if (ms % FRAME_MS == 0)
    encode (self);
  send_packets (self, n_members, now);
  self->sent_until[ms % 1000] = self->sent;
  return self->sent - self->sent_until[(ms + 1) % 1000];
}

/* The guest is there for a while. */
static guint64
go_on_with_guest (Scene *self, guint ms)
{
  return go_on (self, ms, ms >= JOINS_MS && ms < LEAVES_MS ? N_MEMBERS : GUEST);
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
      while (go_on_with_guest (scene, ms) < MBIT && ms < JOINS_MS)
        ms++;
      found[i] = ms / 1000.0;
      video_group_stop (&scene->group);
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
    const TfmccReceiver *guest = &scene->group.members[GUEST].receiver;
    guint32 before = 0, sent = 0;

    limits[i] = lost[i] = 0;
    start (scene, i, 100, TRUE);
    for (guint ms = 1; ms < LONGEST_MS && (limits[i] == 0 || lost[i] == 0);
        ms++) {
      go_on_with_guest (scene, ms);
      if (ms == JOINS_MS)
        before = scene->group.n_packets;
      if (ms == JOINS_MS + LOOKED_AT_MS)
        sent = scene->group.n_packets - before;
      if (ms == JOINS_MS + LOOKED_AT_MS + 500)
        lost[i] = 100.0 * guest->counters.packets_lost / sent;
      if (limits[i] == 0 && ms > JOINS_MS
          && tfmcc_clr_choice_is (&scene->group.flow.sender.clr, GUEST + 1))
        limits[i] = (ms - JOINS_MS) / 1000.0;
    }
    video_group_stop (&scene->group);
  }
  print_median ("\n| it limits after [s] | %.1f (%.1f to %.1f) |\n|---|--:|\n",
      limits);
  print_median ("| lost of the packets of its first 2 s [%%] | %.0f (%.0f to "
                "%.0f) |\n",
      lost);
}

/* What is sent may then be no more than that. */
static void
narrow (Scene *self, guint64 *before, guint ms)
{
  LinkConfig link;

  link_config_init (&link);
  link.delay = (TfrcDuration) (links[0].delay_ms * MS);
  link.rate = 0.8 * MBIT;
  link.queue_limit = (TfrcDuration) (links[0].queue_ms * MS);
  link_model_set_config (self->group.members[0].forward, &link, ms * MS);
  *before = MIN (*before, (guint64) link.rate);
}

/* Until a second has so much of the mean of before the guest came [s], and packets that
 * the other receiver lost most loses in ten; `fallen`: its link falls to 0.8 Mbit/s
 * meanwhile. */
static void
measure_return (Scene *self, gboolean fallen, gdouble *back, gdouble *lost)
{
  guint64 sent_before = 0, before = 0;
  guint64 lost_before[GUEST] = { 0 };

  *back = *lost = 0;
  for (guint ms = 1; ms < LEAVES_MS + LONGEST_MS; ms++) {
    guint64 second;

    if (ms == LEAVES_MS)
      tfmcc_receiver_leave (&self->group.members[GUEST].receiver, ms * MS);
    second = go_on_with_guest (self, ms);
    if (ms == JOINS_MS - BEFORE_MS)
      sent_before = self->sent;
    if (ms == JOINS_MS)
      before = (self->sent - sent_before) / (BEFORE_MS / 1000);
    if (ms == JOINS_MS + LOOKED_AT_MS && fallen)
      narrow (self, &before, ms);
    for (guint i = 0; i < GUEST; i++) {
      guint64 now = self->group.members[i].receiver.counters.packets_lost;

      if (ms == LEAVES_MS)
        lost_before[i] = now;
      if (ms == LEAVES_MS + LOST_MS)
        *lost = MAX (*lost, (gdouble) (now - lost_before[i]));
    }
    if (ms > LEAVES_MS + 1000 && *back == 0 && second >= BACK_PART * before)
      *back = (ms - LEAVES_MS) / 1000.0;
    if (ms > LEAVES_MS + LOST_MS && *back > 0)
      return;
  }
}

static void
print_return (Scene *scene)
{
  gdouble back[N_GROUPS], lost[N_GROUPS];

  printf ("\n| meanwhile | .8 is sent again after [s] | lost in 10 s |\n"
          "|---|--:|--:|\n");
  for (guint fallen = 0; fallen < 2; fallen++) {
    for (guint i = 0; i < N_GROUPS; i++) {
      start (scene, i, 100, TRUE);
      measure_return (scene, fallen, &back[i], &lost[i]);
      video_group_stop (&scene->group);
    }
    printf ("| %s |", fallen ? "the far one's link fell to 0.8 Mbit/s" : "");
    print_median (" %.1f (%.1f to %.1f) |", back);
    print_median (" %.0f (%.0f to %.0f) |\n", lost);
  }
}

typedef struct
{
  gdouble sent, lost, wait_ms;
} SlowLink;

/* Two minutes behind the first one of a group of one receiver, 50 ms away. */
static SlowLink
measure_slow_link (Scene *self, guint kbit_s, guint target_ms, guint seed)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();
  TfmccReceiverConfig receiver = tfmcc_receiver_config_default ();
  const TfmccReceiver *member = &self->group.members[0].receiver;
  guint64 sent = 0, lost = 0;
  guint32 packets = 0;
  SlowLink found = { 0 };
  LinkConfig link;

  memset (self, 0, sizeof *self);
  config.start_rate = START_RATE;
  video_group_start (&self->group, config);
  receiver.seed = seed;
  receiver.delay_target = target_ms * MS;
  link_config_init (&link);
  link.delay = 25 * MS;
  link.rate = kbit_s / 1000.0 * MBIT;
  link.queue_limit = 200 * MS;
  video_group_join (&self->group, receiver, &link, seed);
  for (guint ms = 1; ms <= SLOW_MS; ms++) {
    go_on (self, ms, 1);
    if (ms == SLOW_FROM_MS) {
      sent = self->sent;
      lost = member->counters.packets_lost;
      packets = self->group.n_packets;
    }
    if (ms > SLOW_FROM_MS)
      found.wait_ms += 1000.0 / (SLOW_MS - SLOW_FROM_MS)
          * tfrc_duration_to_seconds (
              link_model_get_queue_time (self->group.members[0].forward));
  }
  found.sent = (gdouble) (self->sent - sent) * 1000.0
      / ((SLOW_MS - SLOW_FROM_MS) * link.rate);
  found.lost = 100.0 * (gdouble) (member->counters.packets_lost - lost)
      / (self->group.n_packets - packets);
  video_group_stop (&self->group);
  return found;
}

static void
print_slow_links (Scene *scene)
{
  static const guint rates[] = { 50, 100, 300, 1000 };

  printf ("\n| link | sent, by it | lost [%%] | mean queue [ms] |\n"
          "|--:|--:|--:|--:|\n");
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    SlowLink means[2] = { { 0 } };

    for (guint off = 0; off < 2; off++)
      for (guint seed = 1; seed <= N_SLOW; seed++) {
        SlowLink one = measure_slow_link (scene, rates[i], off ? 0 : TARGET_MS,
            seed);

        means[off].sent += one.sent / N_SLOW;
        means[off].lost += one.lost / N_SLOW;
        means[off].wait_ms += one.wait_ms / N_SLOW;
      }
    printf ("| %u kbit/s | %.2f (%.2f) | %.1f (%.1f) | %.0f (%.0f) |\n",
        rates[i], means[0].sent, means[1].sent, means[0].lost, means[1].lost,
        means[0].wait_ms, means[1].wait_ms);
  }
}

int
main (void)
{
  static const guint initial_rtts_ms[] = { 100, 200, 350, 500 };
  Scene *scene = g_new (Scene, 1);

  printf ("| `initial-max-rtt` | 1 %% of loss | no loss |\n|--:|--:|--:|\n");
  for (guint i = 0; i < G_N_ELEMENTS (initial_rtts_ms); i++)
    print_start (scene, initial_rtts_ms[i]);
  print_guest (scene);
  print_return (scene);
  print_slow_links (scene);
  g_free (scene);
  return 0;
}
