/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc-relay: a bad link between two UDP programs.
 *
 *   tfrc-relay --profile data/links/steps.link --listen 5004 --to 127.0.0.1:5006
 *
 * Prints `listening PORT [PORT2]` once it does, and a line of JSON when it ends
 * (SIGTERM, SIGINT, --seconds).  Log formats are in relay-log.h, profiles in
 * link-profile.h.  Live control, by lines on stdin (--control -) or datagrams
 * to a unix socket (--control PATH):
 *   KEY VALUE     a key of the profile, e.g. `rate_kbit_s 300`
 *   profile FILE  another profile, whose schedule starts
 *   restart       the schedule starts over */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command-line.h"
#include "control-lines.h"
#include "real-time.h"
#include "relay-forwarder.h"

/* Between two rounds of the loop.  Packets that come closer together than this
 * are moved in batches: at 100 Mbit/s that saves half of the CPU time, and
 * no packet is later than this by it. */
#define MIN_PAUSE (200 * TFRC_MICROSECOND)

typedef struct
{
  const char *profile;
  const char *listen[RELAY_MAX_PAIRS];
  const char *to[RELAY_MAX_PAIRS];
  const char *bind;
  const char *log;
  const char *drops;
  const char *control;
  double seconds; /* 0: until a signal */
  uint64_t seed;
  bool wait; /* schedule and --seconds begin with a packet */
} Options;

static const char usage[] =
    "Usage: tfrc-relay --profile FILE --listen PORT --to HOST:PORT [OPTIONS]\n"
    "  --listen2 PORT --to2 HOST:PORT  a second pair on the same link (RTCP)\n"
    "  --bind ADDRESS    where to listen (default: loopback; :: = everywhere;\n"
    "                    a multicast group is joined on the loopback)\n"
    "  --seconds N       end after N s; shares in the profile refer to it\n"
    "  --wait            schedule and --seconds begin with the first packet\n"
    "  --seed N          of the random impairments (default 1)\n"
    "  --log FILE        CSV, a row each 10 ms\n"
    "  --drops FILE      CSV, a row for each packet that the link lost\n"
    "  --control -|PATH  live changes from stdin, or a unix datagram socket\n";

static void
set_option (Options *options, int c, const char *value)
{
  switch (c) {
    case 'p':
      options->profile = value;
      break;
    case 'l':
    case 'L':
      options->listen[c == 'L'] = value;
      break;
    case 't':
    case 'T':
      options->to[c == 'T'] = value;
      break;
    case 'b':
      options->bind = value;
      break;
    case 's':
      options->seconds = command_line_parse_number ("--seconds", value, 1e6);
      break;
    case 'w':
      options->wait = true;
      break;
    case 'r':
      options->seed = (uint64_t) command_line_parse_number ("--seed", value,
          1e15);
      break;
    case 'o':
      options->log = value;
      break;
    case 'd':
      options->drops = value;
      break;
    case 'c':
      options->control = value;
      break;
    case 'h':
      fputs (usage, stdout);
      exit (EXIT_SUCCESS);
    default:
      exit (EXIT_USAGE); /* getopt said which */
  }
}

static void
parse_options (Options *options, int argc, char **argv)
{
  static const struct option names[] = {
    { "profile", required_argument, NULL, 'p' },
    { "listen", required_argument, NULL, 'l' },
    { "to", required_argument, NULL, 't' },
    { "listen2", required_argument, NULL, 'L' },
    { "to2", required_argument, NULL, 'T' },
    { "bind", required_argument, NULL, 'b' },
    { "seconds", required_argument, NULL, 's' },
    { "wait", no_argument, NULL, 'w' },
    { "seed", required_argument, NULL, 'r' },
    { "log", required_argument, NULL, 'o' },
    { "drops", required_argument, NULL, 'd' },
    { "control", required_argument, NULL, 'c' },
    { "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
  };
  int c;

  while ((c = getopt_long (argc, argv, "", names, NULL)) != -1)
    set_option (options, c, optarg);
  if (optind < argc)
    command_line_refuse ("unexpected argument '%s'", argv[optind]);
  if (options->profile == NULL || options->listen[0] == NULL
      || options->to[0] == NULL)
    command_line_refuse ("%s are required", "--profile, --listen and --to");
  if ((options->listen[1] == NULL) != (options->to[1] == NULL))
    command_line_refuse ("%s need each other", "--listen2 and --to2");
}

static void
open_pairs (RelayForwarder *relay, const Options *options)
{
  char error[RELAY_ERROR_SIZE];
  RelayAddress target;
  RelayPair *pair;
  uint16_t port;
  unsigned i;

  for (i = 0; i < RELAY_MAX_PAIRS && options->to[i] != NULL; i++) {
    pair = &relay->pairs[relay->n_pairs++];
    if (!relay_address_resolve (&target, options->to[i], error))
      command_line_refuse ("%s", error);
    pair->target_fd = relay_socket_connect (&target, error);
    if (pair->target_fd < 0)
      command_line_refuse ("%s", error);
    port = (uint16_t) command_line_parse_number ("--listen", options->listen[i],
        65535);
    pair->listen_fd = relay_socket_listen (options->bind,
        target.storage.ss_family, &port, error);
    if (pair->listen_fd < 0)
      command_line_refuse ("%s", error);
    pair->port = port;
  }
}

/* Who waits for this line finds everything open. */
static void
print_ports (const RelayForwarder *relay)
{
  unsigned i;

  fputs ("listening", stdout);
  for (i = 0; i < relay->n_pairs; i++)
    printf (" %u", (unsigned) relay->pairs[i].port);
  fputc ('\n', stdout);
  fflush (stdout);
}

static TfrcTime
next_deadline (const RelayForwarder *relay, const RelayLog *log)
{
  return tfrc_time_min (relay_forwarder_next_deadline (relay),
      log->next_row_at);
}

static void
restart_schedule (RelayForwarder *relay, TfrcTime now)
{
  link_model_restart_schedule (relay->links[RELAY_FORWARD], now);
  link_model_restart_schedule (relay->links[RELAY_BACK], now);
  relay_log_schedule (relay->log, now);
}

static void
use_profile (RelayForwarder *relay, const LinkProfile *profile, TfrcTime now)
{
  link_model_set_config (relay->links[RELAY_FORWARD], &profile->forward, now);
  link_model_set_config (relay->links[RELAY_BACK], &profile->back, now);
}

static bool
change_profile (RelayForwarder *relay, const char *path, double seconds,
    char error[LINK_PROFILE_ERROR_SIZE], TfrcTime now)
{
  LinkProfile loaded;

  if (!link_profile_load (&loaded, path, seconds, error))
    return false;
  use_profile (relay, &loaded, now);
  link_profile_clear (&relay->profile);
  relay->profile = loaded;
  restart_schedule (relay, now);
  return true;
}

static void
obey (RelayForwarder *relay, const char *line, double seconds, TfrcTime now)
{
  static const char profile[] = "profile ";
  char error[LINK_PROFILE_ERROR_SIZE];
  bool ok = true;

  if (strcmp (line, "restart") == 0)
    restart_schedule (relay, now);
  else if (strncmp (line, profile, strlen (profile)) == 0)
    ok = change_profile (relay, line + strlen (profile), seconds, error, now);
  else if ((ok = link_profile_change (&relay->profile, line, error)))
    use_profile (relay, &relay->profile, now);
  if (!ok)
    fprintf (stderr, "tfrc-relay: %s\n", error);
}

static void
run (RelayForwarder *relay, RelayLog *log, const Options *options,
    ControlLines *control)
{
  /* Sockets of pair i: 2 i listens, 2 i + 1 hears the target. */
  struct pollfd fds[2 * RELAY_MAX_PAIRS + 1];
  nfds_t n_fds = 2 * relay->n_pairs, i;
  const char *line;
  TfrcDuration length = options->seconds > 0.0
      ? tfrc_duration_from_seconds (options->seconds)
      : TFRC_TIME_NONE;
  bool waiting = options->wait;
  TfrcTime now = log->origin;
  TfrcTime end_at = waiting ? TFRC_TIME_NONE : tfrc_time_add (now, length);

  for (i = 0; i < n_fds; i++)
    fds[i].fd = i % 2 ? relay->pairs[i / 2].target_fd
                      : relay->pairs[i / 2].listen_fd;
  for (i = 0; i <= n_fds; i++)
    fds[i].events = POLLIN;

  while (!real_time_is_over () && now < end_at) {
    fds[n_fds].fd = control->fd; /* poll skips a negative one */
    if (!real_time_wait (tfrc_time_add (now, MIN_PAUSE),
            tfrc_time_min (end_at, next_deadline (relay, log)), fds, n_fds + 1))
      continue; /* a signal */
    now = real_time_now ();
    for (i = 0; i < n_fds; i++) {
      if (fds[i].revents == 0)
        continue;
      if (waiting && i % 2 == 0) {
        waiting = false;
        end_at = tfrc_time_add (now, length);
        restart_schedule (relay, now);
      }
      relay_forwarder_receive (relay, (unsigned) i / 2, i % 2, now);
    }
    if (fds[n_fds].revents != 0)
      control_lines_read (control);
    while ((line = control_lines_next (control)) != NULL)
      obey (relay, line, options->seconds, now);
    now = real_time_now ();
    relay_forwarder_send (relay, now);
    relay_log_on_time (log, relay->links[RELAY_FORWARD],
        relay->links[RELAY_BACK], now);
  }
}

int
main (int argc, char **argv)
{
  static RelayForwarder relay;
  static RelayLog log;
  char error[LINK_PROFILE_ERROR_SIZE];
  Options options = { .seed = 1 };
  const char *failed;
  ControlLines control;
  TfrcTime now;

  parse_options (&options, argc, argv);
  if (!link_profile_load (&relay.profile, options.profile, options.seconds,
          error))
    command_line_refuse ("%s", error);
  open_pairs (&relay, &options);
  if (!control_lines_open (&control, options.control))
    command_line_refuse ("cannot make the socket %s", options.control);
  real_time_prepare ();

  now = real_time_now ();
  if (!relay_log_open (&log, options.log, options.drops, now, &failed))
    command_line_refuse ("cannot write %s", failed);
  relay_forwarder_start (&relay, &log, options.seed, now);
  relay_log_schedule (&log, now);
  print_ports (&relay);
  run (&relay, &log, &options, &control);

  relay_log_print_summary (&log, stdout, relay.links[RELAY_FORWARD],
      relay.links[RELAY_BACK], real_time_now ());
  relay_log_close (&log);
  relay_forwarder_clear (&relay);
  link_profile_clear (&relay.profile);
  control_lines_close (&control);
  return EXIT_SUCCESS;
}
