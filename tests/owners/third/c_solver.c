/* A solver of equations, which keeps its state every few steps, to go back to, and never drops an old one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    size_t rows, columns;
    double values[];
};

struct solver {
    struct matrix *grid, *sources;
    struct matrix **checkpoints;
    size_t count, room;
    double residual;
};

static struct matrix *matrix_new(size_t rows, size_t columns)
{
    struct matrix *m = calloc(1, sizeof *m + rows * columns * sizeof(double));
    if (!m) {
        fputs("no memory for a matrix\n", stderr);
        exit(1);
    }
    m->rows = rows;
    m->columns = columns;
    return m;
}

static struct matrix *matrix_copy(const struct matrix *from)
{
    struct matrix *m = matrix_new(from->rows, from->columns);
    memcpy(m->values, from->values, from->rows * from->columns * sizeof(double));
    return m;
}

static double *cell(struct matrix *m, size_t row, size_t column)
{
    return &m->values[row * m->columns + column];
}

static void solver_start(struct solver *s, size_t size)
{
    memset(s, 0, sizeof *s);
    s->grid = matrix_new(size, size);
    s->sources = matrix_new(size, size);
    for (size_t i = 0; i < size; i++)
        *cell(s->sources, i, size / 2) = 1.0;
}

static void solver_step(struct solver *s)
{
    struct matrix *next = matrix_copy(s->grid);
    s->residual = 0;
    for (size_t r = 1; r + 1 < next->rows; r++)
        for (size_t c = 1; c + 1 < next->columns; c++) {
            double value = 0.25 * (*cell(s->grid, r - 1, c) + *cell(s->grid, r + 1, c) + *cell(s->grid, r, c - 1) +
                                   *cell(s->grid, r, c + 1) + *cell(s->sources, r, c));
            s->residual += fabs(value - *cell(s->grid, r, c));
            *cell(next, r, c) = value;
        }
    free(s->grid);
    s->grid = next;
}

static void remember(struct solver *s)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->checkpoints = realloc(s->checkpoints, s->room * sizeof(struct matrix *));
        if (!s->checkpoints)
            exit(1);
    }
    s->checkpoints[s->count] = matrix_copy(s->grid); /* guilty */
    s->count++;
}

static void solver_run(struct solver *s, int steps)
{
    for (int step = 0; step < steps; step++) {
        solver_step(s);
        if (step % 5 == 0)
            remember(s);
        if (s->residual < 1e-12)
            break;
    }
}

int main(void)
{
    struct solver solver;
    solver_start(&solver, 160);
    solver_run(&solver, 1200);
    printf("residual %g after %zu checkpoints\n", solver.residual, solver.count);
    return 0;
}
