/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread of which it is known that it waits. */
#pragma once

#include <glib.h>

typedef struct
{
  GThread *thread;
  GThreadFunc function;
  gpointer data;
  guint n_waits;
} Waiter;

void waiter_start (Waiter *self, GThreadFunc function, gpointer data);
/* Until it waits for a condition for the n-th time, and so for what the test does
 * next; FALSE: it does not. */
gboolean waiter_waits (Waiter *self, guint n);
void waiter_join (Waiter *self);
