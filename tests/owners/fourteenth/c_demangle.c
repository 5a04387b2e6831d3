/* Makes names of a linker readable: a recursive parser over mangled names, trees in an arena, a table of answers with a bound. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 65536
#define ANSWERS 4096

typedef struct block {
    struct block *below;
    size_t used;
    char bytes[BLOCK];
} Block;

static Block *top;

static void *take(size_t n)
{
    if (!top || top->used + n > BLOCK) {
        Block *b = malloc(sizeof(*b));
        if (!b)
            abort();
        b->below = top;
        b->used = 0;
        top = b;
    }
    top->used += n;
    return top->bytes + top->used - n;
}

static void give_back(Block *block, size_t used)
{
    while (top != block) {
        Block *b = top;
        top = b->below;
        free(b);
    }
    if (top)
        top->used = used;
}

enum kind { NAME, POINTER, REFERENCE, TEMPLATE, LIST };

typedef struct node {
    enum kind kind;
    int length;
    struct node *left, *right;
    char text[32];
} Node;

static Node *node(enum kind kind, Node *left, Node *right)
{
    Node *n = take(sizeof(*n));
    *n = (Node){kind, 0, left, right, ""};
    return n;
}

static Node *parse_type(const char **s);

static Node *parse_list(const char **s)
{
    Node *list = NULL;
    while (**s && **s != 'E') {
        Node *type = parse_type(s);
        if (!type)
            return NULL;
        list = node(LIST, list, type);
    }
    return list;
}

static Node *parse_name(const char **s)
{
    int length = 0;
    while (isdigit((unsigned char)**s))
        length = length * 10 + *(*s)++ - '0';
    if (!length || strlen(*s) < (size_t)length)
        return NULL;
    Node *n = node(NAME, NULL, NULL);
    n->length = length < 31 ? length : 31;
    memcpy(n->text, *s, (size_t)n->length);
    *s += length;
    return n;
}

static Node *parse_type(const char **s)
{
    if (**s == 'P' || **s == 'R') {
        enum kind kind = *(*s)++ == 'P' ? POINTER : REFERENCE;
        Node *inner = parse_type(s);
        return inner ? node(kind, inner, NULL) : NULL;
    }
    Node *n = parse_name(s);
    if (n && **s == 'I') {
        ++*s;
        Node *arguments = parse_list(s);
        if (*(*s)++ != 'E')
            return NULL;
        n = node(TEMPLATE, n, arguments);
    }
    return n;
}

static size_t print(const Node *n, char *out, size_t room)
{
    static const char *const after[] = {"", "*", "&", ">", ""};
    if (!n || room < 40)
        return 0;
    size_t at = n->kind == NAME ? (size_t)snprintf(out, room, "%.*s", n->length, n->text) : print(n->left, out, room);
    if (n->kind == TEMPLATE || (n->kind == LIST && n->left))
        out[at++] = n->kind == TEMPLATE ? '<' : ',';
    at += print(n->right, out + at, room - at);
    return at + (size_t)snprintf(out + at, room - at, "%s", after[n->kind]);
}

static char *answers[ANSWERS];
static long good, bad;

static const char *readable(const char *mangled)
{
    Block *block = top;
    size_t used = top ? top->used : 0;
    const char *s = mangled + 2;
    Node *tree = parse_list(&s); /* guilty */
    if (!tree || *s) {
        bad++;
        return mangled;
    }
    char text[8192];
    size_t n = print(tree, text, sizeof(text));
    give_back(block, used);
    char **slot = &answers[good++ % ANSWERS];
    free(*slot);
    return *slot = strndup(text, n);
}

static unsigned seed = 29;

static unsigned pick(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static char *type_of(char *out, int depth)
{
    static const char *const names[] = {"6vector", "3map", "6string", "P4Node", "R8function", "5Array"};
    out += sprintf(out, "%s", names[pick(6)]);
    if (depth > 0 && pick(3)) {
        *out++ = 'I';
        for (unsigned n = 1 + pick(3); n > 0; n--)
            out = type_of(out, depth - 1);
        *out++ = 'E';
    }
    return out;
}

/* Some symbols end in something that this parser has not learned. */
static void made_up(char *out)
{
    char *end = out + sprintf(out, "_Z5f%04u", pick(10000));
    for (unsigned n = 1 + pick(4); n > 0; n--)
        end = type_of(end, 3);
    strcpy(end, pick(4) ? "" : "C1v");
}

int main(void)
{
    char name[4096];
    size_t bytes = 0;
    for (unsigned i = 0; i < 60000; i++) {
        made_up(name);
        bytes += strlen(readable(name));
    }
    printf("%ld names made readable, %ld left as they were, %zu bytes\n", good, bad, bytes);
    return 0;
}
