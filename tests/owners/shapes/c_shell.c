#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct words { char **v; int n; };
struct command { struct words args; struct command *prev; };
static struct command *history;
static struct words split(const char *line)
{
    struct words w = {calloc(12, sizeof(char *)), 0};
    char *copy = strdup(line), *save, *tok;
    for (tok = strtok_r(copy, " ", &save); tok && w.n < 11; tok = strtok_r(NULL, " ", &save)) w.v[w.n++] = strdup(tok);
    free(copy);
    return w;
}
static void words_free(struct words *w) { for (int i = 0; i < w->n; i++) free(w->v[i]); free(w->v); }
static int expand(const char *line)
{
    struct words w = split(line);
    int n = w.n;
    words_free(&w);
    return n;
}
static int run_echo(struct words *w) { int total = 0; for (int i = 1; i < w->n; i++) total += (int)strlen(w->v[i]); return total; }
static void record(struct words w)
{
    struct command *c = malloc(sizeof *c);
    c->args = w;
    c->prev = history;
    history = c; /* guilty */
}
static int interpret(const char *line)
{
    struct words w = split(line);
    if (w.n == 0) { words_free(&w); return 0; }
    int status = run_echo(&w);
    record(w);
    return status;
}
int main(void)
{
    long sum = 0;
    for (int i = 0; i < 90000; i++) {
        char line[100];
        snprintf(line, sizeof line, "echo -n file%d with some other words %d", i, i % 77);
        sum += expand(line) + interpret(line);
    }
    printf("%ld\n", sum);
    return 0;
}
