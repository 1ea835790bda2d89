/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses link profiles line by line, by a table of keys. */
#include "link-profile.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACK_PREFIX "back_"
#define UNLIMITED "unlimited"
#define MESSAGE_SIZE 192

typedef enum
{
  VALUE_RATE,        /* kbit/s -> TfrcRate */
  VALUE_MS,          /* ms -> TfrcDuration */
  VALUE_SECONDS,     /* s -> TfrcDuration */
  VALUE_BYTES,       /* size_t */
  VALUE_COUNT,       /* size_t */
  VALUE_PROBABILITY, /* double */
  VALUE_FLAG,        /* 0 or 1 -> bool */
} ValueKind;

typedef struct
{
  const char *name;
  ValueKind kind;
  bool may_be_unlimited;
  size_t offset; /* into LinkConfig */
} LinkKey;

static const LinkKey keys[] = {
#define KEY(name, kind, unlimited, field) \
  { name, kind, unlimited, offsetof (LinkConfig, field) }
  KEY ("rate_kbit_s", VALUE_RATE, true, rate),
  KEY ("queue_ms", VALUE_MS, true, queue_limit),
  KEY ("queue_bytes", VALUE_BYTES, true, queue_limit_bytes),
  KEY ("queue_packets", VALUE_COUNT, true, queue_limit_packets),
  KEY ("red_min_ms", VALUE_MS, false, red.min),
  KEY ("red_max_ms", VALUE_MS, false, red.max),
  KEY ("red_share", VALUE_PROBABILITY, false, red.share),
  KEY ("red_weight", VALUE_PROBABILITY, false, red.weight),
  KEY ("ecn", VALUE_FLAG, false, ecn),
  KEY ("ramp_min_ms", VALUE_MS, false, ramp_min),
  KEY ("ramp_max_ms", VALUE_MS, false, ramp_max),
  KEY ("delay_ms", VALUE_MS, false, delay),
  KEY ("jitter_ms", VALUE_MS, false, jitter),
  KEY ("jitter_reorders", VALUE_FLAG, false, jitter_reorders),
  KEY ("loss", VALUE_PROBABILITY, false, loss),
  KEY ("ge_enter", VALUE_PROBABILITY, false, ge_enter),
  KEY ("ge_leave", VALUE_PROBABILITY, false, ge_leave),
  KEY ("ge_loss", VALUE_PROBABILITY, false, ge_loss),
  KEY ("duplicate", VALUE_PROBABILITY, false, duplicate),
  KEY ("reorder", VALUE_PROBABILITY, false, reorder),
  KEY ("reorder_delay_ms", VALUE_MS, false, reorder_delay),
  KEY ("reorder_packets", VALUE_COUNT, false, reorder_packets),
  KEY ("repeat_s", VALUE_SECONDS, false, repeat),
#undef KEY
};

#define N_KEYS (sizeof keys / sizeof keys[0])

static const struct
{
  double scale; /* from the file's unit to ours */
  double max;   /* in the file's unit */
  const char *range;
} kinds[] = {
  [VALUE_RATE] = { 125.0, 1e8, "0 to 1e8, or unlimited" },
  [VALUE_MS] = { 1e6, 1e6, "0 to 1e6 ms" },
  [VALUE_SECONDS] = { 1e9, 1e6, "0 to 1e6 s" },
  [VALUE_BYTES] = { 1.0, 1e12, "0 to 1e12 bytes" },
  [VALUE_COUNT] = { 1.0, 1e9, "0 to 1e9" },
  [VALUE_PROBABILITY] = { 1.0, 1.0, "0 to 1" },
  [VALUE_FLAG] = { 1.0, 1.0, "0 or 1" },
};

typedef struct
{
  LinkProfile *profile;
  const char *path; /* NULL: a live change */
  double run_seconds;
  uint64_t seen; /* one bit per key, the back_ ones behind */
  char *error;   /* what is wrong with the line */
} Parser;

static bool
fail (Parser *parser, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  vsnprintf (parser->error, MESSAGE_SIZE, format, args);
  va_end (args);
  return false;
}

static bool
parse_trace (Parser *parser, const char *name, const char *file)
{
  bool is_back = *name == *BACK_PREFIX;
  LinkProfile *profile = parser->profile;
  LinkConfig *config = is_back ? &profile->back : &profile->forward;
  char path[1024], why[LINK_TRACE_ERROR_SIZE];
  const char *slash;
  int folder_size;

  if (parser->path == NULL)
    return fail (parser, "%s: not while it runs", name);
  if (profile->traces[is_back] != NULL)
    return fail (parser, "%s: given twice", name);
  slash = *file == '/' ? NULL : strrchr (parser->path, '/');
  folder_size = slash != NULL ? (int) (slash + 1 - parser->path) : 0;
  if (snprintf (path, sizeof path, "%.*s%s", folder_size, parser->path, file)
      >= (int) sizeof path)
    return fail (parser, "%s: path too long", name);
  profile->traces[is_back] = link_trace_load (path, why);
  if (profile->traces[is_back] == NULL)
    return fail (parser, "%s: %.60s: %s", name, file, why);
  config->trace = profile->traces[is_back];
  return true;
}

/* A decimal number, no hex, inf or nan.  With a point, as long as the program
 * stays in the C locale, where every program starts. */
static bool
parse_number (const char *text, const char **end, double *number)
{
  char *tail;

  if (text[strspn (text, "+-.0123456789eE%")] != '\0')
    return false;
  *number = strtod (text, &tail);
  *end = tail;
  return tail != text;
}

static bool
parse_value (Parser *parser, const LinkKey *key, const char *name,
    const char *text, void *field)
{
  bool unlimited = strcmp (text, UNLIMITED) == 0;
  const char *end = text;
  double number = 0.0;

  if (unlimited && !key->may_be_unlimited)
    return fail (parser, "%s: cannot be unlimited", name);
  if (!unlimited && (!parse_number (text, &end, &number) || *end != '\0'))
    return fail (parser, "%s: '%.40s' is no number", name, text);
  if (!(number >= 0.0 && number <= kinds[key->kind].max)
      || (key->kind == VALUE_FLAG && number != floor (number)))
    return fail (parser, "%s: %.40s is not in %s", name, text,
        kinds[key->kind].range);

  number *= kinds[key->kind].scale;
  switch (key->kind) {
    case VALUE_RATE:
      *(TfrcRate *) field = unlimited ? INFINITY : number;
      break;
    case VALUE_MS:
    case VALUE_SECONDS:
      *(TfrcDuration *) field = unlimited
          ? TFRC_TIME_NONE
          : (TfrcDuration) (number + 0.5);
      break;
    case VALUE_BYTES:
    case VALUE_COUNT:
      *(size_t *) field = unlimited ? LINK_UNLIMITED_BYTES : (size_t) number;
      break;
    case VALUE_PROBABILITY:
      *(double *) field = number;
      break;
    case VALUE_FLAG:
      *(bool *) field = number > 0.0;
      break;
  }
  return true;
}

static const LinkKey *
find_key (const char *name, bool *is_back)
{
  size_t i;

  *is_back = strncmp (name, BACK_PREFIX, strlen (BACK_PREFIX)) == 0;
  if (*is_back)
    name += strlen (BACK_PREFIX);
  for (i = 0; i < N_KEYS; i++) {
    if (strcmp (name, keys[i].name) == 0)
      return &keys[i];
  }
  return NULL;
}

static bool
parse_setting (Parser *parser, const char *name, const char *value)
{
  static const LinkKey bytes_key = { .kind = VALUE_BYTES };
  LinkConfig *config;
  const LinkKey *key;
  bool is_back;
  uint64_t bit;

  if (strcmp (name, "overhead_bytes") == 0)
    return parse_value (parser, &bytes_key, name, value,
        &parser->profile->overhead);
  if (strcmp (name, "mtu_bytes") == 0)
    return parse_value (parser, &bytes_key, name, value, &parser->profile->mtu);
  if (strcmp (name, "trace") == 0 || strcmp (name, BACK_PREFIX "trace") == 0)
    return parse_trace (parser, name, value);
  key = find_key (name, &is_back);
  if (key == NULL)
    return fail (parser, "%s: no such key", name);
  bit = UINT64_C (1) << ((unsigned) (key - keys) + (is_back ? N_KEYS : 0));
  if (parser->seen & bit)
    return fail (parser, "%s: given twice", name);
  parser->seen |= bit;
  config = is_back ? &parser->profile->back : &parser->profile->forward;
  return parse_value (parser, key, name, value, (char *) config + key->offset);
}

/* SECONDS, SHARE% or SHARE%+SECONDS. */
static bool
parse_time (Parser *parser, const char *text, TfrcTime *at)
{
  const char *end;
  double seconds, more = 0.0;

  if (!parse_number (text, &end, &seconds))
    return fail (parser, "at: %s: no time", text);
  if (*end == '%') {
    seconds *= parser->run_seconds / 100.0;
    end++;
    if (*end == '+' && !parse_number (end + 1, &end, &more))
      return fail (parser, "at: %s: no time", text);
  }
  seconds += more;
  if (*end != '\0' || !(seconds >= 0.0 && seconds <= 1e6))
    return fail (parser, "at: %s: no time", text);
  *at = tfrc_duration_from_seconds (seconds);
  return true;
}

static bool
parse_step (Parser *parser, char *time, char *name, char *value)
{
  LinkConfig *config;
  const LinkKey *key;
  LinkStep *step;
  bool is_back;

  key = find_key (name, &is_back);
  if (key == NULL || key->kind != VALUE_RATE)
    return fail (parser,
        "at: %s: only rate_kbit_s and back_rate_kbit_s change "
        "with time",
        name);
  config = is_back ? &parser->profile->back : &parser->profile->forward;
  if (config->n_steps == LINK_MAX_STEPS)
    return fail (parser, "at: more than %d steps", LINK_MAX_STEPS);
  step = &config->steps[config->n_steps];
  if (!parse_time (parser, time, &step->at)
      || !parse_value (parser, key, name, value, &step->rate))
    return false;
  if (config->n_steps > 0 && step->at < step[-1].at)
    return fail (parser, "at: %s: earlier than the step before", time);
  config->n_steps++;
  return true;
}

/* The next word of *rest, cut off with a null byte; "" at the end. */
static char *
next_word (char **rest)
{
  char *word = *rest + strspn (*rest, " \t\r\n");
  size_t size = strcspn (word, " \t\r\n");

  *rest = word + size;
  if (**rest != '\0')
    *(*rest)++ = '\0';
  return word;
}

static bool
parse_line (Parser *parser, char *line)
{
  char *comment = strchr (line, '#'), *rest = line;
  char *name, *value, *step_key = NULL, *step_value = NULL;
  bool is_step;

  if (comment != NULL) {
    *comment++ = '\0';
    comment += strspn (comment, " ");
    comment[strcspn (comment, "\r\n")] = '\0';
    if (parser->profile->description[0] == '\0')
      snprintf (parser->profile->description,
          sizeof parser->profile->description, "%s", comment);
  }
  name = next_word (&rest);
  if (*name == '\0')
    return true;
  value = next_word (&rest);
  is_step = strcmp (name, "at") == 0;
  if (is_step) {
    step_key = next_word (&rest);
    step_value = next_word (&rest);
  }
  if (*value == '\0' || (is_step && *step_value == '\0'))
    return fail (parser, "%s: value missing", name);
  if (*next_word (&rest) != '\0')
    return fail (parser, "%s: one value only", name);
  return is_step ? parse_step (parser, value, step_key, step_value)
                 : parse_setting (parser, name, value);
}

/* What no single line tells. */
static bool
check_profile (Parser *parser)
{
  LinkProfile *profile = parser->profile;
  const LinkConfig *configs[] = { &profile->forward, &profile->back };
  const LinkConfig *config;
  unsigned i;

  if (profile->back.delay == TFRC_TIME_NONE)
    profile->back.delay = profile->forward.delay;
  for (i = 0; i < 2; i++) {
    config = configs[i];
    if (config->trace != NULL && (isfinite (config->rate) || config->n_steps))
      return fail (parser, "%strace: not beside a rate",
          i == 1 ? BACK_PREFIX : "");
    if (config->repeat > 0 && config->n_steps > 0
        && config->repeat <= config->steps[config->n_steps - 1].at)
      return fail (parser, "%srepeat_s: not after the last step",
          i == 1 ? BACK_PREFIX : "");
    if (config->red.max > 0 && config->red.max <= config->red.min)
      return fail (parser, "%sred_max_ms: not above red_min_ms",
          i == 1 ? BACK_PREFIX : "");
    if (config->ramp_max > 0 && config->ramp_max < config->ramp_min)
      return fail (parser, "%sramp_max_ms: below ramp_min_ms",
          i == 1 ? BACK_PREFIX : "");
    if (config->ge_enter > 0.0 && config->ge_leave <= 0.0)
      return fail (parser, "%sge_leave: 0, the bad state would never end",
          i == 1 ? BACK_PREFIX : "");
  }
  return true;
}

bool
link_profile_load (LinkProfile *self, const char *path, double run_seconds,
    char error[LINK_PROFILE_ERROR_SIZE])
{
  char line[512], message[MESSAGE_SIZE];
  Parser parser = { .profile = self, .path = path, .error = message };
  FILE *file = fopen (path, "r");
  unsigned n = 0;
  bool ok = true;

  parser.run_seconds = run_seconds > 0.0 ? run_seconds : LINK_PROFILE_SECONDS;
  memset (self, 0, sizeof *self);
  link_config_init (&self->forward);
  link_config_init (&self->back);
  self->back.delay = TFRC_TIME_NONE; /* until the end of the file */
  if (file == NULL) {
    snprintf (error, LINK_PROFILE_ERROR_SIZE, "%s: %s", path, strerror (errno));
    return false;
  }
  while (ok && fgets (line, sizeof line, file) != NULL) {
    n++;
    if (strchr (line, '\n') == NULL && !feof (file))
      ok = fail (&parser, "line too long");
    else
      ok = parse_line (&parser, line);
  }
  if (ok && ferror (file))
    ok = fail (&parser, "%s", strerror (errno));
  fclose (file);
  ok = ok && check_profile (&parser);
  if (!ok) {
    snprintf (error, LINK_PROFILE_ERROR_SIZE, "%s:%u: %s", path, n, message);
    link_profile_clear (self);
  }
  return ok;
}

void
link_profile_clear (LinkProfile *self)
{
  unsigned i;

  for (i = 0; i < 2; i++) {
    link_trace_free (self->traces[i]);
    self->traces[i] = NULL;
  }
}

bool
link_profile_change (LinkProfile *self, const char *line,
    char error[LINK_PROFILE_ERROR_SIZE])
{
  LinkProfile changed = *self;
  Parser parser = { .profile = &changed, .error = error };
  char copy[512], *rest = copy, *name, *value;
  LinkConfig *config;
  bool is_back;

  snprintf (copy, sizeof copy, "%s", line);
  name = next_word (&rest);
  value = next_word (&rest);
  if (*name == '\0' || *value == '\0' || *next_word (&rest) != '\0')
    return fail (&parser, "'%.60s': expected KEY VALUE", line);
  if (!parse_setting (&parser, name, value))
    return false;
  if (strstr (name, "rate_kbit_s") != NULL) {
    find_key (name, &is_back);
    config = is_back ? &changed.back : &changed.forward;
    config->n_steps = 0;
    config->trace = NULL;
  }
  if (!check_profile (&parser))
    return false;
  *self = changed;
  return true;
}
