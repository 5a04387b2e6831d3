// Light in a box of five walls and a ball: photons are shot, and gathered where the eye looks.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { double x, y, z; } V;

static V add(V a, V b) { return (V){a.x + b.x, a.y + b.y, a.z + b.z}; }
static V mul(V a, double k) { return (V){a.x * k, a.y * k, a.z * k}; }
static double dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static V unit(V a) { return mul(a, 1 / sqrt(dot(a, a))); }

typedef struct Photon {
    V at, from;
    float power[3];
    int bounce;
    struct Photon *left, *right;
} Photon;

static Photon *root;
static unsigned long shot, landed;

static double rnd(void)
{
    static unsigned long long s = 88172645463325252ull;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (s >> 11) * (1.0 / 9007199254740992.0);
}

static V anywhere(void)
{
    V d;
    do
        d = (V){rnd() * 2 - 1, rnd() * 2 - 1, rnd() * 2 - 1};
    while (dot(d, d) > 1 || dot(d, d) < 1e-6);
    return unit(d);
}

// The distance to what is hit first; its normal in *n.
static double hit(V o, V d, V *n)
{
    double best = 1e9, o3[3] = {o.x, o.y, o.z}, d3[3] = {d.x, d.y, d.z};
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            double t = (side - o3[axis]) / d3[axis];
            if (t > 1e-6 && t < best) {
                best = t;
                double k = side ? -1 : 1;
                *n = (V){axis == 0 ? k : 0, axis == 1 ? k : 0, axis == 2 ? k : 0};
            }
        }
    V c = {.5, .25, .5}, oc = add(o, mul(c, -1));
    double b = dot(oc, d), q = b * b - dot(oc, oc) + .0625;
    if (q > 0 && -b - sqrt(q) > 1e-6 && -b - sqrt(q) < best) {
        best = -b - sqrt(q);
        *n = unit(add(add(o, mul(d, best)), mul(c, -1)));
    }
    return best;
}

static void shoot(V at, V dir, float power)
{
    for (int bounce = 0; bounce < 8; bounce++) {
        V n = {0};
        double t = hit(at, dir, &n);
        at = add(at, mul(dir, t));
        Photon **where = &root;
        for (int level = 0; *where; level++) {
            double side = level % 3 == 0 ? at.x - (*where)->at.x : level % 3 == 1 ? at.y - (*where)->at.y : at.z - (*where)->at.z;
            where = side < 0 ? &(*where)->left : &(*where)->right;
        }
        Photon *p = malloc(sizeof *p); // guilty
        if (!p)
            exit(EXIT_FAILURE);
        *p = (Photon){.at = at, .from = dir, .power = {power, power * .9f, power * .8f}, .bounce = bounce};
        *where = p;
        landed++;
        if (rnd() > .75)
            return;
        power *= .7f;
        V out = anywhere();
        dir = dot(out, n) < 0 ? mul(out, -1) : out;
    }
}

static double gather(Photon *p, int level, V at, double r)
{
    if (!p)
        return 0;
    V d = add(at, mul(p->at, -1));
    double here = dot(d, d) < r * r ? p->power[1] : 0, side = level % 3 == 0 ? d.x : level % 3 == 1 ? d.y : d.z;
    if (side < r)
        here += gather(p->left, level + 1, at, r);
    if (side > -r)
        here += gather(p->right, level + 1, at, r);
    return here;
}

int main(void)
{
    enum { Width = 48, Height = 32 };
    float *picture = malloc(Width * Height * sizeof *picture);
    unsigned char *shades = malloc(1 << 20);
    for (; shot < 95000; shot++)
        shoot((V){.5, .99, .5}, anywhere(), 1);
    for (int i = 0; i < Width * Height; i++)
        picture[i] = (float)gather(root, 0, (V){(i % Width + .5) / Width, (i / Width + .5) / Height, .999}, .03);
    for (int i = 0; i < 1 << 20; i++)
        shades[i] = (unsigned char)(picture[i % (Width * Height)] / 60);
    for (int y = 0; y < Height; y += 2) {
        for (int x = 0; x < Width; x++)
            putchar(" .:-=+*#%@"[shades[y * Width + x] > 9 ? 9 : shades[y * Width + x]]);
        putchar('\n');
    }
    printf("%lu photons\n", landed);
    free(picture);
    free(shades);
    return 0;
}
