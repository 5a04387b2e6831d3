/* Reads G-code of a milling machine, breaks arcs into short lines, plans their speeds, and feeds them to the steppers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    double x, y, z;
};

struct segment {
    struct point to;
    double length, feed, entry, exit;
    struct segment *next;
};

struct planner {
    struct segment *head, *tail;
    struct point at;
    double acceleration;
    unsigned long planned;
};

struct word {
    char letter;
    double value;
};

struct block {
    struct word *words;
    int count;
    int line;
};

struct machine {
    struct planner planner;
    double feed;
    long steps[3];
    unsigned long errors;
};

static double distance(struct point a, struct point b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void plan_line(struct planner *p, struct point to, double feed)
{
    double length = distance(p->at, to);
    if (length < 1e-6)
        return;
    struct segment *s = malloc(sizeof(*s)); /* guilty */
    if (!s)
        exit(1);
    *s = (struct segment){.to = to, .length = length, .feed = feed};
    s->entry = p->tail ? p->tail->exit : 0;
    s->exit = fmin(feed, sqrt(s->entry * s->entry + 2 * p->acceleration * length));
    if (p->tail)
        p->tail->next = s;
    else
        p->head = s;
    p->tail = s;
    p->at = to;
    p->planned++;
}

static void plan_arc(struct planner *p, struct point to, double i, double j, double feed, int clockwise)
{
    struct point from = p->at;
    double cx = from.x + i, cy = from.y + j, radius = hypot(i, j);
    double start = atan2(-j, -i), end = atan2(to.y - cy, to.x - cx);
    double sweep = clockwise ? start - end : end - start;
    if (sweep <= 0)
        sweep += 2 * M_PI;
    int n = (int)ceil(sweep * radius / 0.05);
    for (int k = 1; k <= n; k++) {
        double a = start + (clockwise ? -1 : 1) * sweep * k / n;
        struct point q = {cx + radius * cos(a), cy + radius * sin(a), from.z + (to.z - from.z) * k / n};
        plan_line(p, k == n ? to : q, feed);
    }
}

static struct block *parse_block(const char *text, int line)
{
    struct block *b = calloc(1, sizeof(*b));
    b->words = malloc(16 * sizeof(*b->words));
    b->line = line;
    while (*text && b->count < 16) {
        char *end;
        b->words[b->count].letter = *text;
        b->words[b->count++].value = strtod(text + 1, &end);
        text = end + strspn(end, " ");
    }
    return b;
}

static void free_block(struct block *b)
{
    free(b->words);
    free(b);
}

static double value_of(const struct block *b, char letter, double otherwise)
{
    for (int i = 0; i < b->count; i++)
        if (b->words[i].letter == letter)
            return b->words[i].value;
    return otherwise;
}

static void execute(struct machine *m, const struct block *b)
{
    struct point to = {value_of(b, 'X', m->planner.at.x), value_of(b, 'Y', m->planner.at.y), value_of(b, 'Z', m->planner.at.z)};
    m->feed = value_of(b, 'F', m->feed);
    switch ((int)value_of(b, 'G', -1)) {
    case 0:
        plan_line(&m->planner, to, 5000);
        break;
    case 1:
        plan_line(&m->planner, to, m->feed);
        break;
    case 2:
    case 3:
        plan_arc(&m->planner, to, value_of(b, 'I', 0), value_of(b, 'J', 0), m->feed, value_of(b, 'G', 0) == 2);
        break;
    default:
        m->errors++;
    }
}

static void run_steppers(struct machine *m)
{
    for (const struct segment *s = m->planner.head; s; s = s->next) {
        m->steps[0] += lround(s->to.x * 80) & 7;
        m->steps[1] += lround(s->to.y * 80) & 7;
        m->steps[2] += lround(s->to.z * 400) & 7;
    }
}

int main(void)
{
    struct machine m = {.feed = 800, .planner.acceleration = 250};
    char text[80];
    for (int line = 0; line < 2600; line++) {
        double r = 2 + line % 13 * 0.5;
        if (line % 2 == 0)
            snprintf(text, sizeof(text), "G1 X%.3f Y%.3f Z-%.2f F900", line % 100 * 1.5, line / 100 * 1.5, line % 9 * 0.1);
        else
            snprintf(text, sizeof(text), "G%d X%.3f Y%.3f I%.3f J0", 2 + line % 4 / 2, m.planner.at.x, m.planner.at.y + 0.001, r);
        struct block *b = parse_block(text, line);
        execute(&m, b);
        free_block(b);
    }
    run_steppers(&m);
    printf("%lu segments, %ld %ld %ld steps, %lu errors\n", m.planner.planned, m.steps[0], m.steps[1], m.steps[2], m.errors);
    return 0;
}
