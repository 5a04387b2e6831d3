/* A growing array of the program's own, used for several things, one of which grows for ever. */
#include <stdlib.h>
#include <string.h>

struct list {
    char *bytes;
    size_t count, capacity;
};

static struct list events, names, paths, marks;

__attribute__((noinline)) static void list_grow(struct list *list, size_t more)
{
    while (list->capacity < list->count + more)
        list->capacity = list->capacity * 2 + 1024;
    list->bytes = realloc(list->bytes, list->capacity);
    if (list->bytes == NULL)
        abort();
}

__attribute__((noinline)) static void list_push(struct list *list, const void *bytes, size_t count)
{
    list_grow(list, count);
    memcpy(list->bytes + list->count, bytes, count);
    list->count += count;
}

__attribute__((noinline)) static void read_names(void)
{
    for (int i = 0; i < 5000; i++)
        list_push(&names, "name", 4);
}

__attribute__((noinline)) static void read_paths(void)
{
    for (int i = 0; i < 9000; i++)
        list_push(&paths, "/path", 5);
}

__attribute__((noinline)) static void set_marks(void)
{
    for (int i = 0; i < 300000; i++)
        list_push(&marks, &i, sizeof i);
}

__attribute__((noinline)) static void collect_event(int number)
{
    char event[512];
    memset(event, number, sizeof event);
    list_push(&events, event, sizeof event); /* guilty */
}

int main(void)
{
    read_names();
    read_paths();
    set_marks();
    for (int i = 0; i < 100000; i++)
        collect_event(i);
    return 0;
}
