/* The leak is in a library of the program's own, which lies beside it. */
#include <stdlib.h>

void plugin_scan(int number);

static void *volatile menu;

__attribute__((noinline)) static void draw_menu(void)
{
    menu = calloc(1, 2 << 20);
}

int main(void)
{
    draw_menu();
    for (int i = 0; i < 60000; i++)
        plugin_scan(i);
    return 0;
}
