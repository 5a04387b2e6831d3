/*
 * generate.c: large profiles for bench/read.py, the same bytes for the same arguments.
 *
 *     usage: generate-profile heap_v2 STACKS        each stack once, as jemalloc writes it
 *            generate-profile folded STACKS         each stack once
 *            generate-profile folded STACKS LINES   LINES draws from so many distinct stacks
 *
 * The stacks share their roots as those of a real program do: each leaves the path of an earlier
 * one somewhere and goes on by itself, 4 frames on average, until it is some 30 frames deep. So a
 * heap_v2 file of 1 GB has two million stacks, and its tree seven million nodes. Call
 * sites are drawn unevenly: few of them are in most stacks. Folded lines are drawn unevenly, too.
 */
#include "base/strings/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACKS_MAX 20000000u
#define CALL_SITES 60000u
#define NAMES 20000u
#define DEPTH_MIN 22u
#define DEPTH_MAX 38u
#define MODULES 24u
#define MODULE_BYTES UINT64_C(0x400000)
#define MODULES_AT UINT64_C(0x7f3a10000000)
#define PERIOD_BYTES 524288u
#define OUT_BYTES ((size_t)1 << 20)

struct node {
    uint32_t parent, site, depth;
};

static struct node *nodes;
static uint32_t *leaves, node_count = 1, node_limit;
static char names[NAMES][64];
static uint64_t state = 1;

/* Knuth's MMIX constants; the upper bits are good. */
static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 32) * below >> 32);
}

/* Small values are likelier. */
static uint32_t draw_skewed(uint32_t below)
{
    return (uint32_t)((uint64_t)draw(below) * draw(1u << 16) >> 16);
}

static void *need(void *memory)
{
    if (memory == NULL) {
        fputs("generate: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static uint32_t add_node(uint32_t parent)
{
    if (node_count == node_limit)
        need(NULL);
    nodes[node_count] = (struct node){parent, draw_skewed(CALL_SITES), nodes[parent].depth + 1};
    return node_count++;
}

static void grow_tree(uint32_t stacks)
{
    node_limit = stacks * 8 + DEPTH_MAX + 1;
    nodes = need(calloc(node_limit, sizeof *nodes));
    leaves = need(calloc(stacks, sizeof *leaves));
    for (uint32_t i = 0; i < stacks; i++) {
        uint32_t at = i == 0 ? 0 : leaves[draw(i)];
        for (uint32_t up = 1 + draw_skewed(14); up != 0 && at != 0; up--)
            at = nodes[at].parent;
        uint32_t depth = DEPTH_MIN + draw(DEPTH_MAX - DEPTH_MIN);
        while (nodes[at].depth + 1 < depth)
            at = add_node(at);
        leaves[i] = add_node(at);
    }
}

static uint64_t address_of(uint32_t site)
{
    return MODULES_AT + site % MODULES * (MODULE_BYTES + 0x1000) +
           site / MODULES * (UINT64_C(0x300000) / (CALL_SITES / MODULES)) + 0x1005;
}

static void write_counts(uint32_t objects, uint64_t bytes)
{
    printf(": %u: %" PRIu64 " [%u: %" PRIu64 "]\n", objects, bytes, objects * 3, bytes * 3);
}

struct counts {
    uint32_t objects;
    uint64_t bytes;
};

static struct counts draw_counts(void)
{
    uint32_t objects = 1 + draw_skewed(40);
    return (struct counts){objects, (uint64_t)objects * (16u << draw_skewed(16))};
}

/* " 0x...", quicker than printf. */
static void write_address(uint64_t address)
{
    char text[20];
    size_t at = sizeof text;
    for (; address != 0; address >>= 4)
        text[--at] = "0123456789abcdef"[address & 15];
    text[--at] = 'x';
    text[--at] = '0';
    text[--at] = ' ';
    fwrite_unlocked(text + at, 1, sizeof text - at, stdout);
}

static void write_heap_v2(uint32_t stacks)
{
    uint64_t start = state;
    struct counts all = {0};
    for (uint32_t i = 0; i < stacks; i++) {
        struct counts one = draw_counts();
        all.objects += one.objects;
        all.bytes += one.bytes;
        draw(16);
    }
    state = start;
    printf("heap_v2/%u\n  t*", PERIOD_BYTES);
    write_counts(all.objects, all.bytes);
    for (uint32_t i = 0; i < stacks; i++) {
        struct counts one = draw_counts();
        uint32_t thread = draw(16);
        putchar_unlocked('@');
        for (uint32_t at = leaves[i]; at != 0; at = nodes[at].parent)
            write_address(address_of(nodes[at].site));
        fputs_unlocked("\n  t*", stdout);
        write_counts(one.objects, one.bytes);
        printf("  t%u", thread);
        write_counts(one.objects, one.bytes);
    }
    fputs("\nMAPPED_LIBRARIES:\n", stdout);
    for (uint32_t i = 0; i < MODULES; i++) {
        uint64_t at = MODULES_AT + i * (MODULE_BYTES + 0x1000);
        printf("%" PRIx64 "-%" PRIx64 " r-xp 00001000 08:01 %u  /nowhere/lib%u.so\n", at + 0x1000,
            at + MODULE_BYTES, i + 1, i);
    }
    puts("7ffd1c5a7000-7ffd1c5a9000 r-xp 00000000 00:00 0      [vdso]");
}

static void make_names(void)
{
    static const char *const verbs[] = {"init", "read", "write", "parse", "build", "insert", "find",
        "grow", "flush", "load", "handle", "dispatch", "decode", "compile", "merge", "visit"};
    static const char *const nouns[] = {"buffer", "node", "tree", "table", "cache", "page", "conn",
        "request", "session", "token", "record", "index", "batch", "queue", "row", "plan"};
    for (uint32_t i = 0; i < NAMES; i++) {
        const char *verb = verbs[draw(16)], *noun = nouns[draw(16)];
        if (i % 3 == 0)
            snprintf(names[i], sizeof names[i], "%s_%s_%u", noun, verb, i);
        else if (i % 3 == 1)
            snprintf(names[i], sizeof names[i], "db::%s<std::string, int>::%s%u(char const*)", noun,
                verb, i);
        else
            snprintf(
                names[i], sizeof names[i], "<%s::%s as core::%s>::%s%u", noun, verb, noun, verb, i);
    }
}

static void write_folded(uint32_t stacks, uint64_t lines)
{
    make_names();
    for (uint64_t i = 0; i < (lines != 0 ? lines : stacks); i++) {
        uint32_t path[DEPTH_MAX], depth = 0;
        for (uint32_t at = leaves[lines != 0 ? draw_skewed(stacks) : i]; at != 0;
             at = nodes[at].parent)
            path[depth++] = nodes[at].site % NAMES;
        while (depth-- != 0) {
            fputs_unlocked(names[path[depth]], stdout);
            putchar_unlocked(depth != 0 ? ';' : ' ');
        }
        printf("%" PRIu64 "\n", draw_counts().bytes);
    }
}

int main(int argc, char **argv)
{
    uint64_t stacks = 0, lines = 0;
    bool is_folded = (argc == 3 || argc == 4) && strcmp(argv[1], "folded") == 0;
    bool is_heap_v2 = argc == 3 && strcmp(argv[1], "heap_v2") == 0;
    if ((!is_folded && !is_heap_v2) || !hf_num_u64(hf_text_of(argv[2]), &stacks) || stacks == 0 ||
        stacks > STACKS_MAX || (argc == 4 && !hf_num_u64(hf_text_of(argv[3]), &lines))) {
        fputs("usage: generate-profile heap_v2 STACKS | generate-profile folded STACKS [LINES]\n",
            stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOFBF, OUT_BYTES);
    grow_tree((uint32_t)stacks);
    if (is_folded)
        write_folded((uint32_t)stacks, lines);
    else
        write_heap_v2((uint32_t)stacks);
    free(nodes);
    free(leaves);
    return fflush(stdout) == 0 ? 0 : 1;
}
