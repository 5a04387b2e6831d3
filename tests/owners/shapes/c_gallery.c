#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct image { int w, h; unsigned char *px; };
struct entry { char name[32]; struct image *image; struct entry *next; };
struct gallery { struct entry *buckets[256]; size_t count; };
static int load_image(const char *name, struct image **out)
{
    struct image *img = malloc(sizeof *img);
    if (!img) return -ENOMEM;
    img->w = 40; img->h = 60 + (int)strlen(name);
    img->px = malloc((size_t)img->w * (size_t)img->h * 3);
    if (!img->px) { free(img); return -ENOMEM; }
    memset(img->px, name[4], (size_t)img->w * (size_t)img->h * 3);
    *out = img;
    return 0;
}
static void free_image(struct image *img) { free(img->px); free(img); }
static unsigned hash(const char *s) { unsigned h = 5381; while (*s) h = h * 33 + (unsigned char)*s++; return h & 255; }
static void show(struct gallery *g, const char *name, struct image *img)
{
    struct entry *e = malloc(sizeof *e);
    snprintf(e->name, sizeof e->name, "%s", name);
    e->image = img; /* guilty */
    e->next = g->buckets[hash(name)];
    g->buckets[hash(name)] = e;
    g->count++;
}
static int is_dark(const struct image *img) { long sum = 0; for (int i = 0; i < img->w; i++) sum += img->px[i]; return sum / img->w < 50; }
static int visit(struct gallery *g, unsigned n)
{
    char name[32];
    struct image *img;
    snprintf(name, sizeof name, "pic%c%u", 40 + n % 30, n);
    int rc = load_image(name, &img);
    if (rc) return rc;
    if (is_dark(img)) { free_image(img); return 0; }
    show(g, name, img);
    return 1;
}
int main(void)
{
    struct gallery g = {0};
    int shown = 0;
    for (unsigned n = 0; n < 8000; n++) shown += visit(&g, n);
    printf("%d %zu\n", shown, g.count);
    return 0;
}
