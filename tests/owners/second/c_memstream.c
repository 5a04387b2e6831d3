/* Reports written to streams in memory; the buffers are kept. */
#include <stdio.h>
#include <stdlib.h>

static char *reports[4000];

__attribute__((noinline)) static void row(FILE *f, int i)
{
    fprintf(f, "row %d: %0*d\n", i, 80, i * 7);
}

__attribute__((noinline)) static void render_report(int number)
{
    size_t size;
    FILE *f = open_memstream(&reports[number], &size);
    for (int i = 0; i < 150; i++)
        row(f, i); /* guilty */
    fclose(f);
}

__attribute__((noinline)) static char *title(void)
{
    char *text = NULL;
    if (asprintf(&text, "reports of %d days", 4000) < 0)
        abort();
    return text;
}

int main(void)
{
    char *t = title();
    for (int i = 0; i < 4000; i++)
        render_report(i);
    puts(t);
    return 0;
}
