/* The clipboard manager of a desktop: takes each selection in the formats that are offered, and shows a menu of the last twenty. */
#include <glib.h>
#include <string.h>

#define MENU_ITEMS 20

typedef struct {
    gchar *owner;
    GPtrArray *formats; /* Offer */
} Selection;

typedef struct {
    const gchar *mime;
    GBytes *(*content)(guint serial);
} Offer;

typedef struct {
    gint64 when;
    gchar *title;
    gchar *checksum;
    GHashTable *contents; /* MIME type to GBytes */
} ClipItem;

typedef struct {
    GQueue *items;
    GHashTable *by_checksum;
    GHashTable *icons; /* application to picture */
    gboolean keep_images;
    guint shown;
} ClipManager;

static void clip_item_free(ClipItem *item)
{
    g_free(item->title);
    g_free(item->checksum);
    g_hash_table_unref(item->contents);
    g_free(item);
}

static ClipManager *clip_manager_new(void)
{
    ClipManager *self = g_new0(ClipManager, 1);
    self->items = g_queue_new();
    self->by_checksum = g_hash_table_new(g_str_hash, g_str_equal);
    self->icons = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
    self->keep_images = TRUE;
    return self;
}

static void clip_manager_free(ClipManager *self)
{
    g_hash_table_unref(self->by_checksum);
    g_queue_free_full(self->items, (GDestroyNotify)clip_item_free);
    g_hash_table_unref(self->icons);
    g_free(self);
}

static GBytes *load_icon(ClipManager *self, const gchar *owner)
{
    GBytes *icon = g_hash_table_lookup(self->icons, owner);
    if (!icon) {
        guint8 *pixels = g_malloc0(96 * 96 * 4);
        memset(pixels, owner[0], 96 * 96 * 4);
        icon = g_bytes_new_take(pixels, 96 * 96 * 4);
        g_hash_table_insert(self->icons, g_strdup(owner), icon);
    }
    return icon;
}

static gchar *make_title(GBytes *text)
{
    gsize size;
    const gchar *data = g_bytes_get_data(text, &size);
    g_autofree gchar *first = g_strndup(data, MIN(size, 40));
    return g_strdelimit(g_strstrip(g_strdup(first)), "\n\t", ' ');
}

static void on_owner_change(ClipManager *self, const Selection *selection, guint serial)
{
    load_icon(self, selection->owner);
    ClipItem *item = g_new0(ClipItem, 1);
    item->when = serial;
    item->contents = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_bytes_unref);
    for (guint i = 0; i < selection->formats->len; i++) {
        const Offer *offer = g_ptr_array_index(selection->formats, i);
        if (g_str_has_prefix(offer->mime, "image/") && !self->keep_images)
            continue;
        g_hash_table_insert(item->contents, (gpointer)offer->mime, offer->content(serial)); /* guilty */
    }
    GBytes *text = g_hash_table_lookup(item->contents, "text/plain");
    item->title = text ? make_title(text) : g_strdup("[image]");
    GBytes *any = text ? text : g_hash_table_lookup(item->contents, "image/bmp");
    item->checksum = g_compute_checksum_for_bytes(G_CHECKSUM_MD5, any);
    if (g_hash_table_contains(self->by_checksum, item->checksum)) {
        clip_item_free(item);
        return;
    }
    g_hash_table_insert(self->by_checksum, item->checksum, item);
    g_queue_push_head(self->items, item);
}

static gchar *build_menu(ClipManager *self)
{
    GString *menu = g_string_new(NULL);
    guint n = 0;
    for (GList *l = self->items->head; l && n < MENU_ITEMS; l = l->next, n++)
        g_string_append_printf(menu, "%2u  %s\n", n + 1, ((ClipItem *)l->data)->title);
    self->shown++;
    return g_string_free(menu, FALSE);
}

static GBytes *plain_text(guint serial)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < 6 + serial % 30; i++)
        g_string_append_printf(text, "line %u of the paragraph that was marked in document %u\n", i, serial / 2);
    return g_string_free_to_bytes(text);
}

static GBytes *html_text(guint serial)
{
    GString *text = g_string_new("<meta charset=utf-8>");
    for (guint i = 0; i < 6 + serial % 30; i++)
        g_string_append_printf(text, "<p style=\"font-family: sans-serif\">line <b>%u</b> of document %u</p>\n", i, serial / 2);
    return g_string_free_to_bytes(text);
}

static GBytes *screenshot(guint serial)
{
    gsize size = 54 + 3 * 160 * (90 + serial % 40);
    guint8 *bitmap = g_malloc(size);
    memset(bitmap, (int)(serial / 50 % 251), size);
    memcpy(bitmap, &serial, sizeof(serial));
    return g_bytes_new_take(bitmap, size);
}

static GPtrArray *offers(const Offer *first, guint count)
{
    GPtrArray *all = g_ptr_array_new();
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(all, (gpointer)&first[i]);
    return all;
}

int main(void)
{
    static const Offer from_text[] = {{"text/plain", plain_text}, {"text/html", html_text}};
    static const Offer from_screen[] = {{"image/bmp", screenshot}};
    ClipManager *manager = clip_manager_new();
    Selection editor = {.owner = g_strdup("editor"), .formats = offers(from_text, 2)};
    Selection camera = {.owner = g_strdup("screenshot"), .formats = offers(from_screen, 1)};
    for (guint serial = 0; serial < 8000; serial++) {
        if (serial % 5 == 0) {
            g_free(editor.owner);
            editor.owner = g_strdup_printf("application-%u", serial % 600);
        }
        on_owner_change(manager, serial % 20 == 19 ? &camera : &editor, serial);
        if (serial % 100 == 0)
            g_free(build_menu(manager));
    }
    g_autofree gchar *menu = build_menu(manager);
    g_print("%s%u in all, menu shown %u times\n", menu, g_queue_get_length(manager->items), manager->shown);
    clip_manager_free(manager);
    return 0;
}
