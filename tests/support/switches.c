/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/tfrc-sender.h"
#include "tfmcc/receiver.h"
#include "tfmcc/sender.h"
#include "tfrc/receiver.h"

/* A rule is off where its setting is 0, a bound where it is TFRC_TIME_NONE. */
typedef struct
{
  const char *name;
  const char *type; /* of the configuration that has the setting */
  size_t offset, size;
  int byte;   /* all of it when off */
  bool paper; /* what Widmer and Handley have; "all" leaves it on */
} Switch;

#define SETTING(name, Type, field, ...) \
  { name, #Type, offsetof (Type, field), sizeof (((Type *) NULL)->field), \
    __VA_ARGS__ }
#define SWITCH(name, Type, field) SETTING (name, Type, field, 0x00, false)
#define BOUND(name, Type, field) SETTING (name, Type, field, 0xFF, false)
#define PAPER(name, Type, field) SETTING (name, Type, field, 0x00, true)

/* One that both ends have stands here for each of them. */
static const Switch switches[] = {
  SWITCH ("cubic", TfrcSenderConfig, tcp),
  SWITCH ("cubic", TfrcReceiverConfig, tcp),
  SWITCH ("probes", TfrcSenderConfig, probe_interval),
  SWITCH ("nofeedback-minimum", TfrcSenderConfig, min_nofeedback_interval),
  BOUND ("credit", TfrcSenderConfig, max_credit),
  BOUND ("credit", TfmccSenderConfig, max_credit),
  SWITCH ("fast-return", TfrcSenderConfig, fast_return),
  SWITCH ("fast-return", TfrcReceiverConfig, fast_return),
  SWITCH ("outages", TfrcReceiverConfig, detect_outages),
  SWITCH ("recent-maximum", TfrcReceiverConfig, recent_maximum),
  SWITCH ("report-interval", TfrcReceiverConfig, min_feedback_interval),
  SWITCH ("receive-rate-clamp", TfrcSenderChecks, clamp_receive_rate),
  SWITCH ("reordering", TfrcReceiverConfig, adaptive_reordering),
  SWITCH ("reordering", TfmccReceiverConfig, adaptive_reordering),
  PAPER ("feedback-packets", TfmccReceiverConfig, suppression.packets),
  PAPER ("feedback-packets", TfmccSenderConfig, round.packets),
  SWITCH ("rise-by-time", TfmccSenderConfig, rise_by_time),
  SWITCH ("rise-by-segment", TfmccSenderConfig, rise_by_max_segment),
  SWITCH ("known-successor", TfmccSenderConfig, known_successor),
  SWITCH ("restart-rate", TfmccSenderConfig, restart_at_packet_per_rtt),
  SWITCH ("measured-max-rtt", TfmccSenderConfig, round.measured_max_rtt),
  SWITCH ("start-delay", TfmccSenderConfig, round.start_delay),
  SWITCH ("start-delay", TfmccReceiverConfig, start_delay),
  SWITCH ("restart-rtt", TfmccReceiverConfig, restart_rtt),
  SWITCH ("unused-rate", TfmccSenderConfig, bound_unused_rate),
  SWITCH ("data-limited-reports", TfmccSenderConfig, data_limited_reports),
  SWITCH ("frames-window", TfmccReceiverConfig, frames_window),
  SWITCH ("pause-window", TfmccReceiverConfig, pause_ends_window),
  SWITCH ("newest-max-rtt", TfmccReceiverConfig, newest_max_rtt),
  SWITCH ("clock-drift", TfmccReceiverConfig, clock_drift),
  SWITCH ("clr-timeout", TfmccSenderConfig, clr_timeout_by_packets),
  SWITCH ("unanswered-round", TfmccSenderConfig, halve_after_round),
  SWITCH ("clr-interval", TfmccSenderConfig, spaced_clr_reports),
  SWITCH ("clr-interval", TfmccReceiverConfig, spaced_clr_reports),
};

#define N_SWITCHES (sizeof switches / sizeof switches[0])

static bool off[N_SWITCHES];
static bool asked; /* for TFRC_WITHOUT */

static bool mark (bool *marks, const char *name, size_t length);
static void apply (const char *type, void *config);

bool
switches_turn_off (const char *names)
{
  bool marks[N_SWITCHES] = { false };

  asked = true;
  while (names != NULL && *names != '\0') {
    size_t length = strcspn (names, ",");

    if (!mark (marks, names, length))
      return false;
    names += length + (names[length] == ',');
  }
  memcpy (off, marks, sizeof off);
  return true;
}

const char *
switches_get_name (size_t number)
{
  for (size_t i = 0; i < N_SWITCHES; i++) {
    bool again = i > 0 && strcmp (switches[i].name, switches[i - 1].name) == 0;

    if (!again && number-- == 0)
      return switches[i].name;
  }
  return NULL;
}

bool
switches_is_of (const char *name, const char *protocol)
{
  for (size_t i = 0; i < N_SWITCHES; i++) {
    if (strcmp (switches[i].name, name) == 0
        && strncmp (switches[i].type, protocol, strlen (protocol)) == 0)
      return true;
  }
  return false;
}

static bool
mark (bool *marks, const char *name, size_t length)
{
  bool all = length == strlen ("all") && strncmp (name, "all", length) == 0;
  bool found = false;

  for (size_t i = 0; i < N_SWITCHES; i++) {
    if ((all && !switches[i].paper)
        || (strlen (switches[i].name) == length
            && strncmp (switches[i].name, name, length) == 0))
      marks[i] = found = true;
  }
  return found;
}

static void
apply (const char *type, void *config)
{
  const char *names = getenv ("TFRC_WITHOUT");

  if (!asked && !switches_turn_off (names)) {
    fprintf (stderr, "TFRC_WITHOUT: no such rule among \"%s\"\n", names);
    exit (2);
  }
  for (size_t i = 0; i < N_SWITCHES; i++) {
    if (off[i] && strcmp (switches[i].type, type) == 0)
      memset ((char *) config + switches[i].offset, switches[i].byte,
          switches[i].size);
  }
}

/* The linker's option --wrap sends calls of the core's function to the first,
 * and that calls it by the name of the second. */
#define WRAP(Type, function) \
  Type __wrap_##function (void); \
  Type __real_##function (void); \
\
  Type __wrap_##function (void) \
  { \
    Type config = __real_##function (); \
\
    apply (#Type, &config); \
    return config; \
  }

WRAP (TfrcSenderConfig, tfrc_sender_config_default)
WRAP (TfrcSenderChecks, tfrc_sender_checks_default)
WRAP (TfrcReceiverConfig, tfrc_receiver_config_default)
WRAP (TfmccSenderConfig, tfmcc_sender_config_default)
WRAP (TfmccReceiverConfig, tfmcc_receiver_config_default)
