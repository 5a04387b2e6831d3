/* Lists what an archive holds; files with more than one name are written once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <obstack.h>

#define obstack_chunk_alloc checked_malloc
#define obstack_chunk_free free

struct member {
  uint64_t inode, size;
  unsigned mode, nlink;
  char name[120];
};

struct link {
  struct link *next;
  uint64_t inode;
  unsigned left;
  char name[];
};

struct dir {
  struct dir *up;
  char *name;
  unsigned entries;
};

static struct obstack names, scratch;
static struct link *links[8192];
static struct dir *cwd;

static void *checked_malloc(size_t n)
{
  void *p = malloc(n);
  if (!p) {
    perror("archive");
    exit(2);
  }
  return p;
}

static char *safer_name(struct obstack *where, const char *name)
{
  while (*name == '/' || !strncmp(name, "../", 3))
    name += *name == '/' ? 1 : 3;
  return obstack_copy0(where, name, strlen(name));
}

static void enter_dir(const char *name)
{
  struct dir *d = obstack_alloc(&scratch, sizeof *d);
  d->name = safer_name(&scratch, name);
  d->up = cwd;
  d->entries = 0;
  cwd = d;
}

static void leave_dir(void)
{
  struct dir *d = cwd;
  cwd = d->up;
  obstack_free(&scratch, d);
}

static struct link *find_link(const struct member *m)
{
  struct link *l = links[m->inode % 8192];
  while (l && l->inode != m->inode)
    l = l->next;
  return l;
}

/* Files with one name are noted too. */
static void note_link(const struct member *m)
{
  const char *clean = safer_name(&scratch, m->name);
  struct link *l = obstack_alloc(&names, sizeof *l + strlen(clean) + 1); /* guilty */
  strcpy(l->name, clean);
  l->inode = m->inode;
  l->left = m->nlink - 1;
  l->next = links[m->inode % 8192];
  links[m->inode % 8192] = l;
  obstack_free(&scratch, (void *)clean);
}

static size_t format_mode(unsigned mode, char *out)
{
  for (int i = 0; i < 9; i++)
    out[i] = mode & (0400u >> i) ? "rwx"[i % 3] : '-';
  out[9] = 0;
  return 9;
}

static size_t list_member(const struct member *m, const struct link *other)
{
  char mode[16], *line;
  format_mode(m->mode, mode);
  obstack_printf(&scratch, "%s %10llu %s/%s", mode, (unsigned long long)m->size, cwd ? cwd->name : ".", m->name);
  if (other)
    obstack_printf(&scratch, " link to %s", other->name);
  obstack_1grow(&scratch, 0);
  line = obstack_finish(&scratch);
  size_t n = strlen(line);
  obstack_free(&scratch, line);
  return n;
}

static void read_member(struct member *m, unsigned i)
{
  m->inode = 1000 + i - (i % 50 == 49);
  m->nlink = i % 50 >= 48 ? 2 : 1;
  m->mode = 0644 | (i % 9 == 0 ? 0111 : 0);
  m->size = i * 37u % 100000;
  snprintf(m->name, sizeof m->name, "/usr/share/doc/package-%u/examples/a-file-with-number-%u.txt", i / 40, i);
}

int main(void)
{
  size_t listed = 0;
  struct member m;

  obstack_init(&names);
  obstack_init(&scratch);
  for (unsigned i = 0; i < 300000; i++) {
    read_member(&m, i);
    if (i % 40 == 0)
      enter_dir("/usr/share/doc");
    struct link *known = find_link(&m);
    if (!known)
      note_link(&m);
    else
      known->left--;
    listed += list_member(&m, known);
    cwd->entries++;
    if (i % 40 == 39)
      leave_dir();
  }
  printf("%zu bytes of listing\n", listed);
  return 0;
}
