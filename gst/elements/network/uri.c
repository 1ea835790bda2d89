/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc://host:port?option=value: parsed strictly (RFC 3986), applied as
 * properties.  Knows nothing of what the options mean: the element's property
 * specifications say which exist and which values they take. */

#include "network/uri.h"

#include <string.h>

typedef struct
{
  GParamSpec *pspec;
  GValue value;
} Option;

/* Of every element, or set by the URI itself, or never to be shown. */
static const gchar *const not_options[] = { "name", "parent", "uri", "host",
  "address", "port", "srtp-key", "sdp", NULL };

static void
option_clear (gpointer data)
{
  Option *option = data;

  if (G_IS_VALUE (&option->value))
    g_value_unset (&option->value);
}

static gboolean
check_authority (GUri *uri, GError **error)
{
  const gchar *host = g_uri_get_host (uri);
  const gchar *rest = g_uri_get_userinfo (uri);

  if (!rest)
    rest = g_uri_get_fragment (uri);
  if (!rest && !g_str_equal (g_uri_get_path (uri), "/"))
    rest = g_uri_get_path (uri);
  if (g_ascii_strcasecmp (g_uri_get_scheme (uri), TFRC_URI_SCHEME) != 0)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "the scheme of the URI is '%s', not '" TFRC_URI_SCHEME "'",
        g_uri_get_scheme (uri));
  else if (!host || !*host)
    g_set_error_literal (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "the URI has no host");
  else if (g_uri_get_port (uri) == 0)
    g_set_error_literal (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "port 0 in the URI is not from 1 to 65535");
  else if (rest && *rest)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' in the URI is neither host, port nor option", rest);
  else
    return TRUE;
  return FALSE;
}

static gboolean
parse_option (GObject *object, const gchar *name, const gchar *text,
    Option *option, GError **error)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object),
      name);
  gboolean valid;

  if (!pspec || !(pspec->flags & G_PARAM_WRITABLE)
      || g_strv_contains (not_options, pspec->name)) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' in the URI is no option of %s", name,
        G_OBJECT_TYPE_NAME (object));
    return FALSE;
  }
  option->pspec = pspec;
  g_value_init (&option->value, G_PARAM_SPEC_VALUE_TYPE (pspec));
  /* An unsigned property would take "-1" as its largest value. */
  if (G_VALUE_HOLDS_STRING (&option->value)) {
    g_value_set_string (&option->value, text);
    valid = TRUE;
  } else {
    valid = *text
        && !((G_VALUE_HOLDS_UINT (&option->value)
                 || G_VALUE_HOLDS_UINT64 (&option->value))
            && *text == '-')
        && gst_value_deserialize_with_pspec (&option->value, text, pspec)
        && !g_param_value_validate (pspec, &option->value);
  }
  if (!valid)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "'%s' in the URI is no value for option '%s' (%s)", text, name,
        g_param_spec_get_blurb (pspec));
  return valid;
}

static gboolean
parse_options (GObject *object, const gchar *query, GArray *options,
    GError **error)
{
  gchar **parts;
  gboolean valid = TRUE;
  guint i;

  if (!query || !*query)
    return TRUE;
  parts = g_strsplit (query, "&", -1);
  for (i = 0; valid && parts[i]; i++) {
    gchar *equals = strchr (parts[i], '=');
    gchar *text = equals ? g_uri_unescape_string (equals + 1, NULL) : NULL;
    Option option = { NULL, G_VALUE_INIT };

    if (!text) {
      g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
          "option '%s' in the URI is not of the form name=value", parts[i]);
      valid = FALSE;
      break;
    }
    *equals = '\0';
    valid = parse_option (object, parts[i], text, &option, error);
    for (guint j = 0; valid && j < options->len; j++) {
      if (g_array_index (options, Option, j).pspec == option.pspec) {
        g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
            "option '%s' is in the URI twice", parts[i]);
        valid = FALSE;
      }
    }
    if (valid)
      g_array_append_val (options, option);
    else
      option_clear (&option);
    g_free (text);
  }
  g_strfreev (parts);
  return valid;
}

gboolean
tfrc_uri_set (GObject *object, const gchar *text, GError **error)
{
  GUri *uri = g_uri_parse (text, G_URI_FLAGS_ENCODED_QUERY, error);
  GArray *options;
  gboolean valid;

  if (!uri) {
    g_prefix_error (error, "URI '%s': ", text);
    return FALSE;
  }
  options = g_array_new (FALSE, TRUE, sizeof (Option));
  g_array_set_clear_func (options, option_clear);
  valid = check_authority (uri, error)
      && parse_options (object, g_uri_get_query (uri), options, error);
  if (valid) {
    g_object_set (object, "host", g_uri_get_host (uri), NULL);
    if (g_uri_get_port (uri) > 0)
      g_object_set (object, "port", (guint) g_uri_get_port (uri), NULL);
    for (guint i = 0; i < options->len; i++) {
      Option *option = &g_array_index (options, Option, i);

      g_object_set_property (object, option->pspec->name, &option->value);
    }
  }
  g_array_unref (options);
  g_uri_unref (uri);
  return valid;
}

gchar *
tfrc_uri_make (const gchar *host, guint port, const gchar *options)
{
  const gchar *open = strchr (host, ':') ? "[" : "";
  const gchar *close = strchr (host, ':') ? "]" : "";
  /* RFC 6874: the interface of a link-local address. */
  const gchar *zone = strchr (host, '%');
  gint size = zone ? (gint) (zone - host) : (gint) strlen (host);

  return g_strdup_printf (TFRC_URI_SCHEME "://%s%.*s%s%s%s:%u%s%s", open, size,
      host, zone ? "%25" : "", zone ? zone + 1 : "", close, port,
      options ? "?" : "", options ? options : "");
}

gchar *
tfrc_uri_get_options (const gchar *uri)
{
  const gchar *query = strchr (uri, '?');

  return query && query[1] ? g_strdup (query + 1) : NULL;
}
