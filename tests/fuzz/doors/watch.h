/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks after a run: that nothing hangs, that no critical is logged, that memory
 * and threads stay as they are; and remembers what was sent last. */
#pragma once

#include <glib.h>

/* From before the process forks on; what was sent is seen by both. */
void watch_share (void);

/* A thread that aborts the program, with the stacks of all threads, where an
 * operation takes too long, and a log handler that does so for criticals. */
void watch_start (void);

/* An operation that is not to hang; returns what watch_end takes. */
guint watch_begin (const gchar *what, const gchar *where);
void watch_end (guint slot);

/* All threads' stacks, and an end. */
void watch_fail (const gchar *what) G_GNUC_NORETURN;

/* A packet leaves. */
void watch_note_packet (const gchar *where, const gchar *kind,
    const guint8 *data, gsize size);
guint watch_count_packets (void);

/* The newest packets, in hexadecimal. */
void watch_print_packets (void);

/* Prints a line, `elapsed` seconds after the start. */
void watch_sample (gdouble elapsed);

/* Whether memory and threads at the end are those of the second minute, which
 * needs more than three. */
gboolean watch_judge (void);
