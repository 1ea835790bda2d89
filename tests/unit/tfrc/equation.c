/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equation and its inverse, RFC 5348 sections 3.1 and 6.3.1. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfrc/equation.h"

#define MS TFRC_MILLISECOND

/* s = 1460, R = 0.1 s, b = 1; computed independently from the formula, t_RTO
 * of 4 R and of max (4 R, 1 s). */
static const struct
{
  double p;
  double rate; /* [bytes/s] */
  double rate_rto_1s;
} vectors[] = {
  { 0.00001, 5654046.821, 5653283.697 },
  { 0.0001, 1786519.644, 1784113.256 },
  { 0.001, 560411.702, 553012.392 },
  { 0.0025, 349754.453, 338576.751 },
  { 0.005, 241981.537, 227288.955 },
  { 0.01, 164005.062, 145883.849 },
  { 0.02, 106943.484, 86854.776 },
  { 0.03, 80794.748, 60927.262 },
  { 0.05, 53813.926, 36102.706 },
  { 0.1, 25843.490, 14243.213 },
  { 0.2, 7833.806, 3550.954 },
  { 0.3, 2844.771, 1200.684 },
  { 0.5, 609.348, 247.315 },
  { 1.0, 60.004, 24.050 },
};

#define N_VECTORS ((int) (sizeof vectors / sizeof vectors[0]))

START_TEST (rate_of_a_loss_event_rate)
{
  TfrcPath path = tfrc_path_rfc5348 (1460.0, 100 * MS);

  ck_assert_uint_eq (path.rto, 400 * MS);
  ck_assert_double_eq (path.packets_per_ack, 1.0);
  /* The vectors are rounded to 0.001 bytes/s. */
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, vectors[_i].p),
      vectors[_i].rate, 0.00051);
  path.rto = TFRC_SECOND;
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, vectors[_i].p),
      vectors[_i].rate_rto_1s, 0.00051);
}

END_TEST
START_TEST (no_loss_has_no_limit)
{
  TfrcPath path = tfrc_path_rfc5348 (1460.0, 100 * MS);

  ck_assert (isinf (tfrc_equation_rate (&path, 0.0)));
}

END_TEST
START_TEST (packets_per_rtt_at_certain_loss)
{
  /* f (1) = sqrt (2/3) + 12 sqrt (3/8) 33 = 243.315981: one packet in that
   * many RTTs. */
  TfrcPath path = tfrc_path_rfc5348 (1.0, TFRC_SECOND);

  ck_assert_double_eq_tol (1.0 / tfrc_equation_rate (&path, 1.0), 243.315981116,
      1e-9);
}

END_TEST
START_TEST (agrees_with_rfc4828_table_1)
{
  /* KB/s with headers at R = 0.1 s for 1460-byte packets (1500 with headers);
   * that table took sqrt (2/3) as 0.816, hence 0.15 %. */
  const double table[][2] = {
    { 0.00001, 5812.49 },
    { 0.001, 576.12 },
    { 0.01, 168.61 },
    { 0.1, 26.58 },
  };
  TfrcPath path = tfrc_path_rfc5348 (1500.0, 100 * MS);

  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    ck_assert_double_eq_tol (tfrc_equation_rate (&path, table[i][0]) / 1000.0,
        table[i][1], 0.0015 * table[i][1]);
}

END_TEST
START_TEST (delayed_acknowledgements_lower_the_rate)
{
  /* b = 2, p = 0.01: the formula with 2 b p / 3 = 0.013333 and 3 b p / 8 =
   * 0.0075: 0.1 * 0.115470 + 0.4 * 3 * 0.086603 * 0.01 * 1.0032 =
   * 0.0125896; 1460 / 0.0125896 = 115969. */
  TfrcPath path = tfrc_path_rfc5348 (1460.0, 100 * MS);

  path.packets_per_ack = 2.0;
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, 0.01), 115969.0, 1.0);
}

END_TEST
/* Largest X_recv, and the interval in packets that it stands for. */
static const struct
{
  double segment_size;
  TfrcDuration rtt;
  double rate;
  double p;
  double interval;
} inverses[] = {
  { 1460.0, 100 * MS, 146000.0, 0.0121727155, 82.150938 },
  { 1000.0, 50 * MS, 125000.0, 0.0252888185, 39.543168 },
  { 1460.0, 100 * MS, 1e6, 0.000317918097, 3145.464224 },
  { 1460.0, 100 * MS, 7300.0, 0.206428898, 4.844283 },
  { 1200.0, 200 * MS, 60000.0, 0.0121727155, 82.150938 },
};

#define N_INVERSES ((int) (sizeof inverses / sizeof inverses[0]))

START_TEST (loss_event_rate_of_a_rate)
{
  TfrcPath path = tfrc_path_rfc5348 (inverses[_i].segment_size,
      inverses[_i].rtt);
  double p = tfrc_equation_loss_event_rate (&path, inverses[_i].rate);

  /* Nine digits of p, and six decimals of the interval. */
  ck_assert_double_eq_tol (p, inverses[_i].p, 1e-9 * 0.5);
  ck_assert_double_eq_tol (1.0 / p, inverses[_i].interval, 0.6e-6);
}

END_TEST
START_TEST (inverse_takes_the_equation_back)
{
  TfrcPath path = tfrc_path_rfc5348 (1200.0, 37 * MS);

  for (double p = 1e-11; p < 1.0; p *= 1.7) {
    TfrcRate rate = tfrc_equation_rate (&path, p);

    ck_assert_double_eq_tol (tfrc_equation_loss_event_rate (&path, rate), p,
        1e-9 * p);
  }
}

END_TEST
START_TEST (rates_beyond_the_ends_give_the_ends)
{
  TfrcPath path = tfrc_path_rfc5348 (1200.0, 37 * MS);

  ck_assert_double_eq (tfrc_equation_loss_event_rate (&path, 0.0), 1.0);
  ck_assert_double_eq (tfrc_equation_loss_event_rate (&path, -1.0), 1.0);
  ck_assert_double_eq (tfrc_equation_loss_event_rate (&path, (double) NAN),
      1.0);
  ck_assert_double_eq (tfrc_equation_loss_event_rate (&path, 1.0), 1.0);
  ck_assert_double_eq (tfrc_equation_loss_event_rate (&path, (double) INFINITY),
      1e-12);
}

END_TEST
/* p times packets per RTT, p / (sqrt (2 b p / 3) + 12 sqrt (3 b p / 8) p (1 + 32
 * p^2)): Widmer and Handley 2001 appendix A has 0.13, which is with b = 2. */
static const struct
{
  double packets_per_ack, largest;
} loss_events[] = { { 1.0, 0.188 }, { 2.0, 0.1327 } };

START_TEST (loss_events_per_rtt_have_a_maximum)
{
  TfrcPath path = tfrc_path_rfc5348 (1.0, TFRC_SECOND);
  double largest = 0.0, at = 0.0;

  path.packets_per_ack = loss_events[_i].packets_per_ack;
  for (double p = 1e-4; p <= 1.0; p *= 1.001) {
    double per_rtt = p * tfrc_equation_rate (&path, p);

    if (per_rtt > largest) {
      largest = per_rtt;
      at = p;
    }
  }
  ck_assert_double_eq_tol (largest, loss_events[_i].largest, 5e-4);
  ck_assert_double_eq_tol (at, 0.066, 0.001);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-equation");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, rate_of_a_loss_event_rate, 0, N_VECTORS);
  tcase_add_test (tcase, no_loss_has_no_limit);
  tcase_add_test (tcase, packets_per_rtt_at_certain_loss);
  tcase_add_test (tcase, agrees_with_rfc4828_table_1);
  tcase_add_test (tcase, delayed_acknowledgements_lower_the_rate);
  tcase_add_loop_test (tcase, loss_event_rate_of_a_rate, 0, N_INVERSES);
  tcase_add_test (tcase, inverse_takes_the_equation_back);
  tcase_add_test (tcase, rates_beyond_the_ends_give_the_ends);
  tcase_add_loop_test (tcase, loss_events_per_rtt_have_a_maximum, 0,
      sizeof loss_events / sizeof loss_events[0]);
  return run_check_suite (suite);
}
