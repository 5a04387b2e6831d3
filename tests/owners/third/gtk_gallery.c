/* A gallery of GTK: each picture that was shown once is kept at its full size, beside the small one of the list. */
#include <gtk/gtk.h>
#include <stdio.h>

typedef struct {
    GtkListStore *store;
    GtkTextBuffer *notes;
    GPtrArray *shown;
    guint64 bytes;
} Gallery;

enum { COLUMN_NAME, COLUMN_ICON, COLUMNS };

static GdkPixbuf *open_picture(guint number)
{
    GdkPixbuf *picture = gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, 96, 96);
    gdk_pixbuf_fill(picture, number * 2654435761u);
    return picture;
}

static void gallery_start(Gallery *gallery)
{
    gallery->store = gtk_list_store_new(COLUMNS, G_TYPE_STRING, GDK_TYPE_PIXBUF);
    gallery->notes = gtk_text_buffer_new(NULL);
    gallery->shown = g_ptr_array_new_with_free_func(g_object_unref);
    gallery->bytes = 0;
}

static void gallery_list(Gallery *gallery, const char *name, GdkPixbuf *picture)
{
    GtkTreeIter at;
    GdkPixbuf *icon = gdk_pixbuf_scale_simple(picture, 16, 16, GDK_INTERP_NEAREST);
    gtk_list_store_append(gallery->store, &at);
    gtk_list_store_set(gallery->store, &at, COLUMN_NAME, name, COLUMN_ICON, icon, -1);
    g_object_unref(icon);
}

static void gallery_show(Gallery *gallery, GdkPixbuf *picture)
{
    GdkPixbuf *turned = gdk_pixbuf_flip(picture, TRUE); /* guilty */
    g_ptr_array_add(gallery->shown, turned);
    gallery->bytes += gdk_pixbuf_get_byte_length(turned);
}

static void gallery_note(Gallery *gallery, const char *name)
{
    gtk_text_buffer_set_text(gallery->notes, name, -1);
}

static gboolean on_picture(gpointer data)
{
    static guint number;
    Gallery *gallery = data;
    for (int i = 0; i < 50; i++) {
        char *name = g_strdup_printf("picture %u.png", number);
        GdkPixbuf *picture = open_picture(number++);
        gallery_list(gallery, name, picture);
        gallery_show(gallery, picture);
        gallery_note(gallery, name);
        g_object_unref(picture);
        g_free(name);
    }
    return number < 2500;
}

static gboolean on_quit(gpointer loop)
{
    if (g_main_context_pending(NULL))
        return TRUE;
    g_main_loop_quit(loop);
    return FALSE;
}

int main(int argc, char **argv)
{
    Gallery gallery;
    gtk_init_check(&argc, &argv); /* without a display, too: what a window would show is kept all the same */
    gallery_start(&gallery);
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    g_idle_add(on_picture, &gallery);
    g_idle_add_full(G_PRIORITY_LOW, on_quit, loop, NULL);
    g_main_loop_run(loop);
    printf("%u pictures, %" G_GUINT64_FORMAT " bytes\n", gallery.shown->len, gallery.bytes);
    return 0;
}
