/*
 * embed.c: makes a C array of a file, at build time.
 *
 *     embed [--script] NAME file file.c
 *
 * defines `const char NAME[]` (without a NUL) and `const size_t NAME_size`, as declared in
 * render/embedded.h. The file is ASCII. Of a --script, indentation, empty lines and lines that are
 * comments ("//") are left out, so no string of it may run over lines.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

static bool is_code(const char *line)
{
    return line[0] != '\0' && line[0] != '\n' && strncmp(line, "//", 2) != 0;
}

static bool put_script_line(struct writer *w, const char *line, bool is_whole)
{
    const char *at = line + strspn(line, " \t");
    if (!is_whole) {
        fprintf(stderr, "embed: a line is too long\n");
        return false;
    }
    if (strstr(line, "]]>") != NULL) {
        fprintf(stderr, "embed: \"]]>\" would end the script in its file\n");
        return false;
    }
    return !is_code(at) || put_bytes(w, at);
}

static bool embed(const char *name, bool is_script, FILE *in, FILE *out)
{
    struct writer w = {.out = out};
    char line[512];
    fprintf(out, "#include \"render/embedded.h\"\n\nconst char %s[] = {", name);
    while (fgets(line, sizeof line, in) != NULL) {
        bool is_whole = strchr(line, '\n') != NULL || feof(in);
        if (is_script ? !put_script_line(&w, line, is_whole) : !put_bytes(&w, line))
            return false;
    }
    fprintf(out, "\n};\n\nconst size_t %s_size = %zu;\n", name, w.count);
    return true;
}

int main(int argc, char **argv)
{
    bool is_script = argc > 1 && strcmp(argv[1], "--script") == 0;
    char **names = argv + is_script;
    if (argc - is_script != 4) {
        fprintf(stderr, "usage: embed [--script] NAME file file.c\n");
        return 2;
    }
    FILE *in = fopen(names[2], "rb");
    FILE *out = fopen(names[3], "wb");
    if (in == NULL || out == NULL) {
        perror("embed");
        return 1;
    }
    bool is_fine = embed(names[1], is_script, in, out);
    fclose(in);
    if (fclose(out) != 0) {
        perror("embed");
        return 1;
    }
    return is_fine ? 0 : 1;
}
