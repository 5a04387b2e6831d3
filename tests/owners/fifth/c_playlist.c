/* A library of music: tags of files are gathered, and playlists made from them. */
#include <glib.h>

typedef struct {
  gchar *path;
  gchar *artist;
  gchar *title;
  gint   year;
  gint   seconds;
} Track;

typedef struct {
  GPtrArray  *tracks;
  GHashTable *by_artist;
  GHashTable *words;
  GQueue     *playlist;
} Library;

typedef void (*TagFunc) (const gchar *key, const gchar *value, gpointer data);

static Track *
track_new (const gchar *path)
{
  Track *track = g_slice_new0 (Track);
  track->path = g_strdup (path);
  return track;
}

static void
track_free (gpointer data)
{
  Track *track = data;
  g_free (track->path);
  g_free (track->artist);
  g_free (track->title);
  g_slice_free (Track, track);
}

static void
on_tag (const gchar *key, const gchar *value, gpointer data)
{
  Track *track = data;
  if (g_str_equal (key, "artist"))
    track->artist = g_strdup (value);
  else if (g_str_equal (key, "title"))
    track->title = g_strdup (value);
  else if (g_str_equal (key, "year"))
    track->year = (gint) g_ascii_strtoll (value, NULL, 10);
}

static void
read_tags (const gchar *text, TagFunc func, gpointer data)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gchar **line = lines; *line; line++)
    {
      g_auto (GStrv) pair = g_strsplit (*line, "=", 2);
      if (pair[0] && pair[1])
        func (pair[0], pair[1], data);
    }
}

static GPtrArray *
list_for (GHashTable *table, const gchar *key)
{
  GPtrArray *list = g_hash_table_lookup (table, key);
  if (!list)
    {
      list = g_ptr_array_new ();
      g_hash_table_insert (table, g_strdup (key), list);
    }
  return list;
}

/* For the search while one types: each beginning of each word, and under it the track. */
static void
add_prefixes (gchar *word, gpointer data, Library *lib)
{
  Track *track = data;
  for (gsize n = 1; n <= strlen (word); n++)
    {
      g_autofree gchar *prefix = g_strndup (word, n);
      g_autofree gchar *key = g_utf8_casefold (prefix, -1);
      g_ptr_array_add (list_for (lib->words, key), g_strdup_printf ("%s\t%s", track->title, track->path)); /* guilty */
    }
}

static void
index_track (gpointer item, gpointer user_data)
{
  Library *lib = user_data;
  Track *track = item;
  g_auto (GStrv) words = g_strsplit (track->title, " ", -1);
  g_ptr_array_add (list_for (lib->by_artist, track->artist), track);
  for (gchar **word = words; *word; word++)
    add_prefixes (*word, track, lib);
}

static void
scan (Library *lib, gint count)
{
  static const gchar *adjectives[] = { "Silent", "Golden", "Broken", "Endless", "Distant", "Electric" };
  static const gchar *nouns[] = { "River", "Machine", "Morning", "Horizon", "Telephone" };
  for (gint i = 0; i < count; i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/music/%02d/album %d/%05d.flac", i % 40, i / 12, i);
      g_autofree gchar *text = g_strdup_printf ("artist=Artist %d\ntitle=%s %s %d\nyear=%d", i % 300,
                                                adjectives[i % 6], nouns[i % 5], i, 1960 + i % 60);
      Track *track = track_new (path);
      track->seconds = 120 + i % 300;
      read_tags (text, on_tag, track);
      g_ptr_array_add (lib->tracks, track);
    }
}

static gboolean
fill_playlist (Library *lib, const gchar *artist, GError **error)
{
  GPtrArray *list = g_hash_table_lookup (lib->by_artist, artist);
  if (!list)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "nothing by %s", artist);
      return FALSE;
    }
  for (guint i = 0; i < list->len; i++)
    g_queue_push_tail (lib->playlist, list->pdata[i]);
  return TRUE;
}

int
main (void)
{
  Library lib = { g_ptr_array_new_with_free_func (track_free), g_hash_table_new (g_str_hash, g_str_equal),
                  g_hash_table_new (g_str_hash, g_str_equal), g_queue_new () };
  g_autoptr (GError) error = NULL;
  scan (&lib, 19000);
  g_ptr_array_foreach (lib.tracks, index_track, &lib);
  if (!fill_playlist (&lib, "Artist 17", &error))
    g_printerr ("%s\n", error->message);
  GPtrArray *found = list_for (lib.words, "hori");
  g_print ("%u tracks, %u in the list, %u found\n", lib.tracks->len, lib.playlist->length, found->len);
  return 0;
}
