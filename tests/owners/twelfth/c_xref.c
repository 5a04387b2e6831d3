/* Reads source text and lists where each identifier is defined and used. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH 8192
#define SHOWN 4

struct use {
    int file, line, column;
    char kind;
    char *context;
    struct use *next;
};

struct symbol {
    struct symbol *next;
    struct use *uses;
    int n_uses, defined;
    char name[];
};

struct source {
    char *text;
    size_t length, room;
};

static struct symbol *table[HASH];
static unsigned n_symbols, n_keywords;

static const char *const keywords[] = {"if", "else", "for", "while", "return", "int", "char", "static", "struct", "void", "const"};

static void fatal(const char *what)
{
    fprintf(stderr, "xref: %s\n", what);
    exit(2);
}

static void *must(void *p)
{
    if (!p)
        fatal("out of memory");
    return p;
}

static unsigned random_below(unsigned n)
{
    static unsigned long s = 88172645463325252ul;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return (unsigned)(s >> 20) % n;
}

static void emit(struct source *s, const char *words)
{
    size_t n = strlen(words);
    if (s->length + n + 1 > s->room) {
        s->room = (s->room + n) * 2;
        s->text = must(realloc(s->text, s->room));
    }
    memcpy(s->text + s->length, words, n + 1);
    s->length += n;
}

/* Stands for reading a file. */
static struct source *open_source(int file)
{
    static const char *const stems[] = {"buffer", "node", "token", "entry", "count", "parse", "flush", "width", "offset", "state"};
    static const char *const shapes[] = {"    %s_%s%u = %s_%s(%s%u);\n", "    if (%s_%s%u < %s_%s) return %s%u;\n",
                                         "    for (%s_%s%u = 0; %s_%s; %s%u++) ;\n", "static int %s_%s%u(int %s_%s, char %s%u)\n"};
    struct source *s = must(calloc(1, sizeof(*s)));
    char line[200];
    for (int i = 0; i < 60 + file % 40; i++) {
        snprintf(line, sizeof(line), shapes[random_below(16) ? random_below(3) : 3], stems[random_below(10)], stems[random_below(10)],
                 random_below(30), stems[random_below(10)], stems[random_below(10)], stems[random_below(10)], random_below(4));
        emit(s, line);
    }
    return s;
}

static void close_source(struct source *s)
{
    free(s->text);
    free(s);
}

static int is_keyword(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
        if (strlen(keywords[i]) == n && memcmp(keywords[i], word, n) == 0)
            return 1;
    return 0;
}

static struct symbol *intern(const char *word, size_t n)
{
    unsigned h = 5381;
    for (size_t i = 0; i < n; i++)
        h = h * 33 + (unsigned char)word[i];
    struct symbol **at = &table[h % HASH];
    for (; *at; at = &(*at)->next)
        if (strncmp((*at)->name, word, n) == 0 && !(*at)->name[n])
            return *at;
    *at = must(calloc(1, sizeof(struct symbol) + n + 1));
    memcpy((*at)->name, word, n);
    n_symbols++;
    return *at;
}

static char *copy_line(const char *start)
{
    const char *end = strchr(start, '\n');
    while (isspace((unsigned char)*start) && *start != '\n')
        start++;
    return must(strndup(start, end ? (size_t)(end - start) : strlen(start)));
}

static void add_use(struct symbol *s, int file, int line, int column, char kind, const char *start)
{
    struct use *u = must(malloc(sizeof(*u)));
    u->file = file;
    u->line = line;
    u->column = column;
    u->kind = kind;
    u->context = copy_line(start); /* guilty */
    u->next = s->uses;
    s->uses = u;
    s->n_uses++;
    s->defined |= kind == 'd';
}

static void scan(int file, const char *text)
{
    int line = 1, definition = 0;
    const char *start = text;
    for (const char *p = text; *p;) {
        if (*p == '\n') {
            line++;
            start = ++p;
            definition = 0;
        } else if (isalpha((unsigned char)*p) || *p == '_') {
            const char *word = p;
            while (isalnum((unsigned char)*p) || *p == '_')
                p++;
            if (is_keyword(word, (size_t)(p - word))) {
                n_keywords++;
                definition |= *word == 's';
            } else {
                add_use(intern(word, (size_t)(p - word)), file, line, (int)(word - start), definition && *p == '(' ? 'd' : 'u', start);
            }
        } else {
            p++;
        }
    }
}

static int most_used_first(const void *a, const void *b)
{
    const struct symbol *x = *(struct symbol *const *)a, *y = *(struct symbol *const *)b;
    return x->n_uses != y->n_uses ? y->n_uses - x->n_uses : strcmp(x->name, y->name);
}

static void print_index(void)
{
    struct symbol **all = must(malloc((n_symbols + 1) * sizeof(*all)));
    unsigned n = 0;
    for (unsigned i = 0; i < HASH; i++)
        for (struct symbol *s = table[i]; s; s = s->next)
            all[n++] = s;
    qsort(all, n, sizeof(*all), most_used_first);
    for (unsigned i = 0; i < n && i < 3; i++) {
        printf("%s%s: %d uses\n", all[i]->name, all[i]->defined ? "()" : "", all[i]->n_uses);
        struct use *u = all[i]->uses;
        for (int k = 0; u && k < SHOWN; k++, u = u->next)
            printf("  %d:%d:%d %s\n", u->file, u->line, u->column, u->context);
    }
    free(all);
}

int main(void)
{
    for (int file = 0; file < 1900; file++) {
        struct source *s = open_source(file);
        scan(file, s->text);
        close_source(s);
    }
    printf("%u symbols, %u keywords\n", n_symbols, n_keywords);
    print_index();
    return 0;
}
