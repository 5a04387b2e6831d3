/* Reads the description of a deployment: YAML with anchors, of which services are made. Uses libyaml. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef enum { SCALAR, SEQUENCE, MAPPING } Kind;

typedef struct Node Node;
struct Node {
    Kind kind;
    char *anchor;
    char *text;
    Node **items; /* of a mapping, keys and values by turns */
    size_t count, room;
};

typedef struct {
    yaml_parser_t yaml;
    yaml_event_t event;
    Node *anchors[64];
    size_t nAnchors, aliases;
} Loader;

static void *checked(void *p)
{
    if (!p) {
        fputs("compose: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static char *copyText(const char *s)
{
    return s ? checked(strdup(s)) : NULL;
}

static Node *newNode(Kind kind, const char *anchor, const char *text)
{
    Node *n = checked(calloc(1, sizeof(Node)));
    n->kind = kind;
    n->anchor = copyText(anchor);
    n->text = copyText(text);
    return n;
}

static void append(Node *to, Node *item)
{
    if (to->count == to->room) {
        to->room = to->room ? to->room * 2 : 4;
        to->items = checked(realloc(to->items, to->room * sizeof(Node *)));
    }
    to->items[to->count++] = item;
}

static void freeNode(Node *n)
{
    for (size_t i = 0; i < n->count; i++) freeNode(n->items[i]);
    free(n->items);
    free(n->anchor);
    free(n->text);
    free(n);
}

static Node *deepCopy(const Node *from)
{
    Node *n = newNode(from->kind, NULL, from->text);
    for (size_t i = 0; i < from->count; i++) append(n, deepCopy(from->items[i]));
    return n;
}

static void advance(Loader *l)
{
    yaml_event_delete(&l->event);
    if (!yaml_parser_parse(&l->yaml, &l->event)) {
        fprintf(stderr, "compose: line %zu: %s\n", l->yaml.problem_mark.line + 1, l->yaml.problem);
        exit(1);
    }
}

static Node *define(Loader *l, Node *n)
{
    if (n->anchor && l->nAnchors < sizeof l->anchors / sizeof *l->anchors) l->anchors[l->nAnchors++] = n;
    return n;
}

/* Each use gets its own, as merging changes it. */
static Node *resolveAlias(Loader *l, const char *name)
{
    for (size_t i = l->nAnchors; i-- > 0;) {
        if (strcmp(l->anchors[i]->anchor, name) != 0) continue;
        Node *own = deepCopy(l->anchors[i]); /* guilty */
        l->aliases++;
        return own;
    }
    fprintf(stderr, "compose: no anchor %s\n", name);
    exit(1);
}

static Node *loadNode(Loader *l);

static Node *loadItems(Loader *l, Node *n, yaml_event_type_t end)
{
    for (advance(l); l->event.type != end; advance(l)) append(n, loadNode(l));
    return define(l, n);
}

static Node *loadNode(Loader *l)
{
    yaml_event_t *e = &l->event;
    switch (e->type) {
    case YAML_SCALAR_EVENT: return define(l, newNode(SCALAR, (char *)e->data.scalar.anchor, (char *)e->data.scalar.value));
    case YAML_ALIAS_EVENT: return resolveAlias(l, (char *)e->data.alias.anchor);
    case YAML_SEQUENCE_START_EVENT: return loadItems(l, newNode(SEQUENCE, (char *)e->data.sequence_start.anchor, NULL), YAML_SEQUENCE_END_EVENT);
    case YAML_MAPPING_START_EVENT: return loadItems(l, newNode(MAPPING, (char *)e->data.mapping_start.anchor, NULL), YAML_MAPPING_END_EVENT);
    default: fprintf(stderr, "compose: unexpected event %d\n", e->type); exit(1);
    }
}

static Node *loadDocument(const char *text, size_t size)
{
    Loader l = {0};
    if (!yaml_parser_initialize(&l.yaml)) exit(1);
    yaml_parser_set_input_string(&l.yaml, (const unsigned char *)text, size);
    do advance(&l);
    while (l.event.type == YAML_STREAM_START_EVENT || l.event.type == YAML_DOCUMENT_START_EVENT);
    Node *root = loadNode(&l);
    yaml_event_delete(&l.event);
    yaml_parser_delete(&l.yaml);
    return root;
}

static const Node *lookUp(const Node *map, const char *key)
{
    for (size_t i = 0; map && map->kind == MAPPING && i + 1 < map->count; i += 2)
        if (map->items[i]->text && strcmp(map->items[i]->text, key) == 0) return map->items[i + 1];
    return NULL;
}

static char *example(int services, size_t *size)
{
    char *text;
    FILE *f = checked(open_memstream(&text, size));
    fputs("defaults: &defaults\n  restart: always\n  environment: &env\n", f);
    for (int i = 0; i < 60; i++) fprintf(f, "    SETTING_%d: \"the value of setting %d\"\n", i, i);
    fputs("  labels: [one, two, three]\nlogging: &logging\n  driver: journald\n  options: {tag: web, size: 10m}\nservices:\n", f);
    for (int i = 0; i < services; i++)
        fprintf(f, "  service%d:\n    image: example/image:%d\n    base: *defaults\n    ports: [%d, %d]\n    logging: *logging\n", i, i % 9, 8000 + i, 9000 + i);
    fclose(f);
    return text;
}

int main(void)
{
    size_t size;
    char *text = example(20, &size);
    for (int i = 0; i < 30; i++) freeNode(loadDocument(text, size));
    free(text);
    text = example(2800, &size);
    Node *root = loadDocument(text, size);
    free(text);
    const Node *services = lookUp(root, "services"), *one = lookUp(services, "service1234");
    const Node *image = lookUp(one, "image"), *restart = lookUp(lookUp(one, "base"), "restart");
    printf("%zu services; %s, %s\n", services->count / 2, image->text, restart->text);
    return 0;
}
