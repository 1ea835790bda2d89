/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who a sender lets in that waits for its receiver, and when one says hello. */

#include "net/hello.h"

#include <gst/check/gstcheck.h>

#define START (1000 * TFRC_SECOND)
#define SSRC 0x12345678

static TfrcListener listener;

static TfrcListenerVerdict
hear (GstBuffer *rtcp, const gchar *host, TfrcTime now, guint64 *cookie)
{
  GSocketAddress *from = g_inet_socket_address_new_from_string (host, 5004);
  TfrcListenerVerdict verdict = tfrc_listener_on_rtcp (&listener, rtcp, from,
      now, cookie);

  gst_buffer_unref (rtcp);
  g_object_unref (from);
  return verdict;
}

static TfrcListenerVerdict
greet (const gchar *host, guint64 *cookie, TfrcTime now)
{
  return hear (tfrc_hello_new (TFRC_HELLO_FROM_RECEIVER, SSRC, *cookie), host,
      now, cookie);
}

/* An empty RR, and a BYE behind it. */
static GstBuffer *
make_rtcp (gboolean bye)
{
  static const guint8 data[] = { 0x80, 201, 0, 1, 1, 2, 3, 4, 0x81, 203, 0, 1,
    1, 2, 3, 4 };

  return gst_buffer_new_memdup (data, bye ? sizeof (data) : 8);
}

static void
say (const gchar *host, gboolean bye, TfrcTime now)
{
  guint64 unused;

  assert_equals_int (hear (make_rtcp (bye), host, now, &unused),
      TFRC_LISTENER_PASSES);
}

static guint64
ask (const gchar *host, TfrcTime now)
{
  guint64 cookie = 0;

  assert_equals_int (greet (host, &cookie, now), TFRC_LISTENER_ANSWERS);
  return cookie;
}

static void
assert_refused (const gchar *host, guint64 cookie, TfrcTime now)
{
  guint64 refused = listener.refused;

  assert_equals_int (greet (host, &cookie, now), TFRC_LISTENER_DROPS);
  assert_equals_uint64 (listener.refused, refused + 1);
}

static void
admit (const gchar *host, TfrcTime now)
{
  guint64 cookie = ask (host, now);

  assert_equals_int (greet (host, &cookie, now), TFRC_LISTENER_ADMITS);
  fail_unless (listener.receiver != NULL);
}

GST_START_TEST (a_hello_is_read_as_it_was_written_and_nothing_else_is)
{
  GstBuffer *hello = tfrc_hello_new (TFRC_HELLO_FROM_SENDER, SSRC, 7);
  GstBuffer *answer = tfrc_hello_new (TFRC_HELLO_FROM_RECEIVER, SSRC, 7);
  GstBuffer *other = make_rtcp (TRUE);
  guint64 cookie = 0;

  fail_unless (tfrc_hello_read (hello, TFRC_HELLO_FROM_SENDER, &cookie));
  assert_equals_uint64 (cookie, 7);
  fail_if (tfrc_hello_read (hello, TFRC_HELLO_FROM_RECEIVER, &cookie));
  assert_equals_uint64 (gst_buffer_get_size (hello),
      gst_buffer_get_size (answer));
  fail_if (tfrc_hello_read (other, TFRC_HELLO_FROM_SENDER, &cookie));
  for (guint i = 0; i < 4; i++) {
    gst_buffer_memset (answer, i, 0xff, 1);
    fail_if (tfrc_hello_read (answer, TFRC_HELLO_FROM_RECEIVER, &cookie));
    gst_buffer_unref (answer);
    answer = tfrc_hello_new (TFRC_HELLO_FROM_RECEIVER, SSRC, 7);
  }
  gst_buffer_resize (hello, 0, 16);
  fail_if (tfrc_hello_read (hello, TFRC_HELLO_FROM_SENDER, &cookie));
  gst_buffer_unref (hello);
  gst_buffer_unref (answer);
  gst_buffer_unref (other);
}

GST_END_TEST;

GST_START_TEST (who_returns_the_cookie_of_its_address_is_let_in)
{
  guint64 cookie;

  tfrc_listener_begin_run (&listener);
  cookie = ask ("192.0.2.1", START);
  fail_if (cookie == 0);
  assert_equals_uint64 (listener.answered, 1);
  /* From elsewhere it is worth nothing, and from there for so long. */
  fail_if (cookie == ask ("192.0.2.2", START));
  assert_equals_int (greet ("192.0.2.2", &(guint64) { cookie }, START),
      TFRC_LISTENER_ANSWERS);
  assert_equals_int (greet ("192.0.2.1", &(guint64) { cookie },
                         START + 40 * TFRC_SECOND),
      TFRC_LISTENER_ANSWERS);
  fail_unless (listener.receiver == NULL);
  assert_equals_int (greet ("192.0.2.1", &cookie, START + 10 * TFRC_SECOND),
      TFRC_LISTENER_ADMITS);
  /* A late one more is no other. */
  assert_equals_int (greet ("192.0.2.1", &cookie, START + 10 * TFRC_SECOND),
      TFRC_LISTENER_DROPS);
  assert_equals_uint64 (listener.refused, 0);
}

GST_END_TEST;

GST_START_TEST (a_cookie_of_the_run_before_is_worth_nothing)
{
  guint64 cookie;

  tfrc_listener_begin_run (&listener);
  cookie = ask ("192.0.2.1", START);
  tfrc_listener_begin_run (&listener);
  assert_equals_int (greet ("192.0.2.1", &cookie, START),
      TFRC_LISTENER_ANSWERS);
}

GST_END_TEST;

GST_START_TEST (while_the_receiver_is_heard_others_get_no_answer)
{
  TfrcTime now = START;
  guint64 cookie;

  tfrc_listener_begin_run (&listener);
  cookie = ask ("192.0.2.2", now);
  admit ("192.0.2.1", now);
  assert_refused ("192.0.2.2", cookie, now);
  now += TFRC_LISTENER_TIMEOUT - 1;
  say ("192.0.2.1", FALSE, now);
  say ("192.0.2.2", FALSE, now);
  assert_refused ("192.0.2.2", 0, now + TFRC_LISTENER_TIMEOUT - 1);
  admit ("192.0.2.2", now + TFRC_LISTENER_TIMEOUT);
}

GST_END_TEST;

GST_START_TEST (the_bye_of_the_receiver_lets_another_one_in)
{
  tfrc_listener_begin_run (&listener);
  admit ("192.0.2.1", START);
  say ("192.0.2.2", TRUE, START + 1);
  assert_refused ("192.0.2.2", 0, START + 1);
  say ("192.0.2.1", TRUE, START + 1);
  /* It was not its own. */
  say ("192.0.2.1", FALSE, START + 2);
  assert_refused ("192.0.2.2", 0, START + 2);
  say ("192.0.2.1", TRUE, START + 3);
  assert_refused ("192.0.2.2", 0, START + 3);
  admit ("192.0.2.2", START + 3 + TFRC_SECOND);
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_is_silent_is_lost)
{
  TfrcTime end = START + 1 + TFRC_LISTENER_TIMEOUT;
  GSocketAddress *lost;

  tfrc_listener_begin_run (&listener);
  fail_if (tfrc_listener_take_lost (&listener, START));
  admit ("192.0.2.1", START);
  say ("192.0.2.1", FALSE, START + 1);
  fail_if (tfrc_listener_take_lost (&listener, end - 1));
  lost = tfrc_listener_take_lost (&listener, end);
  fail_unless (lost != NULL);
  g_object_unref (lost);
  fail_if (tfrc_listener_take_lost (&listener, end));
  admit ("192.0.2.1", end);
}

GST_END_TEST;

GST_START_TEST (a_flood_of_one_address_is_answered_so_often)
{
  tfrc_listener_begin_run (&listener);
  for (guint i = 0; i < TFRC_LISTENER_SHARE; i++)
    ask ("192.0.2.66", START + i);
  for (guint i = 0; i < 2000; i++)
    assert_refused ("192.0.2.66", 0, START + TFRC_LISTENER_WINDOW - 1);
  ask ("192.0.2.66", START + TFRC_LISTENER_WINDOW);
}

GST_END_TEST;

GST_START_TEST (a_flood_of_many_addresses_is_answered_so_often)
{
  tfrc_listener_begin_run (&listener);
  for (guint i = 0; i < 40000; i++) {
    gchar *host = g_strdup_printf ("198.51.%u.%u", i / 256, i % 256);

    greet (host, &(guint64) { i }, START);
    g_free (host);
  }
  assert_equals_uint64 (listener.answered,
      TFRC_LISTENER_SHARES * TFRC_LISTENER_SHARE);
  admit ("192.0.2.1", START + TFRC_LISTENER_WINDOW);
}

GST_END_TEST;

GST_START_TEST (a_receiver_says_hello_until_packets_come_and_when_they_cease)
{
  TfrcGreeting greeting = { 0 };
  guint said = 0;

  for (guint i = 0; i < 3; i++)
    fail_unless (tfrc_greeting_is_due (&greeting, 0));
  for (guint i = 0; i < 30; i++)
    said += tfrc_greeting_is_due (&greeting, 0);
  assert_equals_int (said, 10);
  for (guint64 packets = 1; packets < 10; packets++)
    fail_if (tfrc_greeting_is_due (&greeting, packets));
  fail_unless (tfrc_greeting_is_due (&greeting, 9));
}

GST_END_TEST;

static Suite *
hello_suite (void)
{
  Suite *suite = suite_create ("hello");
  TCase *tcase = tcase_create ("hello");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_hello_is_read_as_it_was_written_and_nothing_else_is);
  tcase_add_test (tcase, who_returns_the_cookie_of_its_address_is_let_in);
  tcase_add_test (tcase, a_cookie_of_the_run_before_is_worth_nothing);
  tcase_add_test (tcase, while_the_receiver_is_heard_others_get_no_answer);
  tcase_add_test (tcase, the_bye_of_the_receiver_lets_another_one_in);
  tcase_add_test (tcase, a_receiver_that_is_silent_is_lost);
  tcase_add_test (tcase, a_flood_of_one_address_is_answered_so_often);
  tcase_add_test (tcase, a_flood_of_many_addresses_is_answered_so_often);
  tcase_add_test (tcase,
      a_receiver_says_hello_until_packets_come_and_when_they_cease);
  return suite;
}

GST_CHECK_MAIN (hello);
