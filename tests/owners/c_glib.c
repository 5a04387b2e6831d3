/* GLib's strings, arrays and hash tables. */
#include <glib.h>

static GHashTable *users;
static GPtrArray *colours;

__attribute__((noinline)) static void load_colours(void)
{
    colours = g_ptr_array_new();
    for (int i = 0; i < 10000; i++)
        g_ptr_array_add(colours, g_strdup("green"));
}

__attribute__((noinline)) static void load_user(int number)
{
    g_hash_table_insert(users, g_strdup_printf("%05d", number), g_strnfill(900, 'u')); /* guilty */
}

int main(void)
{
    users = g_hash_table_new(g_str_hash, g_str_equal);
    load_colours();
    for (int i = 0; i < 60000; i++)
        load_user(i);
    return 0;
}
