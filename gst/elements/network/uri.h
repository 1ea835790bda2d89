/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc://host:port?option=value, shared by tfrcsink and tfrcsrc.
 *
 * An option is any writable property of the element by its name.  The key of
 * SRTP is not one: a URI is shown, logged and stored. */
#pragma once

#include <gst/gst.h>

#define TFRC_URI_SCHEME "tfrc"

/* Sets host, port and the options on `object`, all of them or none.  The
 * error names the part that is wrong.  A URI without a port leaves it. */
gboolean tfrc_uri_set (GObject *object, const gchar *text, GError **error);

/* The URI of `object` as it is now, with the options (each NULL or
 * "name=value&...") of the last one applied. */
gchar *tfrc_uri_make (const gchar *host, guint port, const gchar *options);

/* The part behind '?' of a URI that tfrc_uri_set took; NULL = none. */
gchar *tfrc_uri_get_options (const gchar *uri);
