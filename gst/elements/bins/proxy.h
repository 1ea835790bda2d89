/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of a bin that are those of an element inside it: same name,
 * type, range, default and blurb, so that each is written down once. */
#pragma once

#include <gst/gst.h>

/* Installs on `klass` what `child_type` has beyond GstElement, except for the
 * names in `left_out` (NULL-terminated); ids count up from `first_id`. */
void tfrc_proxy_install (GObjectClass *klass, GType child_type, guint first_id,
    const gchar *const *left_out);

/* Lets notifications of `child`'s read-only properties come from `object`. */
void tfrc_proxy_connect (GObject *object, GObject *child);
