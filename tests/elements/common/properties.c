/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A struct and the properties of an object that are its fields, and the fields
 * of our elements. */

#include <gst/check/gstcheck.h>

#include "common/properties.h"

typedef struct
{
  gboolean flag;
  guint number;
  gint mode;
  gdouble factor;
  gchar *name;
  gint offset;
  guint64 timeout;
  GstCaps *caps;
} Settings;

typedef struct
{
  GObject parent;
  Settings settings;
} Owner;
typedef GObjectClass OwnerClass;

enum
{
  PROP_SETTING = 1,
  PROP_OTHER
};

static GType owner_get_type (void);
G_DEFINE_TYPE (Owner, owner, G_TYPE_OBJECT);

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  gboolean known = tfrc_properties_set (&((Owner *) object)->settings, spec,
      value);

  assert_equals_int (known, id == PROP_SETTING);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  gboolean known = tfrc_properties_get (&((Owner *) object)->settings, spec,
      value);

  assert_equals_int (known, id == PROP_SETTING);
}

static void
finalize (GObject *object)
{
  Settings *settings = &((Owner *) object)->settings;

  tfrc_properties_clear (settings, G_OBJECT_GET_CLASS (object));
  fail_unless (settings->name == NULL);
  G_OBJECT_CLASS (owner_parent_class)->finalize (object);
}

static void
owner_class_init (OwnerClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  klass->finalize = finalize;
  tfrc_properties_install (klass, PROP_SETTING,
      G_STRUCT_OFFSET (Settings, flag),
      g_param_spec_boolean ("flag", NULL, NULL, TRUE, G_PARAM_READWRITE));
  tfrc_properties_install (klass, PROP_SETTING,
      G_STRUCT_OFFSET (Settings, number),
      g_param_spec_uint ("number", NULL, NULL, 1, 9, 7, G_PARAM_READWRITE));
  tfrc_properties_install (klass, PROP_SETTING,
      G_STRUCT_OFFSET (Settings, mode),
      g_param_spec_enum ("mode", NULL, NULL, GST_TYPE_STATE, GST_STATE_READY,
          G_PARAM_READWRITE));
  tfrc_properties_install (klass, PROP_SETTING,
      G_STRUCT_OFFSET (Settings, factor),
      g_param_spec_double ("factor", NULL, NULL, 0, 4, 0.5, G_PARAM_READWRITE));
  tfrc_properties_install (klass, PROP_SETTING,
      G_STRUCT_OFFSET (Settings, name),
      g_param_spec_string ("name", NULL, NULL, "none", G_PARAM_READWRITE));
  tfrc_properties_install (klass, PROP_SETTING,
      G_STRUCT_OFFSET (Settings, offset),
      g_param_spec_int ("offset", NULL, NULL, -9, 9, -1, G_PARAM_READWRITE));
  tfrc_properties_install (klass, PROP_SETTING,
      G_STRUCT_OFFSET (Settings, timeout),
      g_param_spec_uint64 ("timeout", NULL, NULL, 0, G_MAXUINT64, G_MAXUINT64,
          G_PARAM_READWRITE));
  tfrc_properties_install (klass, PROP_SETTING,
      G_STRUCT_OFFSET (Settings, caps),
      g_param_spec_boxed ("caps", NULL, NULL, GST_TYPE_CAPS,
          G_PARAM_READWRITE));
  g_object_class_install_property (klass, PROP_OTHER,
      g_param_spec_uint ("other", NULL, NULL, 0, 9, 3, G_PARAM_READWRITE));
}

static void
owner_init (Owner *self)
{
  tfrc_properties_init (&self->settings, G_OBJECT_GET_CLASS (self));
}

GST_START_TEST (fields_begin_with_their_defaults)
{
  Owner *owner = g_object_new (owner_get_type (), NULL);

  fail_unless (owner->settings.flag);
  assert_equals_int (owner->settings.number, 7);
  assert_equals_int (owner->settings.mode, GST_STATE_READY);
  assert_equals_float (owner->settings.factor, 0.5);
  assert_equals_string (owner->settings.name, "none");
  assert_equals_int (owner->settings.offset, -1);
  assert_equals_uint64 (owner->settings.timeout, G_MAXUINT64);
  fail_unless (owner->settings.caps == NULL);
  g_object_unref (owner);
}

GST_END_TEST;

GST_START_TEST (what_is_set_is_in_the_struct_and_is_read_back)
{
  GstCaps *caps = gst_caps_new_empty_simple ("some/type"), *caps_read;
  Owner *owner = g_object_new (owner_get_type (), "flag", FALSE, "number", 2,
      "mode", GST_STATE_PAUSED, "factor", 3.0, "name", "some", "offset", -7,
      "timeout", G_GUINT64_CONSTANT (5000000000), "caps", caps, NULL);
  gint offset;
  guint64 timeout;
  gboolean flag;
  guint number;
  GstState mode;
  gdouble factor;
  gchar *name;

  fail_if (owner->settings.flag);
  assert_equals_int (owner->settings.number, 2);
  assert_equals_int (owner->settings.mode, GST_STATE_PAUSED);
  assert_equals_float (owner->settings.factor, 3.0);
  assert_equals_string (owner->settings.name, "some");
  g_object_get (owner, "flag", &flag, "number", &number, "mode", &mode,
      "factor", &factor, "name", &name, "offset", &offset,
      "timeout", &timeout, "caps", &caps_read, NULL);
  fail_if (flag);
  assert_equals_int (number, 2);
  assert_equals_int (mode, GST_STATE_PAUSED);
  assert_equals_float (factor, 3.0);
  assert_equals_string (name, "some");
  assert_equals_int (offset, -7);
  assert_equals_uint64 (timeout, G_GUINT64_CONSTANT (5000000000));
  fail_unless (caps_read == caps);
  g_free (name);
  gst_caps_unref (caps_read);
  g_object_set (owner, "caps", NULL, "name", NULL, NULL);
  fail_unless (owner->settings.caps == NULL && owner->settings.name == NULL);
  g_object_set (owner, "caps", caps, "name", "another", NULL);
  g_object_unref (owner);
  ASSERT_CAPS_REFCOUNT (caps, "caps", 1);
  gst_caps_unref (caps);
}

GST_END_TEST;

GST_START_TEST (another_property_is_no_field)
{
  Owner *owner = g_object_new (owner_get_type (), "other", 5, NULL);
  guint other;

  g_object_get (owner, "other", &other, NULL);
  assert_equals_int (other, 0);
  assert_equals_int (owner->settings.number, 7);
  g_object_unref (owner);
}

GST_END_TEST;

/* Two names of the same setting. */
static const struct
{
  const gchar *a, *b;
} aliases[] = {
  { "host", "address" },
  { "uri", "host" },
  { "uri", "address" },
  { "uri", "port" },
};

static const gchar *const elements[] = { "rtptfrcsend", "rtptfrcreceive",
  "tfrcsink", "tfrcsrc" };

static gboolean
are_aliases (const gchar *a, const gchar *b)
{
  for (guint i = 0; i < G_N_ELEMENTS (aliases); i++)
    if ((g_str_equal (a, aliases[i].a) && g_str_equal (b, aliases[i].b))
        || (g_str_equal (a, aliases[i].b) && g_str_equal (b, aliases[i].a)))
      return TRUE;
  return FALSE;
}

static gint
other_enum_value (GParamSpec *spec)
{
  const GEnumValue *values = G_PARAM_SPEC_ENUM (spec)->enum_class->values;
  const gint by_default = G_PARAM_SPEC_ENUM (spec)->default_value;

  return values[0].value == by_default ? values[1].value : values[0].value;
}

/* Initializes `value` with one that is not the default. */
static void
init_other_value (GValue *value, GParamSpec *spec)
{
  g_value_init (value, spec->value_type);
  switch (G_TYPE_FUNDAMENTAL (spec->value_type)) {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, !G_PARAM_SPEC_BOOLEAN (spec)->default_value);
      return;
    case G_TYPE_INT:
      g_value_set_int (value, G_PARAM_SPEC_INT (spec)->default_value + 1);
      return;
    case G_TYPE_UINT:
      g_value_set_uint (value, G_PARAM_SPEC_UINT (spec)->default_value + 1);
      return;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, G_PARAM_SPEC_UINT64 (spec)->default_value + 1);
      return;
    case G_TYPE_DOUBLE:
      g_value_set_double (value,
          (G_PARAM_SPEC_DOUBLE (spec)->default_value
              + G_PARAM_SPEC_DOUBLE (spec)->maximum)
              / 2);
      return;
    case G_TYPE_ENUM:
      g_value_set_enum (value, other_enum_value (spec));
      return;
    case G_TYPE_STRING:
      g_value_set_static_string (value,
          g_str_equal (spec->name, "uri") ? "tfrc://192.0.2.7:6000" : "other");
      return;
    default:
      break;
  }
  if (spec->value_type == GST_TYPE_CAPS)
    g_value_take_boxed (value, gst_caps_new_empty_simple ("some/type"));
  else if (spec->value_type == GST_TYPE_BUFFER)
    g_value_take_boxed (value, gst_buffer_new ());
  else
    fail ("no value for %s", spec->name);
}

/* Sets `specs[which]` and looks at all that can be written and read. */
static void
check_property (GObject *element, GParamSpec **specs, guint n_specs,
    guint which)
{
  GValue *before = g_new0 (GValue, n_specs);
  GValue other = G_VALUE_INIT;

  for (guint i = 0; i < n_specs; i++)
    if ((specs[i]->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE)
      g_object_get_property (element, specs[i]->name, &before[i]);
  init_other_value (&other, specs[which]);
  fail_if (g_param_value_validate (specs[which], &other));
  g_object_set_property (element, specs[which]->name, &other);
  for (guint i = 0; i < n_specs; i++) {
    GValue after = G_VALUE_INIT;

    if (!G_IS_VALUE (&before[i]))
      continue;
    g_object_get_property (element, specs[i]->name, &after);
    if (i == which)
      fail_unless (g_param_values_cmp (specs[i], &after, &other) == 0,
          "%s is not what was set", specs[i]->name);
    else if (!are_aliases (specs[which]->name, specs[i]->name))
      fail_unless (g_param_values_cmp (specs[i], &after, &before[i]) == 0,
          "%s changes %s", specs[which]->name, specs[i]->name);
    g_value_unset (&after);
    g_value_unset (&before[i]);
  }
  g_value_unset (&other);
  g_free (before);
}

GST_START_TEST (every_property_has_a_field_of_its_own)
{
  GstElement *element = gst_element_factory_make (elements[__i__], NULL);
  guint n_specs, n_checked = 0;
  GParamSpec **specs;

  fail_unless (element != NULL);
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element),
      &n_specs);
  for (guint i = 0; i < n_specs; i++) {
    if (!(specs[i]->flags & G_PARAM_WRITABLE)
        || g_type_is_a (GST_TYPE_BIN, specs[i]->owner_type)
        || g_str_equal (specs[i]->name, "seqnum-offset")) /* the payloader's */
      continue;
    check_property (G_OBJECT (element), specs, n_specs, i);
    n_checked++;
  }
  fail_unless (n_checked > 10);
  g_free (specs);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
properties_suite (void)
{
  Suite *suite = suite_create ("properties");
  TCase *tcase = tcase_create ("properties");

  tcase_add_test (tcase, fields_begin_with_their_defaults);
  tcase_add_test (tcase, what_is_set_is_in_the_struct_and_is_read_back);
  tcase_add_test (tcase, another_property_is_no_field);
  tcase_add_loop_test (tcase, every_property_has_a_field_of_its_own, 0,
      G_N_ELEMENTS (elements));
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (properties);
