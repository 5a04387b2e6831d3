/* A table of GTK that gets a row for each event and never loses one. It opens no window. */
#include <gtk/gtk.h>
#include <stdlib.h>

static GtkListStore *store;
static GMainLoop *loop;

__attribute__((noinline)) static void on_row_arrived(int number)
{
    GtkTreeIter row;
    char *text = g_strdup_printf("row %d with a text of %0300d digits", number, number);
    gtk_list_store_append(store, &row);
    gtk_list_store_set(store, &row, 0, number, 1, text, -1); /* guilty */
    g_free(text);
}

__attribute__((noinline)) static gboolean receive(gpointer data)
{
    (void)data;
    for (int number = 0; number < 100000; number++)
        on_row_arrived(number);
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

int main(void)
{
    store = gtk_list_store_new(2, G_TYPE_INT, G_TYPE_STRING);
    loop = g_main_loop_new(NULL, FALSE);
    g_idle_add(receive, NULL);
    g_main_loop_run(loop);
    return 0;
}
