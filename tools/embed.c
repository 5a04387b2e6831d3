/*
 * embed.c: makes a C array of a script, at build time.
 *
 *     embed NAME script.js script.c
 *
 * defines `const char NAME[]` (without a NUL) and `const size_t NAME_size`, as declared in
 * render/svg_script.h. Indentation, empty lines and lines that are comments ("//") are left out, so
 * no string of the script may run over lines; and it is ASCII.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct writer {
    FILE *out;
    size_t count; /* bytes written */
};

static void put_byte(struct writer *w, int byte)
{
    fprintf(w->out, "%s%d,", w->count % 24 == 0 ? "\n    " : "", byte);
    w->count++;
}

static bool is_code(const char *line)
{
    return line[0] != '\0' && line[0] != '\n' && strncmp(line, "//", 2) != 0;
}

static int embed(const char *name, FILE *in, FILE *out)
{
    struct writer w = {.out = out};
    char line[512];
    fprintf(out, "#include \"render/svg_script.h\"\n\nconst char %s[] = {", name);
    while (fgets(line, sizeof line, in) != NULL) {
        const char *at = line + strspn(line, " \t");
        if (strchr(line, '\n') == NULL && !feof(in)) {
            fprintf(stderr, "embed: a line is longer than %zu bytes\n", sizeof line - 2);
            return 1;
        }
        if (strstr(line, "]]>") != NULL) {
            fprintf(stderr, "embed: \"]]>\" would end the script in its file\n");
            return 1;
        }
        if (!is_code(at))
            continue;
        for (; *at != '\0'; at++) {
            if (*at < 0) {
                fprintf(stderr, "embed: a byte is not ASCII: write it as \\uNNNN\n");
                return 1;
            }
            put_byte(&w, *at);
        }
    }
    fprintf(out, "\n};\n\nconst size_t %s_size = %zu;\n", name, w.count);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: embed NAME script.js script.c\n");
        return 2;
    }
    FILE *in = fopen(argv[2], "rb");
    FILE *out = fopen(argv[3], "wb");
    if (in == NULL || out == NULL) {
        perror("embed");
        return 1;
    }
    int status = embed(argv[1], in, out);
    fclose(in);
    if (fclose(out) != 0) {
        perror("embed");
        return 1;
    }
    return status;
}
