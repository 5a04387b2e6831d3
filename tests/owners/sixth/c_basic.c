/* A small machine for strings, whose programs are lists of instructions. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Str { struct Str *chain; uint32_t hash, len; char chars[]; } Str;

typedef struct VM VM;
typedef int (*Op)(VM *vm, int arg);

struct VM {
  Str *stack[64];
  int sp;
  Str **table;
  uint32_t buckets, strings;
  Str *constants[64];
  int nconstants;
  long iteration;
};

static uint32_t hashOf(const char *p, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)p[i]) * 16777619u;
  return h;
}

static void *reallocate(void *old, size_t size) {
  if (size == 0) { free(old); return NULL; }
  void *p = realloc(old, size);
  if (!p) { fprintf(stderr, "vm: no memory\n"); exit(70); }
  return p;
}

static void rehash(VM *vm) {
  uint32_t n = vm->buckets ? vm->buckets * 2 : 256;
  Str **table = reallocate(NULL, n * sizeof *table);
  memset(table, 0, n * sizeof *table);
  for (uint32_t i = 0; i < vm->buckets; i++)
    for (Str *s = vm->table[i], *next; s; s = next) {
      next = s->chain;
      s->chain = table[s->hash % n];
      table[s->hash % n] = s;
    }
  free(vm->table);
  vm->table = table;
  vm->buckets = n;
}

/* Each string is there once, so that they are compared by address. */
static Str *intern(VM *vm, const char *chars, size_t n) {
  uint32_t h = hashOf(chars, n);
  if (vm->strings >= vm->buckets) rehash(vm);
  for (Str *s = vm->table[h % vm->buckets]; s; s = s->chain)
    if (s->hash == h && s->len == n && !memcmp(s->chars, chars, n)) return s;
  Str *s = reallocate(NULL, sizeof *s + n + 1);
  s->hash = h;
  s->len = (uint32_t)n;
  memcpy(s->chars, chars, n);
  s->chars[n] = 0;
  s->chain = vm->table[h % vm->buckets];
  vm->table[h % vm->buckets] = s;
  vm->strings++;
  return s;
}

static void push(VM *vm, Str *s) { vm->stack[vm->sp++] = s; }
static Str *pop(VM *vm) { return vm->stack[--vm->sp]; }

static int opConst(VM *vm, int arg) { push(vm, vm->constants[arg]); return 0; }

static int opNumber(VM *vm, int arg) {
  char text[24];
  int n = snprintf(text, sizeof text, "%ld", vm->iteration % arg);
  push(vm, intern(vm, text, (size_t)n));
  return 0;
}

static int opConcat(VM *vm, int arg) {
  size_t n = 0, at = 0;
  for (int i = 1; i <= arg; i++) n += vm->stack[vm->sp - i]->len;
  char *joined = reallocate(NULL, n + 1);
  for (int i = arg; i >= 1; i--) {
    Str *s = vm->stack[vm->sp - i];
    memcpy(joined + at, s->chars, s->len);
    at += s->len;
  }
  vm->sp -= arg;
  push(vm, intern(vm, joined, n)); /* guilty */
  reallocate(joined, 0);
  return 0;
}

static int opUpper(VM *vm, int arg) {
  Str *s = pop(vm);
  size_t n = s->len < (uint32_t)arg ? s->len : (uint32_t)arg;
  char *copy = reallocate(NULL, n + 1);
  for (size_t i = 0; i < n; i++) copy[i] = (char)toupper((unsigned char)s->chars[i]);
  push(vm, intern(vm, copy, n));
  reallocate(copy, 0);
  return 0;
}

static int opDrop(VM *vm, int arg) { vm->sp -= arg; return 0; }

static int constant(VM *vm, const char *text) {
  vm->constants[vm->nconstants] = intern(vm, text, strlen(text));
  return vm->nconstants++;
}

struct insn { Op op; int arg; };

static void run(VM *vm, const struct insn *code, int n) {
  for (int pc = 0; pc < n; pc++)
    if (code[pc].op(vm, code[pc].arg)) return;
}

int main(void) {
  static VM vm;
  struct insn code[] = {
      {opConst, constant(&vm, "INSERT INTO measurements (sensor, value) VALUES (")},
      {opNumber, 700},
      {opConst, constant(&vm, ", ")},
      {opNumber, 1999},
      {opConst, constant(&vm, ") ON CONFLICT DO NOTHING RETURNING id")},
      {opConcat, 5},
      {opUpper, 6},
      {opDrop, 1},
  };
  for (vm.iteration = 0; vm.iteration < 320000; vm.iteration++) run(&vm, code, sizeof code / sizeof *code);
  printf("%u strings\n", vm.strings);
  return 0;
}
