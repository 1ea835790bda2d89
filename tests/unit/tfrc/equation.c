/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equation and its inverse, RFC 5348 sections 3.1 and 6.3.1, and with
 * CUBIC's window of RFC 9438 section 5. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfrc/equation.h"

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
/* Largest X_recv, and the first loss interval in packets that it gives. */
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

END_TEST
/* RFC 9438 section 5.1: mean windows, where CUBIC's is above Reno's, from table 1
 * (R = 100 ms) and table 2 (10 ms), which are rounded. */
static const struct
{
  TfrcDuration rtt;
  double p, window;
} cubic_windows[] = {
  { 100 * MS, 1e-4, 187 },
  { 100 * MS, 1e-5, 1054 },
  { 100 * MS, 1e-6, 5926 },
  { 100 * MS, 1e-7, 33325 },
  { 100 * MS, 1e-8, 187400 },
  { 10 * MS, 1e-7, 5926 },
  { 10 * MS, 1e-8, 33325 },
};

START_TEST (cubic_has_the_windows_of_rfc9438)
{
  TfrcPath path = tfrc_path_rfc5348 (1200.0, cubic_windows[_i].rtt);
  double window;

  path.tcp = TFRC_TCP_CUBIC;
  window = tfrc_equation_rate (&path, cubic_windows[_i].p)
      * tfrc_duration_to_seconds (path.rtt) / 1200.0;
  ck_assert_double_eq_tol (window, cubic_windows[_i].window,
      0.001 * cubic_windows[_i].window);
}

END_TEST
/* The same by hand.  An epoch of section 4.2 takes the window from 0.7 W_max to W_max
 * by W_max - 0.4 (K - t)^3 in K = (0.3 W_max / 0.4)^(1/3), so its mean is 3.7/4 W_max;
 * and has 1/p packets, K / R times that.  R = 200 ms, p = 1e-4: W_max = 340.8 gives K =
 * 6.346 s, a mean of 315.2, and 31.73 * 315.2 = 10001 packets.  X = 315.2 s / R. */
START_TEST (cubics_rate_is_that_of_an_epoch)
{
  TfrcPath path = tfrc_path_rfc5348 (1200.0, 200 * MS);

  path.tcp = TFRC_TCP_CUBIC;
  /* t_RTO takes 0.2 %: 0.8 * 3 sqrt (3.75e-5) 1e-4 = 1.47e-6 of 634.5e-6 s. */
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, 1e-4),
      315.2 * 1200.0 / 0.2 / (1.0 + 1.47 / 634.5), 200.0);
}

END_TEST
/* RFC 9438 table 3: R = 100 ms, packets of 1500 bytes; two digits. */
static const struct
{
  double mbit, p;
} cubic_loss_rates[] = {
  { 10, 2.9e-4 },
  { 100, 1.4e-5 },
  { 1000, 6.3e-7 },
  { 10000, 2.9e-8 },
};

START_TEST (cubic_needs_the_loss_rates_of_rfc9438)
{
  TfrcPath path = tfrc_path_rfc5348 (1500.0, 100 * MS);
  double p = cubic_loss_rates[_i].p;

  path.tcp = TFRC_TCP_CUBIC;
  ck_assert_double_eq_tol (tfrc_equation_loss_event_rate (&path,
                               cubic_loss_rates[_i].mbit * 125000.0),
      p, 0.5 * pow (10.0, floor (log10 (p)) - 1.0));
}

END_TEST
/* R sqrt (2p/3) = R^(1/4) p^(3/4) / 1.054 where p = (1.054^2 * 2/3)^2 R^3 = 0.54850
 * R^3: at 200 ms 0.004388. */
START_TEST (cubic_is_reno_where_that_takes_more)
{
  TfrcPath reno = tfrc_path_rfc5348 (1200.0, 200 * MS), cubic = reno;

  cubic.tcp = TFRC_TCP_CUBIC;
  for (double p = 0.00439; p <= 1.0; p *= 1.1)
    ck_assert_double_eq (tfrc_equation_rate (&cubic, p),
        tfrc_equation_rate (&reno, p));
  ck_assert_double_gt (tfrc_equation_rate (&cubic, 0.00438),
      tfrc_equation_rate (&reno, 0.00438));
}

END_TEST
/* The window of the test above, 315.2 packets, takes 400 ms if R has doubled since
 * the losses, and 100 if it has halved; with a quarter of R the window is that of
 * half of R, 187.2. */
START_TEST (cubics_window_is_that_of_the_rtt_at_losses)
{
  TfrcPath path = tfrc_path_rfc5348 (1200.0, 200 * MS);
  double window;

  path.tcp = TFRC_TCP_CUBIC;
  path.rtt *= 2;
  window = tfrc_equation_rate (&path, 1e-4) * 0.4 / 1200.0;
  ck_assert_double_eq_tol (window, 315.2, 0.4);
  path.rtt = 100 * MS;
  window = tfrc_equation_rate (&path, 1e-4) * 0.1 / 1200.0;
  ck_assert_double_eq_tol (window, 315.2, 2.0);
  path.rtt = 50 * MS;
  window = tfrc_equation_rate (&path, 1e-4) * 0.05 / 1200.0;
  ck_assert_double_eq_tol (window, 187.2, 1.0);
}

END_TEST
/* RFC 9438 section 4.8: timeouts are as in Reno.  R = 1 s, p = 0.3: sqrt (0.2) =
 * 0.447214, CUBIC's 0.3^(3/4) / 1.054 = 0.384592; timeouts 12 sqrt (0.1125) 0.3 *
 * 3.88 = 4.685010.  So 1200 / 5.069602 = 236.705, and not 3120 as for a CUBIC
 * without timeouts. */
START_TEST (timeouts_are_cubics_too)
{
  TfrcPath path = tfrc_path_rfc5348 (1200.0, TFRC_SECOND);

  path.tcp = TFRC_TCP_CUBIC;
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, 0.3), 236.705, 0.001);
}

END_TEST
/* The smallest double, whose power of 1.5 is 0. */
START_TEST (any_loss_event_rate_has_a_finite_rate)
{
  TfrcPath path = tfrc_path_rfc5348 (1460.0, 100 * MS);

  path.tcp = _i == 0 ? TFRC_TCP_RENO : TFRC_TCP_CUBIC;
  ck_assert (isfinite (tfrc_equation_rate (&path, 5e-324)));
}

END_TEST
START_TEST (inverse_takes_cubic_back)
{
  TfrcPath path = tfrc_path_rfc5348 (1200.0, 237 * MS);
  TfrcRate before = (double) INFINITY;

  path.tcp = TFRC_TCP_CUBIC;
  for (double p = 1e-11; p < 1.0; p *= 1.1) {
    TfrcRate rate = tfrc_equation_rate (&path, p);

    ck_assert_double_lt (rate, before);
    before = rate;
    ck_assert_double_eq_tol (tfrc_equation_loss_event_rate (&path, rate), p,
        1e-9 * p);
  }
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
  tcase_add_loop_test (tcase, cubic_has_the_windows_of_rfc9438, 0,
      sizeof cubic_windows / sizeof cubic_windows[0]);
  tcase_add_test (tcase, cubics_rate_is_that_of_an_epoch);
  tcase_add_loop_test (tcase, cubic_needs_the_loss_rates_of_rfc9438, 0,
      sizeof cubic_loss_rates / sizeof cubic_loss_rates[0]);
  tcase_add_test (tcase, cubic_is_reno_where_that_takes_more);
  tcase_add_test (tcase, cubics_window_is_that_of_the_rtt_at_losses);
  tcase_add_test (tcase, timeouts_are_cubics_too);
  tcase_add_loop_test (tcase, any_loss_event_rate_has_a_finite_rate, 0, 2);
  tcase_add_test (tcase, inverse_takes_cubic_back);
  return run_check_suite (suite);
}
