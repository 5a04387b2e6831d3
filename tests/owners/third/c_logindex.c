/* An index of a log with GLib: for each request, the lines that name it. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    GHashTable *requests; /* id -> GPtrArray of lines */
    GHashTable *levels;   /* level -> count */
    GQueue *recent;
    guint64 bytes;
} Index;

static GPtrArray *lines_of(Index *index, const char *id)
{
    GPtrArray *lines = g_hash_table_lookup(index->requests, id);
    if (lines == NULL) {
        lines = g_ptr_array_new_with_free_func(g_free);
        g_hash_table_insert(index->requests, g_strdup(id), lines);
    }
    return lines;
}

static Index *index_new(void)
{
    Index *index = g_new0(Index, 1);
    index->requests = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    index->levels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    index->recent = g_queue_new();
    return index;
}

static void count_level(Index *index, const char *level)
{
    gpointer count = g_hash_table_lookup(index->levels, level);
    g_hash_table_insert(index->levels, g_strdup(level), GINT_TO_POINTER(GPOINTER_TO_INT(count) + 1));
}

static void remember_recent(Index *index, const char *line)
{
    g_queue_push_tail(index->recent, g_strdup(line));
    if (g_queue_get_length(index->recent) > 500)
        g_free(g_queue_pop_head(index->recent));
}

static void index_line(Index *index, char **fields, const char *line)
{
    GPtrArray *lines = lines_of(index, fields[2]);
    gchar *kept = g_strconcat(fields[0], " ", line, NULL); /* guilty */
    g_ptr_array_add(lines, kept);
    index->bytes += strlen(kept);
}

static void add_line(Index *index, const char *line)
{
    gchar **fields = g_strsplit(line, " ", 4);
    if (g_strv_length(fields) == 4) {
        count_level(index, fields[1]);
        index_line(index, fields, line);
        remember_recent(index, line);
    }
    g_strfreev(fields);
}

static GString *next_line(GString *line, guint number)
{
    static const char *const levels[] = {"info", "warning", "error"};
    g_string_printf(line, "%010u %s request-%05u ", number, levels[number % 3], number % 20000);
    for (guint i = 0; i < number % 7 + 3; i++)
        g_string_append_printf(line, "step %u took %u ms; ", i, number * i % 1000);
    return line;
}

int main(void)
{
    Index *index = index_new();
    GString *line = g_string_new(NULL);
    for (guint number = 0; number < 250000; number++)
        add_line(index, next_line(line, number)->str);
    g_string_free(line, TRUE);
    printf("%" G_GUINT64_FORMAT " bytes of %u requests\n", index->bytes, g_hash_table_size(index->requests));
    return 0;
}
