/* A JSON-RPC server: one request in a line. Its configuration is JSON, too. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum json_kind { JSON_NULL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    char *key, *text;
    double number;
    struct json *first, *last, *next;
};

static struct json *json_node(enum json_kind kind)
{
    struct json *j = calloc(1, sizeof *j);
    j->kind = kind;
    return j;
}

static void json_add(struct json *to, struct json *item)
{
    if (to->last)
        to->last->next = item;
    else
        to->first = item;
    to->last = item;
}

static void json_free(struct json *j)
{
    while (j) {
        struct json *next = j->next;
        json_free(j->first);
        free(j->key);
        free(j->text);
        free(j);
        j = next;
    }
}

static const char *skip(const char *p)
{
    while (isspace((unsigned char)*p) || *p == ',' || *p == ':')
        p++;
    return p;
}

static char *json_text(const char **p)
{
    const char *start = ++*p;
    while (**p != '"')
        ++*p;
    return strndup(start, (size_t)((*p)++ - start));
}

static struct json *json_value(const char **p)
{
    *p = skip(*p);
    if (**p == '"') {
        struct json *j = json_node(JSON_STRING);
        j->text = json_text(p);
        return j;
    }
    if (**p == '[' || **p == '{') {
        struct json *j = json_node(**p == '[' ? JSON_ARRAY : JSON_OBJECT);
        for (*p = skip(*p + 1); **p != ']' && **p != '}'; *p = skip(*p)) {
            char *key = j->kind == JSON_OBJECT ? json_text(p) : NULL;
            struct json *item = json_value(p);
            item->key = key;
            json_add(j, item);
        }
        ++*p;
        return j;
    }
    struct json *j = json_node(JSON_NUMBER);
    j->number = strtod(*p, (char **)p);
    return j;
}

static struct json *json_parse(const char *text)
{
    const char *p = text;
    return json_value(&p);
}

static struct json *json_get(struct json *j, const char *key)
{
    for (j = j->first; j; j = j->next)
        if (strcmp(j->key, key) == 0)
            return j;
    return NULL;
}

struct server {
    struct json *config;
    struct json *pending[32768]; /* by identity: until the worker answers */
    size_t answered;
};

static void config_load(struct server *s)
{
    char *text = malloc(1 << 20), *end = text;
    end += sprintf(end, "{\"workers\": 4, \"routes\": [");
    for (int i = 0; i < 6000; i++)
        end += sprintf(end, "\"/api/v1/items/%d\", ", i);
    strcpy(end, "]}");
    s->config = json_parse(text);
    free(text);
}

static void answer(struct server *s, struct json *request)
{
    s->answered++;
    json_free(request);
}

/* A notification has no identity, and so nobody answers it; but it stands among those that wait. */
static void handle_line(struct server *s, size_t number, const char *line)
{
    struct json *request = json_parse(line); /* guilty */
    struct json *method = json_get(request, "method");
    if (strcmp(method->text, "ping") == 0)
        answer(s, request);
    else
        s->pending[number] = request;
}

int main(void)
{
    static struct server s;
    char line[512];
    config_load(&s);
    for (size_t i = 0; i < 65000; i++) {
        snprintf(line, sizeof line,
            "{\"jsonrpc\": \"2.0\", \"method\": \"%s\", \"params\": {\"file\": \"src/%zu.c\", \"at\": [%zu, %zu, 7, 0, 0, 1], \"text\": \"int the_number_of_lines_in_the_file = 0;\"}}",
            i % 2 ? "ping" : "changed", i, i % 900, i % 80);
        handle_line(&s, i / 2, line);
    }
    printf("%zu answered\n", s.answered);
    return 0;
}
