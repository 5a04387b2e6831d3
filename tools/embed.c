/*
 * embed.c: makes a C array of a file, at build time.
 *
 *     embed NAME file file.c
 *
 * defines `const char NAME[]` (without a NUL) and `const size_t NAME_size`, as declared in
 * render/embedded.h. The file is ASCII.
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

static bool embed(const char *name, FILE *in, FILE *out)
{
    struct writer w = {.out = out};
    char line[512];
    fprintf(out, "#include \"render/embedded.h\"\n\nconst char %s[] = {", name);
    while (fgets(line, sizeof line, in) != NULL) {
        if (!put_bytes(&w, line))
            return false;
    }
    fprintf(out, "\n};\n\nconst size_t %s_size = %zu;\n", name, w.count);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: embed NAME file file.c\n");
        return 2;
    }
    FILE *in = fopen(argv[2], "rb");
    FILE *out = fopen(argv[3], "wb");
    if (in == NULL || out == NULL) {
        perror("embed");
        return 1;
    }
    bool is_fine = embed(argv[1], in, out);
    fclose(in);
    if (fclose(out) != 0) {
        perror("embed");
        return 1;
    }
    return is_fine ? 0 : 1;
}
