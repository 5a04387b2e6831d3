"""A program that makes code at run time, and says so to GDB as LLVM does."""

import subprocess
from pathlib import Path

from _heap import run

# A function that a JIT makes; its object is told to GDB as LLVM does: not linked, but with the address of its section.
CODE = """
void *NAME(void *(*give)(unsigned long), unsigned long size) { void *block = give(size); __asm__ volatile("" : : : "memory"); return block; }
"""
JIT = r"""
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct entry { struct entry *next, *previous; const char *start; uint64_t size; };
struct { uint32_t version, done; struct entry *relevant, *first; } __jit_debug_descriptor = {1, 0, NULL, NULL};
__attribute__((noinline)) void __jit_debug_register_code(void) { __asm__ volatile("" : : : "memory"); }
typedef void *make(void *(*)(size_t), size_t);
static struct entry entries[16];
static void *volatile kept;
static make *load(const char *path, struct entry *entry)
{
    char *object = malloc(65536), *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *file = fopen(path, "rb");
    entry->size = fread(object, 1, 65536, file);
    fclose(file);
    Elf64_Ehdr *header = (Elf64_Ehdr *)object;
    Elf64_Shdr *sections = (Elf64_Shdr *)(object + header->e_shoff);
    const char *names = object + sections[header->e_shstrndx].sh_offset;
    for (int i = 0; i < header->e_shnum; i++) {
        if (strcmp(names + sections[i].sh_name, ".text") != 0) continue;
        sections[i].sh_addr = (uintptr_t)memory;
        memcpy(memory, object + sections[i].sh_offset, sections[i].sh_size);
    }
    if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0) exit(1);
    __builtin___clear_cache(memory, memory + 4096);
    entry->start = object;
    entry->next = __jit_debug_descriptor.first;
    if (entry->next != NULL) entry->next->previous = entry;
    __jit_debug_descriptor.first = __jit_debug_descriptor.relevant = entry;
    __jit_debug_descriptor.done = 1;
    __jit_debug_register_code();
    return (make *)(uintptr_t)memory;
}
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    if (getchar() == EOF) return 1;
    for (int i = 1; i < argc; i++) kept = load(argv[i], &entries[i - 1])(malloc, 7000);
    puts("made");
    if (getchar() == EOF) return 1;
    if (argc == 1) return 0;
    __jit_debug_descriptor.first = NULL; /* as when the code is given back */
    __jit_debug_descriptor.done = 2;
    __jit_debug_register_code();
    puts("gone");
    return getchar() == EOF;
}
"""


def build(*names):
    Path("jit.c").write_text(JIT)
    run("gcc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", "jit", "jit.c")
    for name in names:
        Path(f"{name}.c").write_text(CODE.replace("NAME", name))
        run("gcc", "-O1", "-fno-omit-frame-pointer", "-fcf-protection=none", "-c", f"{name}.c")
    return [f"{name}.o" for name in names]


class Jit:
    def __init__(self, *command, **more):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)

    def go_on(self, word=""):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        if word:
            assert self.process.stdout.readline().strip() == word

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
