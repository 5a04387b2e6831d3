/* Lights the rooms of a game's map: cuts walls into patches and passes light between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 12, ROOMS = 220, FACES = 6 };

struct vec {
    double x, y, z;
};

struct winding {
    int n;
    struct vec points[];
};

struct patch {
    struct patch *next;
    struct vec centre;
    double area, light, gathered;
    struct winding *shape;
};

struct face {
    struct vec normal;
    struct patch *patches;
    int n_patches;
    double reflectivity;
};

struct map {
    struct face *faces;
    int n_faces, rejected;
    double finest;
};

static unsigned seed = 4;

static double uniform(double low, double high)
{
    seed = seed * 1103515245u + 12345u;
    return low + (high - low) * ((seed >> 8) & 0xffff) / 65536.0;
}

static struct vec along(struct vec a, struct vec b, double t)
{
    return (struct vec){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}

static double coordinate(struct vec v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static struct winding *winding_new(int n)
{
    struct winding *w = calloc(1, sizeof(*w) + (size_t)n * sizeof(struct vec));
    if (!w)
        exit(1);
    w->n = n;
    return w;
}

/* The part of a winding on one side of a plane through an axis, perhaps empty. */
static struct winding *winding_clip(const struct winding *w, int axis, double at, int above)
{
    struct vec kept[MAX_POINTS * 2];
    int n = 0;
    for (int i = 0; i < w->n; i++) {
        struct vec a = w->points[i], b = w->points[(i + 1) % w->n];
        double da = coordinate(a, axis) - at, db = coordinate(b, axis) - at;
        if (!above)
            da = -da, db = -db;
        if (da >= 0)
            kept[n++] = a;
        if ((da > 0 && db < 0) || (da < 0 && db > 0))
            kept[n++] = along(a, b, da / (da - db));
    }
    struct winding *part = winding_new(n);
    memcpy(part->points, kept, (size_t)n * sizeof(*kept));
    return part;
}

static double winding_area(const struct winding *w)
{
    double total = 0;
    for (int i = 2; i < w->n; i++) {
        struct vec o = w->points[0], a = w->points[i - 1], b = w->points[i];
        double x = (a.y - o.y) * (b.z - o.z) - (a.z - o.z) * (b.y - o.y);
        double y = (a.z - o.z) * (b.x - o.x) - (a.x - o.x) * (b.z - o.z);
        double z = (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
        total += sqrt(x * x + y * y + z * z) / 2;
    }
    return total;
}

static void add_patch(struct face *f, struct winding *w, double area)
{
    struct patch *p = calloc(1, sizeof(*p));
    if (!p)
        exit(1);
    for (int i = 0; i < w->n; i++) {
        p->centre.x += w->points[i].x / w->n;
        p->centre.y += w->points[i].y / w->n;
        p->centre.z += w->points[i].z / w->n;
    }
    p->area = area;
    p->light = uniform(0, 1) < 0.02 ? 50 : 0;
    p->shape = w; /* guilty */
    p->next = f->patches;
    f->patches = p;
    f->n_patches++;
}

static void subdivide(struct map *m, struct face *f, struct winding *w)
{
    double area = winding_area(w), low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
    int axis = 0;
    if (w->n < 3 || area < 1e-4) {
        m->rejected++;
        free(w);
        return;
    }
    if (area < m->finest) {
        add_patch(f, w, area);
        return;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < w->n; i++) {
            low[k] = fmin(low[k], coordinate(w->points[i], k));
            high[k] = fmax(high[k], coordinate(w->points[i], k));
        }
        if (high[k] - low[k] > high[axis] - low[axis])
            axis = k;
    }
    double middle = (low[axis] + high[axis]) / 2;
    struct winding *front = winding_clip(w, axis, middle, 1), *back = winding_clip(w, axis, middle, 0);
    free(w);
    subdivide(m, f, front);
    subdivide(m, f, back);
}

static void build_room(struct map *m, int room)
{
    double x = room * 30, size = uniform(8, 20), height = uniform(3, 6);
    for (int i = 0; i < FACES; i++) {
        struct face *f = &m->faces[m->n_faces++];
        struct winding *w = winding_new(4);
        int axis = i / 2;
        for (int k = 0; k < 4; k++) {
            double u = (k == 1 || k == 2) * size, v = (k >= 2) * (axis == 2 ? size : height), side = i % 2 * size;
            w->points[k] = axis == 0 ? (struct vec){x + side, u, v} : axis == 1 ? (struct vec){x + u, side, v}
                                                                          : (struct vec){x + u, v + u * 0.1, i % 2 * height};
        }
        f->reflectivity = uniform(0.3, 0.8);
        subdivide(m, f, w);
    }
}

static double bounce(struct map *m, int room)
{
    double total = 0, *sums = calloc(FACES, sizeof(*sums));
    if (!sums)
        exit(1);
    for (int i = 0; i < FACES; i++)
        for (struct patch *p = m->faces[room * FACES + i].patches; p; p = p->next)
            sums[i] += p->light * p->area;
    for (int i = 0; i < FACES; i++) {
        struct face *f = &m->faces[room * FACES + i];
        for (struct patch *p = f->patches; p; p = p->next) {
            p->gathered = 0;
            for (int k = 0; k < FACES; k++)
                if (k != i)
                    p->gathered += sums[k] / (200 + p->centre.z * p->centre.z);
            p->light += p->gathered * f->reflectivity;
            total += p->light;
        }
    }
    free(sums);
    return total;
}

int main(void)
{
    struct map m = {.faces = calloc(ROOMS * FACES, sizeof(struct face)), .finest = 0.8};
    double light = 0;
    int patches = 0;
    if (!m.faces)
        return 1;
    for (int room = 0; room < ROOMS; room++)
        build_room(&m, room);
    for (int round = 0; round < 3; round++)
        for (int room = 0; room < ROOMS; room++)
            light = bounce(&m, room);
    for (int i = 0; i < m.n_faces; i++)
        patches += m.faces[i].n_patches;
    printf("%d faces, %d patches, %d rejected, light %.3f\n", m.n_faces, patches, m.rejected, light);
    return 0;
}
