/* Built into a shared library for c_plugin.c. */
#include <stdlib.h>

void plugin_scan(int number);

static char *volatile last;

void plugin_scan(int number)
{
    last = malloc(900 + (size_t)number % 100); /* guilty */
}
