/* Searches documents on a desktop: cuts them into words, indexes where each word stands, and answers queries of phrases. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TERMS 32768

struct posting {
    uint32_t document, position;
};

struct term {
    struct term *next;
    char *word;
    struct posting *postings;
    uint32_t count, room;
};

struct document {
    char *path;
    uint32_t words;
};

struct index {
    struct term *terms[TERMS];
    struct document *documents;
    uint32_t document_count, document_room, term_count;
};

static void *grow(void *p, uint32_t *room, size_t size)
{
    *room = *room ? *room + *room / 2 : 4;
    p = realloc(p, *room * size);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static struct term *find_term(struct index *index, const char *word, int create)
{
    uint32_t h = 2166136261u;
    for (const char *p = word; *p; p++)
        h = (h ^ (uint8_t)*p) * 16777619u;
    struct term **at = &index->terms[h % TERMS];
    while (*at && strcmp((*at)->word, word) != 0)
        at = &(*at)->next;
    if (!*at && create) {
        *at = calloc(1, sizeof(**at));
        (*at)->word = strdup(word);
        index->term_count++;
    }
    return *at;
}

static void add_posting(struct term *term, uint32_t document, uint32_t position)
{
    if (term->count == term->room)
        term->postings = grow(term->postings, &term->room, sizeof(*term->postings)); /* guilty */
    term->postings[term->count].document = document;
    term->postings[term->count++].position = position;
}

static int next_word(const char **text, char *word, size_t size)
{
    size_t n = 0;
    while (**text && !isalnum((unsigned char)**text))
        ++*text;
    while (isalnum((unsigned char)**text)) {
        if (n + 1 < size)
            word[n++] = (char)tolower((unsigned char)**text);
        ++*text;
    }
    word[n] = '\0';
    return n > 0;
}

static void index_document(struct index *index, const char *path, const char *text)
{
    if (index->document_count == index->document_room)
        index->documents = grow(index->documents, &index->document_room, sizeof(*index->documents));
    uint32_t number = index->document_count++;
    struct document *document = &index->documents[number];
    document->path = strdup(path);
    document->words = 0;
    char word[64];
    while (next_word(&text, word, sizeof(word)))
        add_posting(find_term(index, word, 1), number, document->words++);
}

static int count_phrase(struct index *index, const char *first, const char *second)
{
    struct term *a = find_term(index, first, 0), *b = find_term(index, second, 0);
    int found = 0;
    if (!a || !b)
        return 0;
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        struct posting x = a->postings[i], y = b->postings[k];
        if (x.document == y.document && x.position + 1 == y.position) {
            found++;
            i++;
        } else if (x.document < y.document || (x.document == y.document && x.position < y.position)) {
            i++;
        } else {
            k++;
        }
    }
    return found;
}

static char *read_document(uint32_t number)
{
    char *text = malloc(16384);
    size_t len = 0;
    uint32_t state = number * 2654435761u + 1;
    for (int i = 0; i < 900; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t r = state >> 12;
        len += (size_t)sprintf(text + len, "%c%x%s", 'g' + (int)(r % 19), r % (r % 3 ? 90 : 3000), i % 14 ? " " : ".\n");
    }
    return text;
}

int main(void)
{
    static struct index index;
    for (uint32_t number = 0; number < 4200; number++) {
        char path[64];
        snprintf(path, sizeof(path), "/home/ina/Documents/letters/%u.txt", number);
        char *text = read_document(number);
        index_document(&index, path, text);
        free(text);
    }
    printf("%u documents, %u words, %d phrases\n", index.document_count, index.term_count, count_phrase(&index, "g11", "h12"));
    return 0;
}
