/*
 * embed.c: makes a C array of a file, at build time.
 *
 *     embed NAME HEADER file file.c
 *
 * defines `const char NAME[]` (without a NUL) and `const size_t NAME_size`, as declared in HEADER.
 * The file is ASCII.
 */
#include <stdbool.h>
#include <stdio.h>

struct writer {
    FILE *out;
    size_t count; /* bytes written */
};

static bool put_bytes(struct writer *w, const char *bytes)
{
    for (; *bytes != '\0'; bytes++) {
        if (*bytes < 0) {
            fprintf(stderr, "embed: a byte is not ASCII: write it as \\uNNNN\n");
            return false;
        }
        fprintf(w->out, "%s%d,", w->count % 24 == 0 ? "\n    " : "", *bytes);
        w->count++;
    }
    return true;
}

static bool embed(const char *name, const char *header, FILE *in, FILE *out)
{
    struct writer w = {.out = out};
    char line[512];
    fprintf(out, "#include \"%s\"\n\nconst char %s[] = {", header, name);
    while (fgets(line, sizeof line, in) != NULL) {
        if (!put_bytes(&w, line))
            return false;
    }
    fprintf(out, "\n};\n\nconst size_t %s_size = %zu;\n", name, w.count);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: embed NAME HEADER file file.c\n");
        return 2;
    }
    FILE *in = fopen(argv[3], "rb");
    FILE *out = fopen(argv[4], "wb");
    if (in == NULL || out == NULL) {
        perror("embed");
        return 1;
    }
    bool is_fine = embed(argv[1], argv[2], in, out);
    fclose(in);
    if (fclose(out) != 0) {
        perror("embed");
        return 1;
    }
    return is_fine ? 0 : 1;
}
