/*
 * mutant_switch.h: which mutant is on, for the sources that bench/_schemata.py rewrites.
 *
 * Such a source includes this, and has `(hf_mutant_is(N) ? changed : as it was)` where a mutant may
 * be. MUTANT_ON=N turns one on, for the life of a process. MUTANT_SEEN names a file with a byte a
 * mutant: each that a process comes to sets its own, which says which tests can tell the mutant at
 * all. Both are read before main, and what a program and its libraries share of this is hidden, so
 * that each has its own.
 */
#ifndef HF_MUTANT_SWITCH_H
#define HF_MUTANT_SWITCH_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((weak, visibility("hidden"))) int hf_mutant_on = -1;
__attribute__((weak, visibility("hidden"))) unsigned char *hf_mutant_seen;

static __attribute__((constructor(101))) void hf_mutant_begin(void)
{
    const char *on = hf_mutant_on < 0 ? getenv("MUTANT_ON") : NULL;
    const char *seen = getenv("MUTANT_SEEN");
    for (; on != NULL && *on != '\0'; on++)
        hf_mutant_on = 10 * (hf_mutant_on < 0 ? 0 : hf_mutant_on) + (*on - '0');
    int file = seen != NULL && hf_mutant_seen == NULL ? open(seen, O_RDWR | O_CLOEXEC) : -1;
    struct stat facts;
    if (file < 0)
        return;
    void *bytes = MAP_FAILED;
    if (fstat(file, &facts) == 0)
        bytes = mmap(NULL, (size_t)facts.st_size, PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED)
        hf_mutant_seen = bytes;
    close(file);
}

static inline int hf_mutant_is(int number)
{
    if (hf_mutant_seen != NULL)
        __atomic_store_n(&hf_mutant_seen[number], 1, __ATOMIC_RELAXED); /* ThreadSanitizer looks */
    return number == hf_mutant_on;
}

#endif
