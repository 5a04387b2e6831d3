/* Takes personal data out of logs before they are handed on. Rules are regular expressions of PCRE2. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

typedef struct rule {
    struct rule *next;
    char *text;
    pcre2_code *code;
    unsigned long hits;
} rule_t;

typedef struct {
    rule_t *table[4096];
    size_t size;
    pcre2_match_data *match;
} rules_t;

typedef struct {
    rules_t rules;
    rule_t *fixed;
    unsigned long lines, changed;
} scrubber_t;

static char *xasprintf(const char *format, ...)
{
    char *s;
    va_list args;
    va_start(args, format);
    if (vasprintf(&s, format, args) < 0) abort();
    va_end(args);
    return s;
}

static pcre2_code *compile(const char *text)
{
    int error;
    PCRE2_SIZE where;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_CASELESS | PCRE2_UTF, &error, &where, NULL);
    if (code == NULL) {
        PCRE2_UCHAR message[120];
        pcre2_get_error_message(error, message, sizeof message);
        fprintf(stderr, "scrub: %s at %zu: %s\n", text, (size_t)where, message);
        exit(2);
    }
    return code;
}

static rule_t *rule_new(char *text)
{
    rule_t *r = calloc(1, sizeof *r);
    if (r == NULL) abort();
    r->text = text;
    r->code = compile(text);
    return r;
}

static unsigned hash(const char *s)
{
    unsigned h = 0;
    while (*s) h = h * 131 + (unsigned char)*s++;
    return h % 4096;
}

static rule_t *find(rules_t *rules, const char *text)
{
    for (rule_t *r = rules->table[hash(text)]; r; r = r->next)
        if (strcmp(r->text, text) == 0) return r;
    return NULL;
}

/* What a user may appear as: full name, initials, or the account. Compiling is slow, so it is done once. */
static rule_t *rule_of_user(rules_t *rules, const char *account, const char *first, const char *last)
{
    char *text = xasprintf("\\b(?:%s[._ -]+%s|%c\\.? ?%s|%s(?:@[\\w.-]+)?|uid=%s)\\b", first, last, *first, last, account, account);
    rule_t *r = find(rules, text);
    if (r) {
        free(text);
        return r;
    }
    r = rule_new(text); /* guilty */
    r->next = rules->table[hash(text)];
    rules->table[hash(text)] = r;
    rules->size++;
    return r;
}

static void add_fixed(scrubber_t *s, const char *text)
{
    rule_t *r = rule_new(xasprintf("%s", text));
    r->next = s->fixed;
    s->fixed = r;
}

static bool apply(scrubber_t *s, rule_t *r, char *line)
{
    bool any = false;
    size_t at = 0, n = strlen(line);
    while (at < n && pcre2_match(r->code, (PCRE2_SPTR)line, n, at, 0, s->rules.match, NULL) > 0) {
        PCRE2_SIZE *o = pcre2_get_ovector_pointer(s->rules.match);
        memset(line + o[0], '*', o[1] - o[0]);
        at = o[1] + (o[0] == o[1]);
        any = true;
        r->hits++;
    }
    return any;
}

static void scrub(scrubber_t *s, char *line, const char *account, const char *first, const char *last)
{
    bool any = apply(s, rule_of_user(&s->rules, account, first, last), line);
    for (rule_t *r = s->fixed; r; r = r->next) any |= apply(s, r, line);
    s->lines++;
    s->changed += any;
}

int main(void)
{
    static const char *names[] = {"ada", "bo", "chen", "dimitri", "elif", "farid", "greta", "hugo", "ines", "jun"};
    scrubber_t s = {0};
    s.rules.match = pcre2_match_data_create(8, NULL);
    add_fixed(&s, "\\b\\d{1,3}(?:\\.\\d{1,3}){3}\\b");
    add_fixed(&s, "\\b(?:\\+|00)\\d[\\d ()-]{6,}\\d\\b");
    add_fixed(&s, "(?<=session=)[0-9a-f]+");
    for (unsigned i = 0; i < 60000; i++) {
        char account[64], first[32], last[48];
        char line[256];
        snprintf(first, sizeof first, "%s", names[i % 10]);
        snprintf(last, sizeof last, "%sson%u", names[i / 10 % 10], i * 7919u % 51000);
        snprintf(account, sizeof account, "%c%s", first[0], last);
        snprintf(line, sizeof line, "10.0.%u.%u %s logged in, session=%x (%s %s, +49 30 %07u)", i % 200, i % 77, account, i * 97, first, last, i);
        scrub(&s, line, account, first, last);
        if (i % 20000 == 0) puts(line);
    }
    printf("%lu lines, %lu changed, %zu rules\n", s.lines, s.changed, s.rules.size);
    pcre2_match_data_free(s.rules.match);
    return 0;
}
