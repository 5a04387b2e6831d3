/* Names of code that a JIT made, from a list for GDB in memory that is made up. */
#include "symbol/lookup/jit_list.h"

#include "check.h"

#include <elf.h>
#include <inttypes.h>

#define DESCRIPTOR 0x1000u
#define ENTRY(n) (0x10000u + 0x1000u * (uint64_t)(n))
#define OBJECT(n) (0x8000000u + 0x100000u * (uint64_t)(n))

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

/* Memory is a few places. */
static struct {
    struct place {
        uint64_t address;
        const void *bytes;
        size_t size;
    } places[16];
    size_t count;
} model;

static size_t model_read(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    for (size_t i = model.count; i-- != 0;) {
        const struct place *p = &model.places[i];
        if (address < p->address || address - p->address >= p->size)
            continue;
        size_t left = p->size - (address - p->address);
        memcpy(out, (const char *)p->bytes + (address - p->address), size < left ? size : left);
        return size < left ? size : left;
    }
    return 0;
}

static const struct hf_memory memory = {.read = model_read};

static void put(uint64_t address, const void *bytes, size_t size)
{
    model.places[model.count++] = (struct place){address, bytes, size};
}

struct entry {
    uint64_t next, previous, start, size;
};

/* An ELF object with functions: the name, the address and the size of each. */
struct function {
    const char *name;
    uint64_t address, size;
    unsigned type;
};

static void make_object(struct hf_out *out, const struct function *functions, size_t count)
{
    enum { NONE, SYMTAB, STRTAB, SECTIONS };
    static const char names[] = "\0.symtab\0.strtab";
    struct hf_out symbols = {0}, strings = {0};
    Elf64_Sym symbol = {0};
    hf_out_bytes(&symbols, (const char *)&symbol, sizeof symbol);
    hf_out_bytes(&strings, names, sizeof names);
    for (size_t i = 0; i < count; i++) {
        symbol = (Elf64_Sym){.st_name = (Elf64_Word)strings.size,
            .st_info = ELF64_ST_INFO(STB_GLOBAL, functions[i].type),
            .st_shndx = 7, /* code that the object does not have */
            .st_value = functions[i].address,
            .st_size = functions[i].size};
        hf_out_bytes(&symbols, (const char *)&symbol, sizeof symbol);
        hf_out_bytes(&strings, functions[i].name, strlen(functions[i].name) + 1);
    }
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_REL,
        .e_machine = MACHINE,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof head,
        .e_shoff = sizeof head,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = STRTAB};
    size_t at = sizeof head + SECTIONS * sizeof(Elf64_Shdr);
    Elf64_Shdr sections[SECTIONS] = {
        [SYMTAB] = {.sh_name = 1,
            .sh_type = SHT_SYMTAB,
            .sh_offset = at,
            .sh_size = symbols.size,
            .sh_link = STRTAB,
            .sh_entsize = sizeof symbol,
            .sh_info = 1},
        [STRTAB] = {.sh_name = 9,
            .sh_type = SHT_STRTAB,
            .sh_offset = at + symbols.size,
            .sh_size = strings.size},
    };
    hf_out_bytes(out, (const char *)&head, sizeof head);
    hf_out_bytes(out, (const char *)sections, sizeof sections);
    hf_out_text(out, hf_out_view(&symbols));
    hf_out_text(out, hf_out_view(&strings));
    hf_out_done(&symbols);
    hf_out_done(&strings);
}

static struct hf_jit_list list;
static uint64_t head[3] = {1, 0, ENTRY(0)};
static struct hf_out objects[3];
static struct entry entries[3];

/* Two objects, of which the second has what is no function with a name and a size. */
static void begin(void)
{
    static const struct function first[] = {{"add", 0x7000, 0x20, STT_FUNC}},
                                 second[] = {{"mul", 0x7100, 1, STT_FUNC},
                                     {"none", 0x7200, 0, STT_FUNC}, {"data", 0x7300, 8, STT_OBJECT},
                                     {"a\nb", 0x7400, 8, STT_FUNC},
                                     {"div", 0xfffffffffffff000, 0xfff, STT_FUNC}},
                                 third[] = {{"late", 0x7000, 0x10, STT_FUNC}};
    memset(&list, 0, sizeof list);
    memset(&model, 0, sizeof model);
    list.descriptor = DESCRIPTOR;
    head[0] = 1;
    make_object(&objects[0], first, HF_COUNT(first));
    make_object(&objects[1], second, HF_COUNT(second));
    make_object(&objects[2], third, HF_COUNT(third));
    put(DESCRIPTOR, head, sizeof head);
    for (size_t i = 0; i < 3; i++) {
        entries[i] = (struct entry){i < 1 ? ENTRY(i + 1) : 0, 0, OBJECT(i), objects[i].size};
        put(ENTRY(i), &entries[i], sizeof entries[i]);
        put(OBJECT(i), objects[i].data, objects[i].size);
    }
}

static void end(void)
{
    for (size_t i = 0; i < 3; i++)
        hf_out_done(&objects[i]);
}

static void check_notes(const char *expected)
{
    struct hf_notes notes = {0};
    hf_jit_list_note(&list, &notes);
    if (expected == NULL)
        assert_int_equal(notes.count, 0);
    else
        assert_string_equal(notes.items[0].text, expected);
    assert_int_equal(notes.count, expected != NULL);
    hf_notes_done(&notes);
}

#define FIRST "7000 20 add\n"
#define SECOND "7100 1 mul\nfffffffffffff000 fff div\n"
#define THIRD "7000 10 late\n"

static void test_looks(void **state)
{
    (void)state;
    begin();
    hf_jit_list_look(&list, &memory);
    check_text(hf_jit_list_names(&list), FIRST SECOND);
    assert_int_equal(list.count, 2);
    hf_jit_list_look(&list, &memory); /* nothing changed */
    check_text(hf_jit_list_names(&list), FIRST SECOND);
    head[0] |= UINT64_C(2) << 32; /* what was done last, and to which */
    head[1] = ENTRY(2);
    entries[1].next = ENTRY(2);
    hf_jit_list_look(&list, &memory); /* what was seen is not there twice */
    check_text(hf_jit_list_names(&list), FIRST SECOND THIRD);
    assert_int_equal(list.count, 3);
    head[1] = ENTRY(1);
    entries[0].next = ENTRY(2); /* one goes; its names stay */
    hf_jit_list_look(&list, &memory);
    check_text(hf_jit_list_names(&list), FIRST SECOND THIRD);
    assert_int_equal(list.count, 2);
    head[1] = ENTRY(0);
    entries[0].next = ENTRY(1); /* and comes again, which cannot be told from another */
    entries[1].next = 0;
    hf_jit_list_look(&list, &memory);
    check_text(hf_jit_list_names(&list), FIRST SECOND THIRD SECOND);
    check_notes(NULL);
    end();
}

static void test_what_makes_no_sense(void **state)
{
    (void)state;
    begin();
    head[0] = 2; /* another version */
    hf_jit_list_look(&list, &memory);
    assert_int_equal(list.descriptor, 0);
    check_text(hf_jit_list_names(&list), "");
    head[0] = 1;
    hf_jit_list_look(&list, &memory); /* it is not looked for again */
    check_text(hf_jit_list_names(&list), "");
    list.descriptor = DESCRIPTOR + 1; /* the end of it is not there */
    hf_jit_list_look(&list, &memory);
    assert_int_equal(list.descriptor, 0);
    end();
    begin();
    entries[0].next = ENTRY(5); /* no entry there */
    hf_jit_list_look(&list, &memory);
    check_text(hf_jit_list_names(&list), FIRST);
    assert_int_equal(list.count, 1);
    end();
    begin();
    entries[0].size++; /* no object of that size */
    hf_jit_list_look(&list, &memory);
    check_text(hf_jit_list_names(&list), "");
    end();
    begin();
    objects[0].data[0] = 'x'; /* no ELF: the next ones are read */
    hf_jit_list_look(&list, &memory);
    check_text(hf_jit_list_names(&list), SECOND);
    assert_int_equal(list.count, 2);
    end();
    begin();
    list.count = HF_LIMIT_JIT_OBJECTS + 1; /* shared memory, which anybody wrote to */
    hf_jit_list_look(&list, &memory);
    assert_int_equal(list.size, 0);
    list.count = HF_LIMIT_JIT_OBJECTS;
    list.size = sizeof list.text + 1;
    hf_jit_list_look(&list, &memory);
    check_text(hf_jit_list_names(&list), "");
    list.size = sizeof list.text;
    assert_int_equal(hf_jit_list_names(&list).size, sizeof list.text);
    end();
}

static void test_limits(void **state)
{
    (void)state;
    begin();
    entries[0].next = ENTRY(0); /* a ring */
    hf_jit_list_look(&list, &memory);
    assert_int_equal(list.count, HF_LIMIT_JIT_OBJECTS);
    check_notes("names of code from a JIT are missing: its list for GDB has more than 4096 objects "
                "(HF_LIMIT_JIT_OBJECTS)");
    end();
    for (int i = 0; i < 2; i++) { /* together, to the byte */
        char *large = calloc(1, HF_LIMIT_JIT_OBJECT_BYTES);
        assert_non_null(large);
        begin();
        entries[1].size = HF_LIMIT_JIT_OBJECT_BYTES - entries[0].size + (i == 0 ? 0 : 1);
        entries[1].start = OBJECT(1000);
        put(OBJECT(1000), large, HF_LIMIT_JIT_OBJECT_BYTES);
        hf_jit_list_look(&list, &memory);
        assert_int_equal(list.count, i == 0 ? 2 : 1);
        check_notes(i == 0 ? NULL
                           : "names of code from a JIT are missing: its list for GDB has more than "
                             "67108864 bytes (HF_LIMIT_JIT_OBJECT_BYTES)");
        end();
        free(large);
    }
    for (int i = 0; i < 2; i++) { /* a line needs room for a NUL, too */
        begin();
        entries[0].next = 0;
        list.size = (uint32_t)(sizeof list.text - sizeof FIRST + (i == 0 ? 0 : 1));
        uint32_t before = list.size;
        hf_jit_list_look(&list, &memory);
        assert_int_equal(list.size, i == 0 ? before + sizeof FIRST - 1 : before);
        check_notes(i == 0 ? NULL
                           : "names of code from a JIT are missing: its list for GDB has more than "
                             "4194304 bytes of names (HF_LIMIT_JIT_NAME_BYTES)");
        end();
    }
    for (size_t size = 4096; size < 4098; size++) { /* no function has a longer name */
        struct hf_out object = {0};
        char *name = calloc(1, size + 1);
        assert_non_null(name);
        memset(name, 'n', size);
        const struct function function = {name, 0x7000, 1, STT_FUNC};
        begin();
        make_object(&object, &function, 1);
        entries[0] = (struct entry){0, 0, OBJECT(1000), object.size};
        put(OBJECT(1000), object.data, object.size);
        hf_jit_list_look(&list, &memory);
        assert_int_equal(list.size, size == 4096 ? sizeof "7000 1 \n" - 1 + size : 0);
        check_notes(NULL);
        hf_out_done(&object);
        free(name);
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_what_makes_no_sense),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("jit_list", tests, NULL, NULL);
}
