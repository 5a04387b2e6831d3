/* Reads feeds with expat; titles are searched, texts are counted only. */
#include <ctype.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char *data; int used, size; } buffer;
typedef struct entry { char *title, *body; struct entry *next; } entry;
typedef struct {
    int depth;
    buffer text;
    entry *current, *archive;
    char *path[16];
    long words;
} reader;

static int failures;

static void buffer_put(buffer *b, const char *s, int n)
{
    if (b->used + n >= b->size) {
        int size = b->size;
        while (size <= b->used + n) size = size ? size * 2 : 128;
        char *data = realloc(b->data, (size_t)size);
        if (!data) { failures++; return; }
        b->data = data;
        b->size = size;
    }
    memcpy(b->data + b->used, s, (size_t)n);
    b->used += n;
    b->data[b->used] = 0;
}

static void buffer_take(buffer *b, char **to)
{
    free(*to);
    *to = malloc((size_t)b->used + 1);
    if (*to) memcpy(*to, b->data ? b->data : "", (size_t)b->used + 1);
    else failures++;
    b->used = 0;
}

static void count_words(reader *r, const char *s)
{
    for (int in = 0; *s; s++) {
        int letter = isalnum((unsigned char)*s) != 0;
        r->words += letter && !in;
        in = letter;
    }
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    reader *r = user;
    r->path[r->depth++ & 15] = strdup(name);
    r->text.used = 0;
    if (!strcmp(name, "item")) {
        r->current = calloc(1, sizeof *r->current);
        for (; *attributes; attributes += 2)
            if (!strcmp(attributes[0], "lang")) buffer_put(&r->text, attributes[1], (int)strlen(attributes[1]));
    }
}

static void XMLCALL on_text(void *user, const XML_Char *s, int n)
{
    buffer_put(&((reader *)user)->text, s, n);
}

static void finish_title(reader *r)
{
    buffer_take(&r->text, &r->current->title);
}

static void finish_body(reader *r)
{
    buffer_take(&r->text, &r->current->body); /* guilty */
    count_words(r, r->current->body);
}

static void finish_item(reader *r)
{
    r->current->next = r->archive;
    r->archive = r->current;
    r->current = NULL;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    static const struct { const char *tag; void (*act)(reader *); } table[] = {
        {"title", finish_title}, {"description", finish_body}, {"content", finish_body}, {"item", finish_item},
    };
    reader *r = user;
    free(r->path[--r->depth & 15]);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((r->current || i > 3) && !strcmp(name, table[i].tag)) table[i].act(r);
}

static void make_item(buffer *b, int i)
{
    char line[200];
    int n = snprintf(line, sizeof line, "<item lang='en'><title>News number %d</title><description>", i);
    buffer_put(b, line, n);
    for (int k = 0; k < 12; k++) {
        n = snprintf(line, sizeof line, "In the year %d something happened for the %dth time, and people spoke of it. ", 1000 + i % 1000, k);
        buffer_put(b, line, n);
    }
    n = snprintf(line, sizeof line, "</description></item>");
    buffer_put(b, line, n);
}

int main(void)
{
    reader r = {0};
    buffer xml = {0};
    XML_Parser parser = XML_ParserCreate("UTF-8");

    XML_SetUserData(parser, &r);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_Parse(parser, "<rss>", 5, 0);
    for (int i = 0; i < 40000; i++) {
        xml.used = 0;
        make_item(&xml, i);
        if (!XML_Parse(parser, xml.data, xml.used, 0)) return 1;
    }
    XML_Parse(parser, "</rss>", 6, 1);
    XML_ParserFree(parser);
    long found = 0;
    for (entry *e = r.archive; e; e = e->next) found += strstr(e->title, "777") != NULL;
    printf("%ld words, %ld found, %d failures\n", r.words, found, failures);
    return 0;
}
