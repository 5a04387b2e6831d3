/* Files as handles that are opened and released, as the server of a file system has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct handle { unsigned id, flags; char *path; unsigned char *window; size_t window_len; struct handle *hash_next; } handle_t;

typedef struct trail { char path[160]; unsigned id, flags; size_t bytes; struct trail *older; } trail_t;

typedef struct fs { handle_t *open[512]; unsigned next, live; handle_t *spare; trail_t *trail; char **mounts; size_t nmounts; } fs_t;

#define NEW(p) ((p) = zalloc(sizeof *(p)))

static void *zalloc(size_t n)
{
	void *p = malloc(n);
	if (p)
		memset(p, 0, n);
	return p;
}

static handle_t *keep_handle(fs_t *fs, const char *path, unsigned flags)
{
	handle_t *h = fs->spare;
	if (h)
		fs->spare = h->hash_next;
	else if (!NEW(h))
		return NULL;
	h->id = ++fs->next;
	h->flags = flags;
	h->path = strdup(path);
	h->window_len = 4096 << (flags & 3);
	h->window = zalloc(h->window_len);
	h->hash_next = fs->open[h->id % 512];
	fs->open[h->id % 512] = h;
	fs->live++;
	return h;
}

static handle_t **slot_of(fs_t *fs, unsigned id)
{
	handle_t **p = &fs->open[id % 512];
	while (*p && (*p)->id != id)
		p = &(*p)->hash_next;
	return p;
}

static int release_handle(fs_t *fs, unsigned id)
{
	handle_t **p = slot_of(fs, id), *h = *p;
	trail_t *t;

	if (!h)
		return -EBADF;
	*p = h->hash_next;
	if (!NEW(t)) /* guilty */
		return -ENOMEM;
	snprintf(t->path, sizeof t->path, "%s", h->path);
	t->id = h->id;
	t->flags = h->flags;
	t->bytes = h->window_len;
	t->older = fs->trail;
	fs->trail = t;
	free(h->path);
	free(h->window);
	h->hash_next = fs->spare;
	fs->spare = h;
	fs->live--;
	return 0;
}

static int mount(fs_t *fs, const char *where)
{
	char **more = realloc(fs->mounts, (fs->nmounts + 1) * sizeof *more);
	if (!more)
		return -ENOMEM;
	fs->mounts = more;
	fs->mounts[fs->nmounts++] = strdup(where);
	return 0;
}

static int op_create(fs_t *fs, unsigned i)
{
	char path[128];
	snprintf(path, sizeof path, "%s/folder-%u/file-%u.dat", fs->mounts[i % fs->nmounts], i % 97, i);
	handle_t *h = keep_handle(fs, path, i);
	return h ? (int)h->id : -ENOMEM;
}

static int op_rename(fs_t *fs, unsigned id)
{
	handle_t *h = *slot_of(fs, id);
	char *to = NULL;
	if (!h)
		return -EBADF;
	if (asprintf(&to, "%s~", h->path) < 0)
		return -ENOMEM;
	free(h->path);
	h->path = to;
	return release_handle(fs, id);
}

static int op_close(fs_t *fs, unsigned id) { return release_handle(fs, id); }

static void unmount(fs_t *fs)
{
	for (unsigned i = 1; i <= fs->next; i++)
		release_handle(fs, i);
	while (fs->nmounts)
		free(fs->mounts[--fs->nmounts]);
	free(fs->mounts);
}

int main(void)
{
	static fs_t fs;
	unsigned failed = 0;
	mount(&fs, "/srv/data");
	mount(&fs, "/home/shared");
	for (unsigned i = 0; i < 180000; i++) {
		int id = op_create(&fs, i);
		if (id > 600)
			failed += (i % 3 ? op_close : op_rename)(&fs, (unsigned)id - 600) < 0;
	}
	unmount(&fs);
	printf("%u handles, %u still open, %u failed; the last was %s\n", fs.next, fs.live, failed, fs.trail->path);
	return 0;
}
