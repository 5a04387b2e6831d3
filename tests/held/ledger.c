#include "ledger.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORDS_MAX (1u << 20)
#define OWNERS_MAX 31
#define OWNER_SIZE 128

struct record {
    uint64_t address;
    uint32_t asked, usable, owner, zero; /* owner 0: the block is no more */
};

struct ledger {
    uint32_t pid, owners;
    _Atomic uint32_t records;
    char rest[OWNER_SIZE - 12];
    char owner[OWNERS_MAX][OWNER_SIZE];
    struct record record[RECORDS_MAX];
};

static struct ledger *ledger;
static const char *owner_now;

static void ledger_open(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *ledger) != 0)
        abort();
    void *at = mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        abort();
    close(fd);
    ledger = at;
}

void ledger_owner(const char *owner)
{
    owner_now = owner;
    if (owner == NULL)
        return;
    uint32_t i = 0;
    while (i < ledger->owners && strcmp(ledger->owner[i], owner) != 0)
        i++;
    if (i == OWNERS_MAX)
        abort();
    strcpy(ledger->owner[i], owner);
    if (i == ledger->owners)
        ledger->owners++;
}

static uint32_t owner_number(void)
{
    for (uint32_t i = 0; i < ledger->owners; i++) {
        if (strcmp(ledger->owner[i], owner_now) == 0)
            return i + 1;
    }
    abort();
}

static void ledger_write(struct record record)
{
    uint32_t at = atomic_fetch_add(&ledger->records, 1);
    if (at >= RECORDS_MAX)
        abort();
    ledger->record[at] = record;
}

__attribute__((noinline)) void ledger_note(void *block, size_t size)
{
    if (owner_now != NULL)
        ledger_write((struct record){(uintptr_t)block, (uint32_t)size,
            (uint32_t)malloc_usable_size(block), owner_number(), 0});
}

__attribute__((noinline)) void *ledger_new(size_t size)
{
    void *block = malloc(size);
    if (block == NULL)
        abort();
    memset(block, 0, size);
    ledger_note(block, size);
    return block;
}

__attribute__((noinline)) void ledger_forget(void *block)
{
    if (block != NULL && ledger != NULL)
        ledger_write((struct record){.address = (uintptr_t)block});
}

__attribute__((noinline)) void ledger_free(void *block)
{
    ledger_forget(block);
    free(block);
}

__attribute__((noinline)) void ledger_wipe(void)
{
    volatile char bytes[1 << 17];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
}

/* read(0, &byte, 1) until there is nothing more; no other register keeps what it had. */
static long wait_with(size_t inverse)
{
    char byte;
    long got;
    register size_t held __asm__("r12") = inverse;
    register char *at __asm__("rsi") = &byte;
    __asm__ volatile("not %1\n\txor %%r8d, %%r8d\n\txor %%r9d, %%r9d\n\txor %%r10d, %%r10d\n\t"
                     "xor %%edi, %%edi\n\tmov $1, %%edx\n\txor %%eax, %%eax\n\tsyscall\n\tnot %1"
                     : "=&a"(got), "+r"(held)
                     : "r"(at)
                     : "rdi", "rdx", "rcx", "r8", "r9", "r10", "r11", "memory");
    return got;
}

__attribute__((noinline)) void ledger_ready_with(size_t inverse)
{
    ledger_wipe();
    ledger->pid = (uint32_t)getpid();
    if (write(1, "r", 1) != 1)
        abort();
    while (wait_with(inverse) > 0) {
    }
}

__attribute__((noinline)) void ledger_ready(void)
{
    ledger_ready_with(~(size_t)0);
}

int ledger_main(const struct ledger_shape *shapes, int count, char **words)
{
    if (count != 4) {
        for (; shapes->name != NULL; shapes++)
            printf("%s %s\n", shapes->name, shapes->is);
        return 0;
    }
    while (shapes->name != NULL && strcmp(shapes->name, words[1]) != 0)
        shapes++;
    if (shapes->name == NULL)
        return 2;
    ledger_open(words[2]);
    shapes->fill(atoi(words[3]));
    ledger_ready();
    _exit(0);
}
