/* Transient analysis of electronic circuits: resistors, capacitors, diodes and sources, by Newton's method at each step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 24
#define VT 0.02585

enum kind { RESISTOR, CAPACITOR, DIODE, SOURCE };

struct device {
    enum kind kind;
    int a, b;
    double value, state;
};

struct wave {
    double *samples;
    size_t n, cap;
};

struct circuit {
    struct device *dev;
    size_t n_dev;
    double *matrix, *rhs, *v;
    struct wave time, node[NODES];
    int probe;
};

static void die(const char *what)
{
    fprintf(stderr, "circuit: %s\n", what);
    exit(1);
}

static double *new_doubles(size_t n)
{
    double *p = calloc(n, sizeof *p);
    if (!p) die("no memory");
    return p;
}

static void wave_add(struct wave *w, double value)
{
    if (w->n == w->cap) {
        w->cap += w->cap / 2 + 256;
        w->samples = realloc(w->samples, w->cap * sizeof *w->samples);
        if (!w->samples) die("no memory");
    }
    w->samples[w->n++] = value;
}

static void add_device(struct circuit *c, enum kind kind, int a, int b, double value)
{
    if ((c->n_dev & (c->n_dev - 1)) == 0) {
        c->dev = realloc(c->dev, (c->n_dev ? 2 * c->n_dev : 1) * sizeof *c->dev);
        if (!c->dev) die("no memory");
    }
    c->dev[c->n_dev++] = (struct device){kind, a, b, value, 0};
}

static void stamp(struct circuit *c, int a, int b, double g, double i)
{
    if (a) c->matrix[a * NODES + a] += g, c->rhs[a] -= i;
    if (b) c->matrix[b * NODES + b] += g, c->rhs[b] += i;
    if (a && b) c->matrix[a * NODES + b] -= g, c->matrix[b * NODES + a] -= g;
}

static void load(struct circuit *c, double t, double h)
{
    memset(c->matrix, 0, NODES * NODES * sizeof *c->matrix);
    memset(c->rhs, 0, NODES * sizeof *c->rhs);
    for (struct device *d = c->dev; d < c->dev + c->n_dev; d++) {
        double across = c->v[d->a] - c->v[d->b], g, e;
        switch (d->kind) {
        case RESISTOR: stamp(c, d->a, d->b, 1 / d->value, 0); break;
        case CAPACITOR: stamp(c, d->a, d->b, d->value / h, -d->value / h * d->state); break;
        case DIODE:
            e = exp(fmin(across, 0.8) / VT);
            g = d->value / VT * e + 1e-12;
            stamp(c, d->a, d->b, g, d->value * (e - 1) - g * fmin(across, 0.8));
            break;
        case SOURCE: stamp(c, d->a, d->b, 1e3, -1e3 * d->value * sin(6.2832 * 50 * t)); break;
        }
    }
}

static void solve(double *m, double *rhs)
{
    for (int k = 1; k < NODES; k++) {
        for (int i = k + 1; i < NODES; i++) {
            double f = m[i * NODES + k] / m[k * NODES + k];
            if (f == 0) continue;
            for (int j = k; j < NODES; j++) m[i * NODES + j] -= f * m[k * NODES + j];
            rhs[i] -= f * rhs[k];
        }
    }
    for (int i = NODES - 1; i > 0; i--) {
        for (int j = i + 1; j < NODES; j++) rhs[i] -= m[i * NODES + j] * rhs[j];
        rhs[i] /= m[i * NODES + i];
    }
}

static double newton(struct circuit *c, double t, double h)
{
    double change = 1;
    for (int tries = 0; tries < 8 && change > 1e-4; tries++) {
        load(c, t, h);
        solve(c->matrix, c->rhs);
        change = 0;
        for (int i = 1; i < NODES; i++) {
            double next = c->v[i] + fmax(-0.5, fmin(0.5, c->rhs[i] - c->v[i]));
            change = fmax(change, fabs(next - c->v[i]));
            c->v[i] = next;
        }
    }
    return change;
}

/* So that any node can be plotted afterwards. */
static void save_point(struct circuit *c, double t)
{
    wave_add(&c->time, t);
    for (int i = 0; i < NODES; i++) wave_add(&c->node[i], c->v[i]); /* guilty */
}

static size_t transient(struct circuit *c, double until, double h)
{
    size_t steps = 0;
    for (double t = 0; t < until; t += h, steps++) {
        newton(c, t, h);
        for (struct device *d = c->dev; d < c->dev + c->n_dev; d++)
            if (d->kind == CAPACITOR) d->state = c->v[d->a] - c->v[d->b];
        save_point(c, t);
    }
    return steps;
}

static double highest(const struct wave *w)
{
    double best = 0;
    for (size_t i = 0; i < w->n; i++) best = fmax(best, w->samples[i]);
    return best;
}

int main(void)
{
    struct circuit c = {.matrix = new_doubles(NODES * NODES), .rhs = new_doubles(NODES), .v = new_doubles(NODES), .probe = NODES - 1};
    add_device(&c, SOURCE, 1, 0, 5);
    for (int i = 1; i + 1 < NODES; i++) {
        add_device(&c, i % 11 == 1 ? DIODE : RESISTOR, i, i + 1, i % 11 == 1 ? 1e-12 : 100);
        add_device(&c, CAPACITOR, i + 1, 0, 1e-8);
        add_device(&c, RESISTOR, i + 1, 0, 470000);
    }
    size_t steps = transient(&c, 1.2, 1e-5);
    printf("%zu steps; node %d reaches %.3f V\n", steps, c.probe, highest(&c.node[c.probe]));
    return 0;
}
