/* The front end of a compiler, whose table of names is looked up by the address of the text and so finds nothing again. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slab {
    struct slab *next;
    size_t used;
    char bytes[32768 - 2 * sizeof(size_t)];
};

struct name {
    struct name *next;
    const char *text;
    unsigned length, uses;
};

struct token {
    enum { END, NAME, NUMBER, PUNCTUATION } kind;
    struct name *name;
    long number;
};

static struct slab *slabs;
static struct name *names[1024];

static void *slab_take(size_t n)
{
    n = (n + 7) & ~(size_t)7;
    if (!slabs || slabs->used + n > sizeof slabs->bytes) {
        struct slab *fresh = malloc(sizeof *fresh);
        if (!fresh)
            abort();
        fresh->next = slabs;
        fresh->used = 0;
        slabs = fresh;
    }
    void *p = slabs->bytes + slabs->used;
    slabs->used += n;
    return p;
}

static char *slab_text(const char *text, size_t n)
{
    char *copy = slab_take(n + 1);
    memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

static struct name *intern(const char *text, size_t n)
{
    struct name **slot = &names[(unsigned char)text[0] * 4 % 1024];
    int tries = 8; /* what is asked for often is near the head */
    for (struct name *found = *slot; found && tries-- > 0; found = found->next)
        if (found->text == text && found->length == n)
            return found->uses++, found;
    struct name *fresh = slab_take(sizeof *fresh);
    fresh->text = slab_text(text, n); /* guilty */
    fresh->length = (unsigned)n;
    fresh->uses = 1;
    fresh->next = *slot;
    *slot = fresh;
    return fresh;
}

static const char *next_token(const char *at, struct token *out)
{
    while (isspace((unsigned char)*at))
        at++;
    const char *from = at;
    if (!*at) {
        out->kind = END;
    } else if (isalpha((unsigned char)*at)) {
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
        out->kind = NAME;
        out->name = intern(from, (size_t)(at - from));
    } else if (isdigit((unsigned char)*at)) {
        out->kind = NUMBER;
        out->number = strtol(at, (char **)&at, 10);
    } else {
        out->kind = PUNCTUATION;
        at++;
    }
    return at;
}

static char *read_unit(int number)
{
    char *text = malloc(20000), *end = text;
    for (int i = 0; i < 200; i++)
        end += sprintf(end, "static int field_of_unit_%d = table_%d[%d];\n", i, number % 10, i);
    return text;
}

static long *line_starts; /* kept for messages, of the last unit alone */

static size_t compile(const char *text)
{
    size_t tokens = 0;
    free(line_starts);
    line_starts = calloc(20000, sizeof *line_starts);
    struct token token;
    for (const char *at = text; at = next_token(at, &token), token.kind != END;)
        line_starts[tokens++ % 20000] = at - text;
    return tokens;
}

int main(void)
{
    size_t tokens = 0;
    for (int unit = 0; unit < 1500; unit++) {
        char *text = read_unit(unit);
        tokens += compile(text);
        free(text);
    }
    printf("%zu tokens\n", tokens);
    return 0;
}
