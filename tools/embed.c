/*
 * embed.c: makes a C array of a file, at build time.
 *
 *     embed [-b] NAME HEADER file file.c
 *
 * defines `const char NAME[]` (without a NUL) and `const size_t NAME_size`, as declared in HEADER.
 * The file is ASCII, or with -b any bytes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct writer {
    FILE *out;
    bool is_binary;
    size_t count; /* bytes written */
};

static bool put_byte(struct writer *w, int byte)
{
    if (byte > 127 && !w->is_binary) {
        fprintf(stderr, "embed: a byte is not ASCII: write it as \\uNNNN\n");
        return false;
    }
    const char *space = w->count++ % 24 == 0 ? "\n    " : "";
    fprintf(w->out, byte > 127 ? "%s'\\%o'," : "%s%d,", space, byte); /* char may have a sign */
    return true;
}

static bool embed(struct writer *w, const char *name, const char *header, FILE *in)
{
    fprintf(w->out, "#include \"%s\"\n\nconst char %s[] = {", header, name);
    for (int byte = getc(in); byte != EOF; byte = getc(in)) {
        if (!put_byte(w, byte))
            return false;
    }
    fprintf(w->out, "\n};\n\nconst size_t %s_size = %zu;\n", name, w->count);
    return true;
}

int main(int argc, char **argv)
{
    bool is_binary = argc == 6 && strcmp(argv[1], "-b") == 0;
    if (argc != 5 && !is_binary) {
        fprintf(stderr, "usage: embed [-b] NAME HEADER file file.c\n");
        return 2;
    }
    argv += is_binary;
    FILE *in = fopen(argv[3], "rb");
    FILE *out = fopen(argv[4], "wb");
    if (in == NULL || out == NULL) {
        perror("embed");
        return 1;
    }
    struct writer w = {.out = out, .is_binary = is_binary};
    bool is_fine = embed(&w, argv[1], argv[2], in);
    fclose(in);
    if (fclose(out) != 0) {
        perror("embed");
        return 1;
    }
    return is_fine ? 0 : 1;
}
