/* A message bus: clients connect, ask for what they want to hear by match rules, and messages go to whoever matches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULE_BUCKETS 4096

struct arg_match {
    int index;
    char *value;
};

struct match_rule {
    struct match_rule *next;
    unsigned owner;
    char *sender;
    char *interface;
    char *member;
    char *path;
    struct arg_match *args;
    int n_args;
};

struct client {
    unsigned id;
    char *unique_name;
    char *outgoing;
    size_t outgoing_len;
};

struct service {
    char *name;
    char *exec;
    char *unit;
    char **environment;
};

struct bus {
    struct match_rule *rules[RULE_BUCKETS];
    struct service *services;
    int n_services;
    unsigned next_client;
    unsigned long n_rules, n_delivered;
};

static void *check_alloc(void *p)
{
    if (!p)
        abort();
    return p;
}

static char *copy_value(const char *start, size_t len)
{
    return check_alloc(strndup(start, len));
}

static unsigned hash_name(const char *name)
{
    unsigned h = 5381;
    while (*name)
        h = h * 33 + (unsigned char)*name++;
    return h % RULE_BUCKETS;
}

static void match_rule_free(struct match_rule *rule)
{
    for (int i = 0; i < rule->n_args; i++)
        free(rule->args[i].value);
    free(rule->args);
    free(rule->sender);
    free(rule->interface);
    free(rule->member);
    free(rule->path);
    free(rule);
}

/* "sender='a',interface='b',arg0='c'" */
static struct match_rule *match_rule_parse(const char *text)
{
    struct match_rule *rule = check_alloc(calloc(1, sizeof *rule));
    while (*text) {
        const char *eq = strchr(text, '=');
        const char *end = eq ? strchr(eq + 2, '\'') : NULL;
        if (!end) {
            match_rule_free(rule);
            return NULL;
        }
        char *value = copy_value(eq + 2, (size_t)(end - eq - 2));
        if (!strncmp(text, "sender", 6)) {
            rule->sender = value;
        } else if (!strncmp(text, "interface", 9)) {
            rule->interface = value;
        } else if (!strncmp(text, "member", 6)) {
            rule->member = value;
        } else if (!strncmp(text, "path", 4)) {
            rule->path = value;
        } else {
            rule->args = check_alloc(realloc(rule->args, (size_t)(rule->n_args + 1) * sizeof *rule->args));
            rule->args[rule->n_args++] = (struct arg_match){atoi(text + 3), value};
        }
        text = end[1] == ',' ? end + 2 : end + 1;
    }
    return rule;
}

static int bus_add_match(struct bus *bus, const struct client *client, const char *text)
{
    struct match_rule *rule = match_rule_parse(text); /* guilty */
    if (!rule || !rule->interface)
        return -1;
    rule->owner = client->id;
    struct match_rule **bucket = &bus->rules[hash_name(rule->interface)];
    rule->next = *bucket;
    *bucket = rule;
    bus->n_rules++;
    return 0;
}

static void load_services(struct bus *bus, int count)
{
    char text[256];
    bus->services = check_alloc(calloc((size_t)count, sizeof *bus->services));
    bus->n_services = count;
    for (int i = 0; i < count; i++) {
        struct service *service = &bus->services[i];
        snprintf(text, sizeof text, "org.example.Service%d", i);
        service->name = copy_value(text, strlen(text));
        snprintf(text, sizeof text, "/usr/libexec/example/service-%d --session --activated", i);
        service->exec = copy_value(text, strlen(text));
        snprintf(text, sizeof text, "example-service-%d.service", i);
        service->unit = copy_value(text, strlen(text));
        service->environment = check_alloc(calloc(41, sizeof(char *)));
        for (int e = 0; e < 40; e++) {
            snprintf(text, sizeof text, "SERVICE_%d_VARIABLE_%d=/run/user/1000/service-%d/value", i, e, i);
            service->environment[e] = copy_value(text, strlen(text));
        }
    }
}

static struct client *client_connect(struct bus *bus)
{
    struct client *client = check_alloc(calloc(1, sizeof *client));
    char name[32];
    client->id = ++bus->next_client;
    snprintf(name, sizeof name, ":1.%u", client->id);
    client->unique_name = copy_value(name, strlen(name));
    client->outgoing = check_alloc(malloc(4096));
    return client;
}

static void client_disconnect(struct client *client)
{
    free(client->unique_name);
    free(client->outgoing);
    free(client);
}

static void subscribe_all(struct bus *bus, const struct client *client)
{
    static const char *const members[] = {"PropertiesChanged", "InterfacesAdded", "InterfacesRemoved", "NameOwnerChanged"};
    char rule[320];
    for (int i = 0; i < 12; i++) {
        snprintf(rule, sizeof rule,
                 "sender='org.example.Service%d',interface='org.example.Device%d',member='%s',"
                 "path='/org/example/devices/%u',arg0='%s'",
                 i, (int)(client->id * 12 + (unsigned)i) % 3000, members[i % 4], client->id, client->unique_name);
        bus_add_match(bus, client, rule);
    }
}

static void dispatch(struct bus *bus, struct client *to, const char *interface, const char *member)
{
    for (const struct match_rule *rule = bus->rules[hash_name(interface)]; rule; rule = rule->next) {
        if (rule->owner != to->id || strcmp(rule->interface, interface) != 0 || (rule->member && strcmp(rule->member, member) != 0))
            continue;
        to->outgoing_len = (size_t)snprintf(to->outgoing, 4096, "signal %s.%s to %s", interface, member, to->unique_name);
        bus->n_delivered++;
        return;
    }
}

int main(void)
{
    static struct bus bus;
    load_services(&bus, 1500);
    for (int i = 0; i < 12000; i++) {
        struct client *client = client_connect(&bus);
        char interface[64];
        subscribe_all(&bus, client);
        snprintf(interface, sizeof interface, "org.example.Device%u", client->id * 12 % 3000);
        dispatch(&bus, client, interface, "PropertiesChanged");
        client_disconnect(client);
    }
    printf("%lu rules, %lu delivered, %d services\n", bus.n_rules, bus.n_delivered, bus.n_services);
    return 0;
}
