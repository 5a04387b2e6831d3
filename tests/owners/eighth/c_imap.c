/* A mail server's FETCH: headers come from an index, BODYSTRUCTURE from the parsed message. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field {
    struct field *next;
    char *name;
    char *value;
};

struct part {
    struct part *next;
    struct part *children;
    struct field *fields;
    size_t offset, size, lines;
};

struct index_entry {
    unsigned uid;
    unsigned flags;
    char *from;
    char *subject;
    struct part *structure;
};

struct mailbox {
    char *name;
    struct index_entry *entries;
    unsigned n_entries;
    unsigned long parsed;
};

static void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (p == NULL) {
        fputs("imap: no memory\n", stderr);
        exit(75);
    }
    return p;
}

static char *xstrndup(const char *text, size_t len)
{
    char *copy = xcalloc(1, len + 1);
    memcpy(copy, text, len);
    return copy;
}

/* What a delivery agent would have written: two alternatives and some attachments. */
static char *message_open(unsigned uid)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        exit(75);
    fprintf(out, "From: Person %u <person%u@example.org>\nSubject: About the matter of %u\nMessage-ID: <%08x@mail.example.org>\n",
            uid % 300, uid % 300, uid, uid * 2654435761u);
    for (unsigned hop = 0; hop < 4; hop++)
        fprintf(out, "Received: from relay%u.example.org by mx%u.example.org with ESMTPS id %08x for <box@example.org>\n", hop,
                hop + 1, uid * 31 + hop);
    fprintf(out, "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=mail; h=from:subject; b=%0128u\n", uid);
    fputs("Content-Type: multipart/mixed; boundary=outer\n\n", out);
    for (unsigned i = 0; i < 2 + uid % 4; i++) {
        const char *type = i ? "application/pdf" : "text/plain";
        fprintf(out, "--outer\nContent-Type: %s; name=\"file-%u-%u\"\nContent-Transfer-Encoding: base64\n", type, uid, i);
        fprintf(out, "Content-Disposition: attachment; filename=\"file-%u-%u\"; size=%u\n\n", uid, i, 900 + i);
        for (unsigned line = 0; line < 8; line++)
            fprintf(out, "%064u\n", line);
    }
    fputs("--outer--\n", out);
    fclose(out);
    return text;
}

static void field_add(struct part *part, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    if (colon == NULL)
        return;
    struct field *field = xcalloc(1, sizeof *field);
    field->name = xstrndup(line, (size_t)(colon - line));
    do
        colon++;
    while (*colon == ' ');
    field->value = xstrndup(colon, (size_t)(line + len - colon));
    field->next = part->fields;
    part->fields = field;
}

static struct part *part_parse(const char *message, const char *at, const char *end)
{
    struct part *part = xcalloc(1, sizeof *part);
    const char *next;
    for (; at < end && *at != '\n'; at = next) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        next = eol != NULL ? eol + 1 : end;
        field_add(part, at, (size_t)(next - at - 1));
    }
    part->offset = (size_t)(at - message);
    part->size = (size_t)(end - at);
    struct part **last = &part->children;
    const char *start = strstr(at, "--outer\n");
    while (start != NULL && start < end) {
        start += strlen("--outer\n");
        const char *stop = strstr(start, "--outer");
        *last = part_parse(message, start, stop != NULL && stop < end ? stop : end);
        last = &(*last)->next;
        start = strstr(start, "--outer\n");
    }
    for (; at < end; at++)
        part->lines += *at == '\n';
    return part;
}

static void mailbox_open(struct mailbox *box, const char *name, unsigned n)
{
    box->name = xstrndup(name, strlen(name));
    box->entries = xcalloc(n, sizeof *box->entries);
    box->n_entries = n;
    for (unsigned i = 0; i < n; i++) {
        char text[400];
        struct index_entry *entry = &box->entries[i];
        entry->uid = i + 1;
        snprintf(text, sizeof text, "Person %u <person%u@example.org>", i % 300, i % 300);
        entry->from = xstrndup(text, strlen(text));
        snprintf(text, sizeof text,
                 "About the matter of %u, which has a rather long line of subject; to=box@example.org; date=%u; "
                 "refs=<%08x@mail.example.org>",
                 i, i, i);
        entry->subject = xstrndup(text, strlen(text));
    }
}

static const struct part *mailbox_structure(struct mailbox *box, struct index_entry *entry)
{
    if (entry->structure == NULL) {
        char *text = message_open(entry->uid);
        entry->structure = part_parse(text, text, text + strlen(text)); /* guilty */
        free(text);
        box->parsed++;
    }
    return entry->structure;
}

static void print_structure(FILE *out, const struct part *part)
{
    fputc('(', out);
    for (const struct field *field = part->fields; field != NULL; field = field->next)
        if (strncmp(field->name, "Content-", 8) == 0)
            fprintf(out, "\"%s\" ", field->value);
    fprintf(out, "%zu %zu", part->size, part->lines);
    for (const struct part *child = part->children; child != NULL; child = child->next)
        print_structure(out, child);
    fputc(')', out);
}

static void fetch(struct mailbox *box, unsigned from, unsigned to, bool with_structure, FILE *out)
{
    for (unsigned i = from; i < to && i < box->n_entries; i++) {
        struct index_entry *entry = &box->entries[i];
        fprintf(out, "* %u FETCH (UID %u FLAGS (%s) ENVELOPE (\"%s\" \"%s\")", i + 1, entry->uid,
                entry->flags ? "\\Seen" : "", entry->from, entry->subject);
        if (with_structure)
            print_structure(out, mailbox_structure(box, entry));
        fputs(")\r\n", out);
        entry->flags = 1;
    }
}

int main(void)
{
    struct mailbox box = {NULL, NULL, 0, 0};
    FILE *client = fopen("/dev/null", "w");
    if (client == NULL)
        return 1;
    mailbox_open(&box, "INBOX/Archive", 20000);
    for (unsigned page = 0; page < box.n_entries; page += 50)
        fetch(&box, page, page + 50, page % 150 != 0, client);
    fetch(&box, 0, 50, true, client);
    printf("%s: %u messages, %lu parsed\n", box.name, box.n_entries, box.parsed);
    fclose(client);
    return 0;
}
