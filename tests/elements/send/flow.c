/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/flow.h"
#include "units.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define START_RATE 100000.0 /* bytes/s */
#define LIMIT 10000.0       /* bytes/s */

static void
begin (TfrcSendFlow *self)
{
  TfrcSendFlowConfig config = {
    .unicast = tfrc_sender_config_default (),
    .feedback = GST_RTP_TFRC_FEEDBACK_TFRC,
  };

  config.unicast.start_rate = START_RATE;
  tfrc_send_flow_init (self);
  tfrc_send_flow_start (self, &config);
  self->max_rate = INFINITY;
}

static void
assert_rate (gdouble found, gdouble expected)
{
  fail_unless (fabs (found - expected) < 1e-6 * expected, "%f and not %f",
      found, expected);
}

/* A second later 1/e of it is left, and then what may be sent is more. */
GST_START_TEST (the_rate_of_before_fades)
{
  TfrcSendFlow flow;
  TfrcTime now = TFRC_SECOND;

  begin (&flow);
  assert_rate (tfrc_send_flow_get_recent_rate (&flow, now), START_RATE);
  tfrc_send_flow_set_rate_limit (&flow, LIMIT);
  assert_rate (tfrc_send_flow_get_recent_rate (&flow, now), START_RATE);
  now += TFRC_SECOND;
  assert_rate (tfrc_send_flow_get_recent_rate (&flow, now), START_RATE / M_E);
  now += 2 * TFRC_SECOND;
  assert_rate (tfrc_send_flow_get_recent_rate (&flow, now), LIMIT);
  tfrc_send_flow_clear (&flow);
}

GST_END_TEST;

/* Of another path, inside TCP and behind it. */
GST_START_TEST (the_rate_of_before_is_of_this_path)
{
  TfrcSendFlow flow;
  const TfrcTime now = TFRC_SECOND;

  begin (&flow);
  tfrc_send_flow_get_recent_rate (&flow, now);
  tfrc_send_flow_set_rate_limit (&flow, LIMIT);
  tfrc_send_flow_begin_path (&flow);
  assert_rate (tfrc_send_flow_get_recent_rate (&flow, now), LIMIT);

  tfrc_send_flow_set_rate_limit (&flow, INFINITY);
  fail_unless (tfrc_send_flow_set_in_tcp (&flow, TRUE, now));
  fail_unless (tfrc_send_flow_get_recent_rate (&flow, now) > 10 * START_RATE);
  fail_unless (tfrc_send_flow_set_in_tcp (&flow, FALSE, now));
  assert_rate (tfrc_send_flow_get_recent_rate (&flow, now), START_RATE);
  tfrc_send_flow_clear (&flow);
}

GST_END_TEST;

static Suite *
flow_suite (void)
{
  Suite *suite = suite_create ("flow");
  TCase *tcase = tcase_create ("recent-rate");

  tcase_add_test (tcase, the_rate_of_before_fades);
  tcase_add_test (tcase, the_rate_of_before_is_of_this_path);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (flow);
