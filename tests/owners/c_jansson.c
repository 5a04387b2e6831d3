/* A parser of the system's: what it returns is never released. */
#include <jansson.h>

static json_t *volatile last;
static json_t *volatile settings;

__attribute__((noinline)) static void read_settings(void)
{
    settings = json_loads("{\"depth\": 3}", 0, NULL);
}

__attribute__((noinline)) static void parse_reply(void)
{
    last =
        json_loads("{\"name\": \"x\", \"list\": [1, 2, 3, 4, 5, 6, 7, 8]}", 0, NULL); /* guilty */
}

int main(void)
{
    read_settings();
    for (int i = 0; i < 60000; i++)
        parse_reply();
    return 0;
}
