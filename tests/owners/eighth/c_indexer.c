/* A desktop search: documents are split into terms, terms have postings, and results are shown with a snippet. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    guint32 document;
    guint32 position;
} Posting;

typedef struct {
    char *uri;
    char *text;
} Document;

typedef struct {
    GPtrArray *documents;
    GHashTable *terms;    /* text to GArray of Posting */
    GHashTable *snippets; /* "uri|from|query" to text */
    guint hits;
} Indexer;

static const char *const stems[] = {"invoice", "meeting", "budget", "travel",  "garden", "photo",  "letter", "recipe", "school",
                                    "project", "address", "holiday", "concert", "repair", "survey", "notes",  "draft",  "final"};

static void document_free(gpointer data)
{
    Document *document = data;
    g_free(document->uri);
    g_free(document->text);
    g_free(document);
}

static Indexer *indexer_new(void)
{
    Indexer *self = g_new0(Indexer, 1);
    self->documents = g_ptr_array_new_with_free_func(document_free);
    self->terms = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
    self->snippets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

static char *extract_text(GRand *random, guint words)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < words; i++) {
        g_string_append(text, stems[g_rand_int_range(random, 0, G_N_ELEMENTS(stems))]);
        if (g_rand_int_range(random, 0, 4) == 0)
            g_string_append_printf(text, "%d", g_rand_int_range(random, 0, 150));
        g_string_append_c(text, i % 12 == 11 ? '.' : ' ');
    }
    return g_string_free(text, FALSE);
}

static void add_posting(Indexer *self, const char *term, Posting posting)
{
    GArray *postings = g_hash_table_lookup(self->terms, term);
    if (postings == NULL) {
        postings = g_array_new(FALSE, FALSE, sizeof(Posting));
        g_hash_table_insert(self->terms, g_strdup(term), postings);
    }
    g_array_append_val(postings, posting);
}

static void index_document(Indexer *self, const char *uri, char *text)
{
    Document *document = g_new0(Document, 1);
    document->uri = g_strdup(uri);
    document->text = text;
    g_ptr_array_add(self->documents, document);
    char **words = g_strsplit_set(text, " .", -1);
    for (guint i = 0; words[i] != NULL; i++)
        if (words[i][0] != '\0')
            add_posting(self, words[i], (Posting){self->documents->len - 1, i});
    g_strfreev(words);
}

static void append_marked(GString *out, const char *text, const char *query)
{
    size_t len = strlen(query);
    for (const char *found; (found = strstr(text, query)) != NULL; text = found + len) {
        g_string_append_len(out, text, found - text);
        g_string_append_printf(out, "<b>%s</b>", query);
    }
    g_string_append(out, text);
}

static const char *snippet(Indexer *self, const Document *document, const char *query, gsize from)
{
    char *key = g_strdup_printf("%s|%" G_GSIZE_FORMAT "|%s", document->uri, from, query);
    char *known = g_hash_table_lookup(self->snippets, key);
    if (known != NULL) {
        g_free(key);
        return known;
    }
    GString *marked = g_string_new("...");
    char *around = g_strndup(document->text + from, 300);
    append_marked(marked, around, query);
    g_free(around);
    known = g_strdup(marked->str); /* guilty */
    g_string_free(marked, TRUE);
    g_hash_table_insert(self->snippets, key, known);
    return known;
}

static gsize search(Indexer *self, const char *query, guint limit)
{
    GArray *postings = g_hash_table_lookup(self->terms, query);
    gsize shown = 0;
    guint32 last = G_MAXUINT32;
    if (postings == NULL)
        return 0;
    for (guint i = 0; i < postings->len && limit > 0; i++) {
        const Posting *posting = &g_array_index(postings, Posting, i);
        if (posting->document == last)
            continue;
        last = posting->document;
        const Document *document = g_ptr_array_index(self->documents, last);
        const char *at = strstr(document->text, query);
        shown += strlen(snippet(self, document, query, MAX(at - document->text, 80) - 80));
        limit--;
        self->hits++;
    }
    return shown;
}

int main(void)
{
    GRand *random = g_rand_new_with_seed(11);
    Indexer *indexer = indexer_new();
    gsize shown = 0;
    for (int i = 0; i < 900; i++) {
        char *uri = g_strdup_printf("file:///home/user/Documents/%d/%s-%d.odt", i % 30, stems[i % G_N_ELEMENTS(stems)], i);
        index_document(indexer, uri, extract_text(random, 300));
        g_free(uri);
    }
    for (guint stem = 0; stem < G_N_ELEMENTS(stems); stem++) {
        shown += search(indexer, stems[stem], 50);
        for (int number = 0; number < 150; number++) {
            char *query = g_strdup_printf("%s%d", stems[stem], number);
            shown += search(indexer, query, 70);
            g_free(query);
        }
    }
    printf("%u hits, %u terms, %" G_GSIZE_FORMAT " bytes shown\n", indexer->hits, g_hash_table_size(indexer->terms), shown);
    g_rand_free(random);
    return 0;
}
