/* fileshare - answers stat/read/list operations for exported shares. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NSHARE 8
#define NFILES 3000
#define PATHSZ 4096

struct share { char root[64]; int readonly; };
struct attr { uint64_t size; uint32_t mode, uid; };
struct node { char *path; struct attr a; struct node *next; };
struct reply { int err; size_t len; char *data; };

static struct share shares[NSHARE];
static struct node *tree[1024];
static unsigned long ok, failed;

static void *zget(size_t n)
{
    void *p = calloc(1, n);
    if (!p) { fputs("no memory\n", stderr); exit(1); }
    return p;
}

static unsigned hash(const char *s)
{
    unsigned h = 2166136261u;
    while (*s) h = (h ^ (unsigned char)*s++) * 16777619u;
    return h % 1024;
}

/* Absolute, cleaned path of a name in a share; the caller frees it. */
static char *resolve(const struct share *sh, const char *name)
{
    char *out = zget(PATHSZ);
    size_t n = (size_t)snprintf(out, PATHSZ, "%s", sh->root);
    while (*name) {
        while (*name == '/') name++;
        size_t k = strcspn(name, "/");
        if (k == 2 && !strncmp(name, "..", 2)) {
            while (n && out[--n] != '/') ;
        } else if (k && !(k == 1 && *name == '.')) {
            out[n++] = '/';
            memcpy(out + n, name, k);
            n += k;
        }
        name += k;
    }
    out[n] = 0;
    return out;
}

static struct node *find(const char *path)
{
    for (struct node *f = tree[hash(path)]; f; f = f->next)
        if (!strcmp(f->path, path)) return f;
    return NULL;
}

static void add_file(const char *path, uint64_t size)
{
    struct node *f = zget(sizeof *f);
    f->path = strdup(path);
    f->a.size = size;
    f->a.mode = 0644;
    f->next = tree[hash(path)];
    tree[hash(path)] = f;
}

static void set_error(struct reply *r, int err)
{
    r->err = err;
    r->len = 0;
    r->data = NULL;
}

static void op_read(const struct share *sh, const char *name, struct reply *r)
{
    char *path = resolve(sh, name);
    struct node *f = find(path);
    free(path);
    if (!f) { set_error(r, ENOENT); return; }
    r->err = 0;
    r->len = f->a.size % 8192 + 1;
    r->data = zget(r->len);
    memset(r->data, 'x', r->len);
}

static void op_stat(const struct share *sh, const char *name, struct reply *r)
{
    char *path = resolve(sh, name); /* guilty */
    struct node *f = find(path);
    if (!f) {
        set_error(r, ENOENT);
        return;
    }
    r->err = 0;
    r->len = PATHSZ / 8;
    r->data = zget(r->len);
    snprintf(r->data, r->len, "%s %llu %o", path, (unsigned long long)f->a.size, f->a.mode);
    free(path);
}

static void op_list(const struct share *sh, struct reply *r)
{
    size_t cap = 4096, n = 0;
    char *buf = zget(cap);
    for (unsigned b = 0; b < 1024; b += 16)
        for (struct node *f = tree[b]; f; f = f->next) {
            if (strncmp(f->path, sh->root, strlen(sh->root))) continue;
            size_t k = strlen(f->path) + 1;
            if (n + k > cap && !(buf = realloc(buf, cap *= 2))) abort();
            memcpy(buf + n, f->path, k);
            n += k;
        }
    r->err = 0;
    r->len = n;
    r->data = buf;
}

static void send_reply(struct reply *r)
{
    if (r->err) failed++; else ok++;
    free(r->data);
}

int main(void)
{
    char name[128];
    for (int i = 0; i < NSHARE; i++) snprintf(shares[i].root, sizeof shares[i].root, "/srv/share%d", i);
    for (int i = 0; i < NFILES; i++) {
        snprintf(name, sizeof name, "%s/team%d/doc%d.txt", shares[i % NSHARE].root, i % 40, i);
        add_file(name, 500u + (unsigned)i * 37u);
    }
    for (unsigned n = 0; n < 60000; n++) {
        unsigned i = (n * 2654435761u >> 8) % (NFILES * 2);
        struct reply r;
        const struct share *sh = &shares[i % NSHARE];
        snprintf(name, sizeof name, "./team%u/../team%u/doc%u.txt", i % 7, i % 40, i);
        if (n % 50 == 0) op_list(sh, &r);
        else if (n % 3 == 0) op_read(sh, name, &r);
        else op_stat(sh, name, &r);
        send_reply(&r);
        if (n % 200 == 0) usleep(9000);
    }
    printf("ok %lu failed %lu\n", ok, failed);
    return 0;
}
