/* swarm -- one peer of a file sharing network, messages are read from a fake wire */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned int  u32;

#define BLOCK   2048
#define PIECES  600

typedef struct block {
  struct block *next;
  u32 piece, offset, len, from;
  u8  bytes[BLOCK];
} block_t;

typedef struct {
  block_t *free_list;
  u32 made, out;
} pool_t;

typedef struct {
  pool_t   pool;
  block_t *unverified[PIECES];
  u8       have[PIECES / 8 + 1];
  u32      verified, requests, cancels;
  block_t *outgoing;
} swarm_t;

typedef struct { u8 kind; u32 piece, offset, from; u8 payload[BLOCK]; } msg_t;

typedef int (*handler_t)(swarm_t *, const msg_t *);

static block_t *
pool_get (pool_t *p)
{
  block_t *b = p->free_list;
  if (b)
    p->free_list = b->next;
  else
    {
      b = malloc (sizeof *b);
      assert (b != NULL);
      p->made++;
    }
  p->out++;
  memset (b, 0, offsetof (block_t, bytes));
  return b;
}

static void
pool_put (pool_t *p, block_t *b)
{
  b->next = p->free_list;
  p->free_list = b;
  p->out--;
}

static int
on_have (swarm_t *s, const msg_t *m)
{
  s->have[m->piece / 8] |= 1u << m->piece % 8;
  return 0;
}

/* What the other one asked for is queued and sent at once.  */
static int
on_request (swarm_t *s, const msg_t *m)
{
  block_t *b = pool_get (&s->pool);
  b->piece = m->piece;
  memcpy (b->bytes, m->payload, BLOCK);
  b->next = s->outgoing;
  s->outgoing = b;
  s->requests++;
  return 1;
}

/* Blocks wait for the rest of their piece.  In the endgame each comes from many.  */
static int
on_piece (swarm_t *s, const msg_t *m)
{
  block_t *b = pool_get (&s->pool);     /* guilty */
  b->piece  = m->piece;
  b->offset = m->offset;
  b->from   = m->from;
  b->len    = BLOCK;
  memcpy (b->bytes, m->payload, BLOCK);
  b->next = s->unverified[m->piece];
  s->unverified[m->piece] = b;
  return 0;
}

static int
on_cancel (swarm_t *s, const msg_t *m)
{
  (void) m;
  s->cancels++;
  return 1;
}

static const handler_t handlers[] = { on_have, on_request, on_piece, on_cancel };

static void
flush_outgoing (swarm_t *s)
{
  while (s->outgoing)
    {
      block_t *b = s->outgoing;
      s->outgoing = b->next;
      pool_put (&s->pool, b);
    }
}

static void
verify (swarm_t *s, u32 piece)
{
  u32 sum = 0, n = 0;
  for (block_t *b = s->unverified[piece]; b; b = b->next, n++)
    sum += b->bytes[sum % BLOCK];
  if (n < 34)
    return;
  s->verified += sum != 0;
  while (s->unverified[piece])
    {
      block_t *b = s->unverified[piece];
      s->unverified[piece] = b->next;
      pool_put (&s->pool, b);
    }
}

static void
wire_next (msg_t *m, u32 n)
{
  static u32 seed = 12345;
  seed = seed * 1103515245u + 12345u;
  m->kind   = n % 7 == 0 ? 0 : n % 5 == 0 ? 1 : n % 31 == 0 ? 3 : 2;
  m->piece  = (seed >> 8) % PIECES;
  m->offset = seed % 64 * BLOCK;
  m->from   = seed % 50;
  memset (m->payload, (int) (seed >> 16), BLOCK);
}

int
main (void)
{
  swarm_t *s = calloc (1, sizeof *s);
  msg_t m;
  if (!s)
    return 1;
  for (u32 n = 0; n < 27000; n++)
    {
      wire_next (&m, n);
      if (handlers[m.kind] (s, &m))
        flush_outgoing (s);
      if (n % 50 == 0)
        verify (s, m.piece);
    }
  printf ("%u verified, %u requests, %u blocks, %u in use\n", s->verified, s->requests, s->pool.made, s->pool.out);
  return 0;
}
