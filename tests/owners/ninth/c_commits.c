/* Statistics of a repository's history: reads the packed commits, walks from the heads to the roots, and counts commits by author
 * and by month. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct strbuf {
    char *buf;
    size_t len, alloc;
};

struct commit_list {
    struct commit_list *next;
    struct commit *item;
};

struct commit {
    uint32_t id;
    int parsed, seen;
    char *buffer; /* what the object has, without the header */
    size_t size;
    long date;
    struct commit_list *parents;
};

struct packed {
    unsigned char *data;
    unsigned long len;
};

struct repository {
    struct packed *objects;
    struct commit **commits;
    uint32_t count;
};

struct author {
    struct author *next;
    char *name;
    unsigned commits;
    unsigned by_month[12];
};

static void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        fputs("fatal: out of memory\n", stderr);
        exit(128);
    }
    return p;
}

static void strbuf_addstr(struct strbuf *sb, const char *s)
{
    size_t len = strlen(s);
    if (sb->len + len + 1 > sb->alloc) {
        sb->alloc = (sb->len + len + 1) * 3 / 2;
        sb->buf = realloc(sb->buf, sb->alloc);
    }
    memcpy(sb->buf + sb->len, s, len + 1);
    sb->len += len;
}

static void write_object(struct repository *repo, z_stream *z, uint32_t id, const struct strbuf *text)
{
    struct packed *o = &repo->objects[id];
    unsigned char packed[4096];
    z->next_in = (unsigned char *)text->buf;
    z->avail_in = (unsigned)text->len;
    z->next_out = packed;
    z->avail_out = sizeof(packed);
    if (deflate(z, Z_FINISH) != Z_STREAM_END)
        exit(128);
    o->len = z->total_out;
    o->data = xcalloc(1, o->len);
    memcpy(o->data, packed, o->len);
    deflateReset(z);
}

static void *unpack(const struct repository *repo, uint32_t id, unsigned long *size)
{
    unsigned char text[4096];
    *size = sizeof(text);
    if (uncompress(text, size, repo->objects[id].data, repo->objects[id].len) != Z_OK)
        exit(128);
    char *copy = xcalloc(1, *size + 1);
    memcpy(copy, text, *size);
    return copy;
}

static struct commit *lookup_commit(struct repository *repo, uint32_t id)
{
    if (!repo->commits[id]) {
        repo->commits[id] = xcalloc(1, sizeof(struct commit));
        repo->commits[id]->id = id;
    }
    return repo->commits[id];
}

static void commit_list_insert(struct commit *item, struct commit_list **list)
{
    struct commit_list *entry = xcalloc(1, sizeof(*entry));
    entry->item = item;
    entry->next = *list;
    *list = entry;
}

static struct commit *pop_commit(struct commit_list **stack)
{
    struct commit_list *top = *stack;
    struct commit *item = top->item;
    *stack = top->next;
    free(top);
    return item;
}

static void parse_commit(struct repository *repo, struct commit *c)
{
    if (c->parsed)
        return;
    c->buffer = unpack(repo, c->id, &c->size); /* guilty */
    const char *line = c->buffer;
    while (strncmp(line, "parent ", 7) == 0) {
        commit_list_insert(lookup_commit(repo, (uint32_t)strtoul(line + 7, NULL, 16)), &c->parents);
        line = strchr(line, '\n') + 1;
    }
    const char *mail = strchr(line, '>');
    c->date = mail ? strtol(mail + 2, NULL, 10) : 0;
    c->parsed = 1;
}

static void count_author(struct author **authors, const struct commit *c)
{
    const char *name = strstr(c->buffer, "author ") + 7;
    size_t len = strcspn(name, "<") - 1;
    struct author *a = *authors;
    while (a && (strncmp(a->name, name, len) != 0 || a->name[len]))
        a = a->next;
    if (!a) {
        a = xcalloc(1, sizeof(*a));
        a->name = strndup(name, len);
        a->next = *authors;
        *authors = a;
    }
    a->commits++;
    a->by_month[c->date / 2629800 % 12]++;
}

static struct author *shortlog(struct repository *repo, uint32_t head)
{
    struct author *authors = NULL;
    struct commit_list *stack = NULL;
    commit_list_insert(lookup_commit(repo, head), &stack);
    while (stack) {
        struct commit *c = pop_commit(&stack);
        if (c->seen)
            continue;
        c->seen = 1;
        parse_commit(repo, c);
        count_author(&authors, c);
        for (struct commit_list *p = c->parents; p; p = p->next)
            if (!p->item->seen)
                commit_list_insert(p->item, &stack);
    }
    return authors;
}

static void make_history(struct repository *repo, uint32_t count)
{
    struct strbuf text = {0};
    z_stream z = {0};
    char line[200];
    deflateInit(&z, 1);
    repo->count = count;
    repo->objects = xcalloc(count, sizeof(*repo->objects));
    repo->commits = xcalloc(count, sizeof(*repo->commits));
    for (uint32_t id = 0; id < count; id++) {
        text.len = 0;
        for (uint32_t p = 0; p < 1 + (id % 7 == 6) && id > p * 5; p++) {
            snprintf(line, sizeof(line), "parent %08x\n", id - 1 - p * 5);
            strbuf_addstr(&text, line);
        }
        snprintf(line, sizeof(line), "author Developer %u <dev%u@example.org> %u +0100\n\n", id * 31 % 41, id * 31 % 41, 1500000000 + id * 900);
        strbuf_addstr(&text, line);
        for (uint32_t n = 0; n < 4 + id % 9; n++) {
            snprintf(line, sizeof(line), "driver: queue %u: don't take the lock when the ring is empty; it was held already\n", n * 7 + id % 5);
            strbuf_addstr(&text, line);
        }
        write_object(repo, &z, id, &text);
    }
    deflateEnd(&z);
    free(text.buf);
}

int main(void)
{
    struct repository repo = {0};
    make_history(&repo, 50000);
    struct author *authors = shortlog(&repo, repo.count - 1);
    for (struct author *a = authors; a; a = a->next)
        if (a->commits > 1219)
            printf("%6u %s\n", a->commits, a->name);
    return 0;
}
