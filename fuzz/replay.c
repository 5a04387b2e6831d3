/*
 * Runs a fuzz target once over each named file: the corpus as a regression test, with any compiler.
 * Each input is copied into a block of exactly its size, so that a sanitizer sees a read past the
 * end. What the target tells of them (tell.h) is printed. With libFuzzer the program is that, as
 * soon as it is given an option.
 */
#include "fuzz.h"
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *fuzz_told;

/* Returns 0 when the file could be read; what the target finds ends the program. */
static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    int failed = 1;
    uint8_t *data = NULL;
    if (fseek(file, 0, SEEK_END) != 0)
        goto done;
    long end = ftell(file);
    if (end < 0)
        goto done;
    rewind(file);
    size_t size = (size_t)end;
    data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size)
        goto done;
    const char *name = strrchr(path, '/');
    printf("== %s\n", name != NULL ? name + 1 : path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    failed = 0;
done:
    if (failed)
        fprintf(stderr, "%s: could not be read\n", path);
    free(data);
    fclose(file);
    return failed;
}

static int replay_all(char **paths)
{
    int failed = 0;
    fuzz_told = stdout;
    for (; *paths != NULL; paths++)
        failed |= replay(*paths);
    return failed;
}

#ifdef FUZZ_LIBFUZZER
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* libFuzzer's main() calls this first. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (int i = 1; i < *argc; i++)
        if ((*argv)[i][0] == '-')
            return 0;
    exit(replay_all(*argv + 1));
}
#else
int main(int argc, char **argv)
{
    (void)argc;
    return replay_all(argv + 1);
}
#endif
