/* Reads tables by a reader that calls back for each row; the caller's callback puts rows that look odd into its list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *cells[6];
    int number;
};

typedef int (*row_callback)(void *context, struct row *row);

struct findings {
    struct row **rows;
    size_t count, room;
};

static struct row *split(const char *line, int number)
{
    struct row *r = calloc(1, sizeof *r);
    if (!r)
        exit(1);
    r->number = number;
    for (int i = 0; i < 6; i++) {
        size_t n = strcspn(line, ";");
        r->cells[i] = strndup(line, n);
        line += n + (line[n] == ';');
    }
    return r;
}

static void drop(struct row *r)
{
    for (int i = 0; i < 6; i++)
        free(r->cells[i]);
    free(r);
}

static int read_table(int count, row_callback each, void *context)
{
    char line[200];
    int taken = 0;
    for (int i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%d;customer number %d;street %d;town of many people;%d;%d", i, i, i % 90, i % 7, i * 3);
        struct row *r = split(line, i);
        if (each(context, r))
            taken++;
        else
            drop(r);
    }
    return taken;
}

static int find_odd(void *context, struct row *row)
{
    struct findings *f = context;
    if (row->cells[4][0] == '0')
        return 0;
    if (f->count == f->room) {
        f->room = f->room ? f->room * 2 : 64;
        f->rows = realloc(f->rows, f->room * sizeof *f->rows);
        if (!f->rows)
            exit(1);
    }
    f->rows[f->count++] = row; /* guilty */
    return 1;
}

int main(void)
{
    struct findings odd = {0};
    int taken = 0;
    for (int i = 0; i < 12; i++)
        taken += read_table(10000, find_odd, &odd);
    printf("%d taken, last %d\n", taken, odd.rows[odd.count - 1]->number);
    return 0;
}
