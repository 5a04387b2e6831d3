/* Compiled patterns that are never freed. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

static regex_t *filters[20000];

__attribute__((noinline)) static void add_filter(int number)
{
    char pattern[100];
    snprintf(pattern, sizeof pattern, "^(user|group)%d:[a-z]+(admin|guest){1,3}$", number);
    regex_t *r = malloc(sizeof *r);
    if (regcomp(r, pattern, REG_EXTENDED | REG_NOSUB) != 0) /* guilty */
        abort();
    filters[number] = r;
}

__attribute__((noinline)) static int try_one(const char *text)
{
    return regexec(filters[0], text, 0, NULL, 0);
}

int main(void)
{
    for (int i = 0; i < 6000; i++)
        add_filter(i);
    return try_one("user0:rootadmin") == 0 ? 0 : 1;
}
