/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A struct and the properties of an object that are its fields. */

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

static Suite *
properties_suite (void)
{
  Suite *suite = suite_create ("properties");
  TCase *tcase = tcase_create ("properties");

  tcase_add_test (tcase, fields_begin_with_their_defaults);
  tcase_add_test (tcase, what_is_set_is_in_the_struct_and_is_read_back);
  tcase_add_test (tcase, another_property_is_no_field);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (properties);
