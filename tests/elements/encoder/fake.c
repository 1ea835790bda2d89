/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fake video encoders: one GObject class per line of the table below. */

#include "encoder/fake.h"

typedef struct
{
  GstElement parent;
  guint64 value;
  guint count;
} FakeEncoder;

typedef struct
{
  GstElementClass parent_class;
} FakeEncoderClass;

typedef struct
{
  const gchar *factory;
  const gchar *klass;
  GParamSpec *(*make_property) (void);
} Kind;

static GMutex lock;
static GCond changed;
static gboolean blocked;

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static GParamSpec *
make_kbit (void)
{
  return g_param_spec_uint ("bitrate", "Bitrate", "Bitrate in kbit/sec", 1,
      2048000, 2048, G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
}

static GParamSpec *
make_bit (void)
{
  return g_param_spec_int64 ("target-bitrate", "Bitrate",
      "Target (bits per second)", 0, G_MAXINT64, 0, G_PARAM_READWRITE);
}

static GParamSpec *
make_ready (void)
{
  return g_param_spec_uint ("bitrate", "Bitrate", "Bitrate in kbit/sec", 1,
      2048000, 2048, G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY);
}

static const Kind kinds[] = {
  { "fakekbitenc", "Codec/Encoder/Video", make_kbit },
  { "fakebitenc", "Encoder/Video", make_bit },
  { "vafakeenc", "Codec/Encoder/Video", make_kbit },
  { "fakereadyenc", "Codec/Encoder/Video", make_ready },
  { "fakeblockedenc", "Codec/Encoder/Video", make_kbit },
  { "fakenobitenc", "Codec/Encoder/Video", NULL },
  { "fakedecoder", "Codec/Decoder/Video", NULL },
};

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  FakeEncoder *self = (FakeEncoder *) object;

  g_mutex_lock (&lock);
  while (blocked
      && g_str_has_prefix (G_OBJECT_TYPE_NAME (object), "fakeblocked"))
    g_cond_wait (&changed, &lock);
  self->value = G_VALUE_HOLDS_INT64 (value)
      ? (guint64) g_value_get_int64 (value)
      : g_value_get_uint (value);
  self->count++;
  g_mutex_unlock (&lock);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  guint64 number = tfrc_fake_encoder_get (GST_ELEMENT (object), NULL);

  if (G_VALUE_HOLDS_INT64 (value))
    g_value_set_int64 (value, (gint64) number);
  else
    g_value_set_uint (value, (guint) number);
}

static void
class_init (gpointer klass, gpointer data)
{
  const Kind *kind = data;

  gst_element_class_set_metadata (klass, kind->factory, kind->klass,
      "A fake for tests", "TFRC");
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
  G_OBJECT_CLASS (klass)->set_property = set_property;
  G_OBJECT_CLASS (klass)->get_property = get_property;
  if (kind->make_property != NULL)
    g_object_class_install_property (klass, 1, kind->make_property ());
}

static void
instance_init (GTypeInstance *instance, gpointer klass)
{
  GstElement *element = GST_ELEMENT (instance);
  GParamSpec *pspec = g_object_class_find_property (klass, "bitrate");

  if (pspec != NULL)
    ((FakeEncoder *) instance)->value =
        G_PARAM_SPEC_UINT (pspec)->default_value;
  gst_element_add_pad (element,
      gst_pad_new_from_static_template (&sink_template, "sink"));
  gst_element_add_pad (element,
      gst_pad_new_from_static_template (&src_template, "src"));
}

void
tfrc_fake_encoders_register (void)
{
  guint i;

  if (g_type_from_name (kinds[0].factory) != 0)
    return;
  for (i = 0; i < G_N_ELEMENTS (kinds); i++) {
    GTypeInfo info = {
      .class_size = sizeof (FakeEncoderClass),
      .class_init = class_init,
      .class_data = &kinds[i],
      .instance_size = sizeof (FakeEncoder),
      .instance_init = instance_init,
    };
    GType type = g_type_register_static (GST_TYPE_ELEMENT, kinds[i].factory,
        &info, 0);

    gst_element_register (NULL, kinds[i].factory, GST_RANK_NONE, type);
  }
}

guint64
tfrc_fake_encoder_get (GstElement *encoder, guint *count)
{
  FakeEncoder *self = (FakeEncoder *) encoder;
  guint64 value;

  g_mutex_lock (&lock);
  value = self->value;
  if (count != NULL)
    *count = self->count;
  g_mutex_unlock (&lock);
  return value;
}

void
tfrc_fake_encoder_block (gboolean block)
{
  g_mutex_lock (&lock);
  blocked = block;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}
