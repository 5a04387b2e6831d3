#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct snapshot { size_t size; char text[]; };
struct editor { char *text; size_t size, room; struct snapshot **undo; size_t depth, undo_room; };
static struct snapshot *take_snapshot(const struct editor *ed)
{
    struct snapshot *s = malloc(sizeof *s + ed->size);
    s->size = ed->size;
    memcpy(s->text, ed->text, ed->size);
    return s;
}
static void remember(struct editor *ed, struct snapshot *s)
{
    if (ed->depth == ed->undo_room) {
        ed->undo_room = ed->undo_room ? ed->undo_room * 2 : 16;
        ed->undo = realloc(ed->undo, ed->undo_room * sizeof *ed->undo);
    }
    ed->undo[ed->depth++] = s; /* guilty */
}
static void insert_at(struct editor *ed, size_t at, const char *what, size_t n)
{
    if (ed->size + n > ed->room) { ed->room = (ed->size + n) * 2; ed->text = realloc(ed->text, ed->room); }
    memmove(ed->text + at + n, ed->text + at, ed->size - at);
    memcpy(ed->text + at, what, n);
    ed->size += n;
}
static void type_word(struct editor *ed, unsigned turn)
{
    char word[24];
    int n = snprintf(word, sizeof word, "word%u ", turn * 2654435761u);
    remember(ed, take_snapshot(ed));
    insert_at(ed, ed->size ? turn % ed->size : 0, word, (size_t)n);
}
static size_t compare_with_saved(const struct editor *ed)
{
    struct snapshot *now = take_snapshot(ed);
    size_t sum = 0;
    for (size_t i = 0; i < now->size; i++) sum += (unsigned char)now->text[i];
    free(now);
    return sum;
}
int main(void)
{
    struct editor ed = {0};
    size_t sum = 0;
    for (unsigned i = 0; i < 2500; i++) { type_word(&ed, i); if (i % 5 == 0) sum += compare_with_saved(&ed); }
    printf("%zu %zu\n", sum, ed.depth);
    return 0;
}
