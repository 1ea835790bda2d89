/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linkemu: a router whose ports are TUN devices in network namespaces, with a
 * bad link on each of them.
 *
 *   linkemu --port alice --namespace ns1 --device net0 \
 *           --profile data/links/steady.link --route 10.0.1.0/24 \
 *           --port bob ...
 *
 * Options behind --port belong to that port.  Devices are made if they are not
 * there; addresses are the caller's.  Prints `ready` once all ports are open,
 * and a line of JSON when it ends (SIGTERM, SIGINT, --seconds).  Log and JSON:
 * emulator-log.h; routing, multicast: emulator.h; profiles: link-profile.h,
 * where the way forward is to the port.  Live control by lines on stdin
 * (--control -) or datagrams to a unix socket (--control PATH):
 *   PORT KEY VALUE   a key of the profile, e.g. `bob rate_kbit_s 300`
 *   restart          all schedules start over */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command-line.h"
#include "control-lines.h"
#include "emulator-log.h"
#include "real-time.h"
#include "tun-port.h"

/* Packets that come closer together than this are moved together, which saves
 * half of the CPU time at 100 Mbit/s. */
#define MIN_PAUSE (100 * TFRC_MICROSECOND)

typedef struct
{
  const char *namespace;
  const char *device;  /* default: the port's name */
  const char *profile; /* default: a link that changes nothing */
} PortOptions;

typedef struct
{
  PortOptions ports[ROUTER_MAX_PORTS];
  const char *log;
  const char *flows;
  const char *packets;
  const char *control;
  double seconds; /* 0: until a signal */
  uint64_t seed;
} Options;

static const char usage[] =
    "Usage: linkemu --port NAME [PORT OPTIONS] [--port NAME ...] [OPTIONS]\n"
    "Port options:\n"
    "  --namespace NAME  where its device is (ip netns; or a path)\n"
    "  --device NAME     default: the name of the port\n"
    "  --profile FILE    the link; `rate_kbit_s` is to the port\n"
    "  --route PREFIX    what is behind the port; can be repeated\n"
    "Options:\n"
    "  --seconds N       end after N s; shares in profiles refer to it\n"
    "  --seed N          of the random impairments (default 1)\n"
    "  --log FILE        CSV, a row each 100 ms for each port and direction\n"
    "  --flows FILE      CSV, the same for each flow\n"
    "  --packets FILE    CSV, a row for each packet that came to a queue\n"
    "  --control -|PATH  live changes from stdin, or a unix datagram socket\n";

static void
set_port_option (Emulator *emulator, Options *options, int c, const char *value)
{
  PortOptions *port;

  if (emulator->n_ports == 0)
    command_line_refuse ("%s: behind a --port only", value);
  port = &options->ports[emulator->n_ports - 1];
  if (c == 'n')
    port->namespace = value;
  else if (c == 'd')
    port->device = value;
  else if (c == 'f')
    port->profile = value;
  else if (!router_add_route (&emulator->router, value, emulator->n_ports - 1))
    command_line_refuse ("--route %s: no prefix, or too many", value);
}

static void
set_option (Emulator *emulator, Options *options, int c, const char *value)
{
  switch (c) {
    case 'p':
      if (emulator->n_ports == ROUTER_MAX_PORTS)
        command_line_refuse ("%s: too many ports", value);
      emulator->ports[emulator->n_ports++].name = value;
      break;
    case 's':
      options->seconds = command_line_parse_number ("--seconds", value, 1e6);
      break;
    case 'S':
      options->seed = (uint64_t) command_line_parse_number ("--seed", value,
          1e15);
      break;
    case 'l':
      options->log = value;
      break;
    case 'F':
      options->flows = value;
      break;
    case 'P':
      options->packets = value;
      break;
    case 'c':
      options->control = value;
      break;
    case 'h':
      fputs (usage, stdout);
      exit (EXIT_SUCCESS);
    case '?':
      exit (EXIT_USAGE); /* getopt said which */
    default:
      set_port_option (emulator, options, c, value);
  }
}

static void
parse_options (Emulator *emulator, Options *options, int argc, char **argv)
{
  static const struct option names[] = {
    { "port", required_argument, NULL, 'p' },
    { "namespace", required_argument, NULL, 'n' },
    { "device", required_argument, NULL, 'd' },
    { "profile", required_argument, NULL, 'f' },
    { "route", required_argument, NULL, 'r' },
    { "seconds", required_argument, NULL, 's' },
    { "seed", required_argument, NULL, 'S' },
    { "log", required_argument, NULL, 'l' },
    { "flows", required_argument, NULL, 'F' },
    { "packets", required_argument, NULL, 'P' },
    { "control", required_argument, NULL, 'c' },
    { "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
  };
  int c;

  while ((c = getopt_long (argc, argv, "", names, NULL)) != -1)
    set_option (emulator, options, c, optarg);
  if (optind < argc)
    command_line_refuse ("unexpected argument '%s'", argv[optind]);
  if (emulator->n_ports == 0)
    command_line_refuse ("%s is required", "--port");
}

static void
open_ports (Emulator *emulator, const Options *options)
{
  char error[LINK_PROFILE_ERROR_SIZE];
  const PortOptions *port;
  EmulatorPort *opened;
  unsigned i;

  for (i = 0; i < emulator->n_ports; i++) {
    port = &options->ports[i];
    opened = &emulator->ports[i];
    link_config_init (&opened->profile.forward);
    link_config_init (&opened->profile.back);
    if (port->profile != NULL
        && !link_profile_load (&opened->profile, port->profile,
            options->seconds, error))
      command_line_refuse ("%s", error);
    opened->fd =
        tun_port_open (port->device != NULL ? port->device : opened->name,
            port->namespace, error);
    if (opened->fd < 0)
      command_line_refuse ("%s", error);
  }
}

static void
obey (Emulator *emulator, ControlLines *control, TfrcTime now)
{
  char error[LINK_PROFILE_ERROR_SIZE];
  const char *line;

  while ((line = control_lines_next (control)) != NULL) {
    if (!emulator_obey (emulator, line, error, now))
      fprintf (stderr, "linkemu: %s\n", error);
  }
}

static void
run (Emulator *emulator, EmulatorLog *log, const Options *options,
    ControlLines *control)
{
  struct pollfd fds[ROUTER_MAX_PORTS + 1];
  unsigned n_ports = emulator->n_ports, i;
  TfrcTime now = log->origin, deadline;
  TfrcTime end_at = options->seconds > 0.0
      ? tfrc_time_add (now, tfrc_duration_from_seconds (options->seconds))
      : TFRC_TIME_NONE;

  for (i = 0; i < n_ports; i++)
    fds[i].fd = emulator->ports[i].fd;
  for (i = 0; i <= n_ports; i++)
    fds[i].events = POLLIN;

  while (!real_time_is_over () && now < end_at) {
    fds[n_ports].fd = control->fd; /* poll skips a negative one */
    deadline = tfrc_time_min (emulator_next_deadline (emulator),
        log->next_tick_at);
    if (!real_time_wait (tfrc_time_add (now, MIN_PAUSE),
            tfrc_time_min (deadline, end_at), fds, n_ports + 1))
      continue; /* a signal */
    now = real_time_now ();
    for (i = 0; i < n_ports; i++) {
      if (fds[i].revents != 0)
        emulator_receive (emulator, i, now);
    }
    if (fds[n_ports].revents != 0)
      control_lines_read (control);
    now = real_time_now ();
    emulator_advance (emulator, now);
    obey (emulator, control, now);
    emulator_log_on_time (log, emulator, now);
  }
}

int
main (int argc, char **argv)
{
  static Emulator emulator;
  EmulatorLog log;
  Options options = { .seed = 1 };
  ControlLines control;
  TfrcTime now;

  parse_options (&emulator, &options, argc, argv);
  open_ports (&emulator, &options);
  if (!control_lines_open (&control, options.control))
    command_line_refuse ("cannot make the socket %s", options.control);
  real_time_prepare ();

  now = real_time_now ();
  if (!emulator_log_open (&log, options.log, options.flows, options.packets,
          now))
    command_line_refuse ("cannot write %s", strerror (errno));
  if (options.packets != NULL) {
    emulator.on_arrival = emulator_log_on_arrival;
    emulator.on_arrival_user = &log;
  }
  emulator_start (&emulator, options.seed, now);
  puts ("ready");
  fflush (stdout);
  run (&emulator, &log, &options, &control);

  emulator_log_print_summary (&log, &emulator, stdout, real_time_now ());
  emulator_log_close (&log);
  emulator_clear (&emulator);
  control_lines_close (&control);
  return EXIT_SUCCESS;
}
