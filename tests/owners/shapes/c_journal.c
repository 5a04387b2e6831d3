#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum level { DEBUG, INFO, WARN };
struct line { enum level level; char *text; struct line *next; };
struct journal { struct line *first, **last; size_t count; };
static char *format(const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    char *text = malloc((size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}
static void note(struct journal *j, enum level level, const char *fmt, ...)
{
    va_list args;
    struct line *l = malloc(sizeof *l);
    va_start(args, fmt);
    l->level = level;
    l->text = format(fmt, args); /* guilty */
    va_end(args);
    l->next = NULL;
    *j->last = l;
    j->last = &l->next;
    j->count++;
}
static void boil(struct journal *j, unsigned t) { note(j, DEBUG, "kettle at %u degrees after %u seconds, lid %s", t % 100, t, t & 1 ? "open" : "closed"); }
static void pour(struct journal *j, unsigned t) { if (t % 3 == 0) note(j, INFO, "poured cup %u for table %u", t, t % 17); }
static void clean(struct journal *j, unsigned t) { if (t % 11 == 0) note(j, WARN, "filter %u is dirty again", t); }
int main(void)
{
    struct journal j = {NULL, &j.first, 0};
    for (unsigned t = 0; t < 250000; t++) { boil(&j, t); pour(&j, t); clean(&j, t); }
    printf("%zu\n", j.count);
    return 0;
}
