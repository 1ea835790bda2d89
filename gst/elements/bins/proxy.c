/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies property specifications from an element's class to a bin's.  The
 * bin's set_property and get_property hand the values on by name. */

#include "bins/proxy.h"

/* The value types that our elements use. */
static GParamSpec *
copy_spec (GParamSpec *pspec)
{
  const gchar *name = pspec->name;
  const gchar *nick = g_param_spec_get_nick (pspec);
  const gchar *blurb = g_param_spec_get_blurb (pspec);
  GParamFlags flags = pspec->flags & ~G_PARAM_CONSTRUCT;

  if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
    return g_param_spec_boolean (name, nick, blurb,
        G_PARAM_SPEC_BOOLEAN (pspec)->default_value, flags);
  } else if (G_IS_PARAM_SPEC_INT (pspec)) {
    GParamSpecInt *spec = G_PARAM_SPEC_INT (pspec);

    return g_param_spec_int (name, nick, blurb, spec->minimum, spec->maximum,
        spec->default_value, flags);
  } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
    GParamSpecUInt *spec = G_PARAM_SPEC_UINT (pspec);

    return g_param_spec_uint (name, nick, blurb, spec->minimum, spec->maximum,
        spec->default_value, flags);
  } else if (G_IS_PARAM_SPEC_UINT64 (pspec)) {
    GParamSpecUInt64 *spec = G_PARAM_SPEC_UINT64 (pspec);

    return g_param_spec_uint64 (name, nick, blurb, spec->minimum, spec->maximum,
        spec->default_value, flags);
  } else if (G_IS_PARAM_SPEC_DOUBLE (pspec)) {
    GParamSpecDouble *spec = G_PARAM_SPEC_DOUBLE (pspec);

    return g_param_spec_double (name, nick, blurb, spec->minimum, spec->maximum,
        spec->default_value, flags);
  } else if (G_IS_PARAM_SPEC_STRING (pspec)) {
    return g_param_spec_string (name, nick, blurb,
        G_PARAM_SPEC_STRING (pspec)->default_value, flags);
  } else if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    return g_param_spec_enum (name, nick, blurb, pspec->value_type,
        G_PARAM_SPEC_ENUM (pspec)->default_value, flags);
  } else if (G_IS_PARAM_SPEC_BOXED (pspec)) {
    return g_param_spec_boxed (name, nick, blurb, pspec->value_type, flags);
  } else if (G_IS_PARAM_SPEC_OBJECT (pspec)) {
    return g_param_spec_object (name, nick, blurb, pspec->value_type, flags);
  }
  g_warning ("property '%s' has a type that is not handed on", name);
  return NULL;
}

void
tfrc_proxy_install (GObjectClass *klass, GType child_type, guint first_id,
    const gchar *const *left_out)
{
  GObjectClass *child_class = g_type_class_ref (child_type);
  guint n_specs;
  GParamSpec **specs = g_object_class_list_properties (child_class, &n_specs);

  for (guint i = 0; i < n_specs; i++) {
    GParamSpec *copy;

    if (g_type_is_a (GST_TYPE_ELEMENT, specs[i]->owner_type)
        || g_strv_contains (left_out, specs[i]->name))
      continue;
    copy = copy_spec (specs[i]);
    if (copy)
      g_object_class_install_property (klass, first_id++, copy);
  }
  g_free (specs);
  g_type_class_unref (child_class);
}

static void
on_child_notify (GObject *child, GParamSpec *pspec, GObject *object)
{
  GParamSpec *own;

  /* A writable one is notified by the g_object_set on the bin. */
  if (pspec->flags & G_PARAM_WRITABLE)
    return;
  own = g_object_class_find_property (G_OBJECT_GET_CLASS (object), pspec->name);
  if (own)
    g_object_notify_by_pspec (object, own);
}

void
tfrc_proxy_connect (GObject *object, GObject *child)
{
  g_signal_connect_object (child, "notify", G_CALLBACK (on_child_notify),
      object, 0);
}
