/* What names tell of owners: habits of naming, of C, C++, Rust and Fortran, in both directions. */
#include "analysis/owner.h"

#include "spec/owner_name.h"
#include "stacks.h"

struct named {
    const char *name, *file;
};

/* The function at which the stack ends, cut at its owner. */
static void owner_of(const char *stack, char *out_name, size_t size)
{
    struct hf_error err;
    struct hf_owners owners;
    struct hf_profile *profile;
    uint64_t values[HF_VALUE_TYPES_MAX] = {0};
    values[HF_INUSE_OBJECTS] = 5;
    values[HF_INUSE_SPACE] = 500;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_profile_add_inuse_types(profile, &err), &err);
    check_ok(
        hf_profile_add_sample(profile, stacks_node(profile, stack), HF_THREAD_ALL, values, &err),
        &err);
    check_ok(hf_owners_init(&owners, NULL, NULL, NULL, &err), &err);
    check_ok(hf_owners_learn(&owners, profile, profile, HF_BY_LINE, &err), &err);
    check_ok(hf_owners_cut(&owners, profile, HF_INUSE_SPACE, &err), &err);
    assert_int_equal(profile->sample_count, 1);
    uint32_t frame = profile->stacks.nodes[profile->samples[0].node].frame;
    struct hf_text name = hf_profile_text(profile, hf_profile_frame_at(profile, frame)->name);
    snprintf(out_name, size, "%.*s", (int)name.size, name.data);
    hf_owners_done(&owners);
    hf_profile_free(profile);
}

/* All of them at once, so that a change of the rules shows what it moves. */
static void expect_each(
    const struct named *items, size_t count, const char *callers, const char *caller)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        char stack[256], owner[128];
        snprintf(stack, sizeof stack, "%s;%s@%s:3", callers, items[i].name, items[i].file);
        owner_of(stack, owner, sizeof owner);
        const char *expected = caller != NULL ? caller : items[i].name;
        if (strcmp(owner, expected) != 0) {
            print_message("%s: expected %s, found %s\n", stack, expected, owner);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

#define CALLED "main@a.c:1;answer_request@a.c:2"

/* They sound like allocators and containers, and are what the program does. */
static void owners_that_sound_like_wrappers(void **state)
{
    (void)state;
    static const struct named items[] = {
        /* C: the verb first, and an object that is the program's subject */
        {"make_leaf", "a.c"},
        {"create_session", "a.c"},
        {"new_client", "a.c"},
        {"open_window", "a.c"},
        {"append_message", "a.c"},
        {"push_notification", "a.c"},
        {"insert_order", "a.c"},
        {"copy_files", "a.c"},
        {"copy_to_replica", "a.c"},
        {"copy_open_orders", "a.c"},
        {"clone_repository", "a.c"},
        {"dup_detector_note", "a.c"},
        {"grow_forest", "a.c"},
        {"reserve_seats", "a.c"},
        {"get_page", "a.c"},
        {"get_combined_adhoc_loc", "a.c"},
        {"gfc_get_namespace", "a.c"},
        {"list_files", "a.c"},
        {"list_add_contact", "a.c"},
        {"map_load", "a.c"},
        {"string_table_load", "a.c"},
        {"stack_trace_record", "a.c"},
        {"memory_report", "a.c"},
        {"chunk_mesh", "a.c"},
        {"buffer_frame_decode", "a.c"},
        {"queue_job", "a.c"},
        {"add_header", "a.c"},
        {"add_item", "a.c"},
        {"insert_entry", "a.c"},
        /* what keeps things for the program */
        {"cache_store", "a.c"},
        {"times_from", "a.c"},
        {"Preprocessor::Expand", "a.cc"},
        {"cache_put", "a.c"},
        {"index_add", "a.c"},
        {"journal_append", "a.c"},
        {"history_push", "a.c"},
        {"config_set", "a.c"},
        /* "new" and "copy" that are no verbs, "create" that is an event */
        {"keep_copy", "a.c"},
        {"insert_new", "a.c"},
        {"on_create", "a.c"},
        {"cmd_new", "a.c"},
        {"find_or_create", "a.c"},
        {"newsletter_send", "a.c"},
        {"makefile_parse", "a.c"},
        {"ngx_hash_init", "a.c"},
        {"tree_insert_word", "a.c"},
        {"table_insert", "a.c"},
        {"block_add", "a.c"},
        {"room_new_message", "a.c"},
        {"init", "a.c"},
        {"load_file", "a.c"},
        {"newline", "a.c"},
        {"create", "a.c"},
        {"dataset_load", "a.c"},
        {"backlog_add", "a.c"},
        {"assign_array_from_string", "a.c"},
    };
    expect_each(items, HF_COUNT(items), CALLED, NULL);
}

static void owners_in_other_languages(void **state)
{
    (void)state;
    static const struct named items[] = {
        /* C++ */
        {"Log::append", "a.cc"},
        {"History::push", "a.cc"},
        {"Cache::insert", "a.cc"},
        {"Registry::add", "a.cc"},
        {"PlayerList::add_player", "a.cc"},
        {"Queue::post_job", "a.cc"},
        {"BufferView::show_lines", "a.cc"},
        {"Mailbox::deliver", "a.cc"},
        {"Graph::add_edge", "a.cc"},
        {"Store::put", "a.cc"},
        {"Factory::build_order", "a.cc"},
        {"Server::create_session", "a.cc"},
        {"makeshift_plan", "a.cc"},
        {"Matrix::load_file", "a.cc"},
        {"Room::join", "a.cc"},
        {"Image::decode", "a.cc"},
        {"Chunk::generate", "a.cc"},
        {"Table::insert", "a.cc"},
        {"Log::format", "a.cc"},
        {"Query::operator()", "a.cc"},
        {"Tree::balance", "a.cc"},
        {"Order::shared", "a.cc"},
        /* Rust: modules are no classes */
        {"shop::tokenize::tokenize", "src/tokenize.rs"},
        {"shop::Journal::append", "src/journal.rs"},
        {"shop::Store::put", "src/store.rs"},
        {"shop::make_pair_of_nodes", "src/main.rs"},
        {"shop::open_session", "src/main.rs"},
        {"<shop::Audit>::note", "src/main.rs"},
        {"shop::main::{{closure}}", "src/main.rs"},
        /* Fortran */
        {"__mesh_MOD_add_layer", "a.f90"},
        {"__grids_MOD_refine_grid", "a.f90"},
        {"__io_MOD_read_matrix", "a.f90"},
        {"__atoms_MOD_new_bond", "a.f90"},
        {"__lists_MOD_merge_cells", "a.f90"},
        {"__solver_MOD_assemble", "a.f90"},
        /* scripts: a line of theirs is the answer whatever it is called */
        {"new_node", "a.py"},
        {"copy", "a.py"},
        {"push", "a.js"},
    };
    expect_each(items, HF_COUNT(items), CALLED, NULL);
}

/* They allocate for whoever calls them, without a word that the rules of C know. */
static void wrappers_by_their_words(void **state)
{
    (void)state;
    static const struct named items[] = {
        /* C: memory */
        {"mem_get", "a.c"},
        {"get_mem", "a.c"},
        {"getmem", "a.c"},
        {"get_buffer", "a.c"},
        {"obtain_block", "a.c"},
        {"grab_chunk", "a.c"},
        {"mem_dup", "a.c"},
        {"checked_new", "a.c"},
        {"must_alloc_bytes", "a.c"},
        {"copy_string", "a.c"},
        {"dup_str", "a.c"},
        {"str_save", "a.c"},
        {"str_concat", "a.c"},
        {"string_cat", "a.c"},
        /* containers, and the short names that they have */
        {"sb_add", "a.c"},
        {"sb_addf", "a.c"},
        {"sb_reserve", "a.c"},
        {"bb_put_bytes", "a.c"},
        {"da_append", "a.c"},
        {"dstr_append", "a.c"},
        {"arr_push", "a.c"},
        {"dyn_array_add", "a.c"},
        {"vec_push_back", "a.c"},
        {"ring_put", "a.c"},
        {"deque_push_front", "a.c"},
        {"queue_push", "a.c"},
        {"heap_insert", "a.c"},
        {"ht_insert", "a.c"},
        {"hash_set", "a.c"},
        {"hashmap_put", "a.c"},
        {"str_map_set", "a.c"},
        {"list_copy_deep", "a.c"},
        {"list_add_tail", "a.c"},
        {"token_array_push", "a.c"},
        {"cl_array_push", "a.c"},
        {"job_queue_push", "a.c"},
        {"bufGrow", "a.c"},
        {"growArray", "a.c"},
        {"StrBufAppend", "a.c"},
        {"push_back", "a.c"},
        {"append_int", "a.c"},
        {"grow", "a.c"},
        {"newnode", "a.c"},
        {"mkbuf", "a.c"},
        {"mk_node", "a.c"},
        {"vecpush", "a.c"},
        {"strcopy", "a.c"},
        {"str_split", "a.c"},
        {"string_from_int", "a.c"},
        {"join_strings", "a.c"},
        {"slurp", "a.c"},
        {"get_block", "a.c"},
        {"append", "a.c"},
        /* room, whatever for */
        {"answers_grow", "a.c"},
        {"points_reserve", "a.c"},
        {"_MagickReallocateResourceLimitedMemory", "a.c"},
        {"allocate_picture_memory", "a.c"},
        /* constructors */
        {"new_node", "a.c"},
        {"make_node", "a.c"},
        {"newNode", "a.c"},
        {"list_node_create", "a.c"},
        {"session_new", "a.c"},
        {"conn_create", "a.c"},
        {"config_dup", "a.c"},
        {"msg_clone", "a.c"},
        {"request_copy", "a.c"},
        {"copy_field", "a.f90"},
        {"copyScene", "a.c"},
        {"treeNew", "a.c"},
        {"gsk_node_new", "a.c"},
    };
    expect_each(items, HF_COUNT(items), CALLED, "answer_request");
}

static void wrappers_in_other_languages(void **state)
{
    (void)state;
    static const struct named items[] = {
        /* C++ */
        {"Image::Image", "a.cc"},
        {"gfx::Mesh::Mesh", "a.cc"},
        {"(anonymous namespace)::Row::Row", "a.cc"},
        {"net::message::message", "a.cc"},
        {"util::Pool::grow", "a.cc"},
        {"util::Pool::acquire", "a.cc"},
        {"Arena::push", "a.cc"},
        {"ByteBuffer::append", "a.cc"},
        {"RingBuffer::put", "a.cc"},
        {"TaskQueue::push", "a.cc"},
        {"StringBuilder::append", "a.cc"},
        {"Matrix::resize", "a.cc"},
        {"Matrix::transpose", "a.cc"},
        {"Image::clone", "a.cc"},
        {"Shape::create", "a.cc"},
        {"Document::Clone", "a.cc"},
        {"Mesh::reserve", "a.cc"},
        {"ObjectPool::get", "a.cc"},
        {"make_shape", "a.cc"},
        {"MakeWidget", "a.cpp"},
        {"memory::make", "a.hpp"},
        {"make", "a.cc"},
        {"create", "a.cc"},
        {"util::clone", "a.cc"},
        {"ShapeFactory::create_shape", "a.cc"},
        {"Trie::child", "a.cc"},
        {"Trie::at", "a.cc"},
        {"Image::operator=", "a.cc"},
        {"operator+", "a.cc"},
        /* Rust */
        {"shop::Node::new", "src/node.rs"},
        {"<shop::Node>::new", "src/node.rs"},
        {"shop::Matrix::with_capacity", "src/m.rs"},
        {"shop::Mesh::clone", "src/m.rs"},
        {"shop::arena::Arena::alloc", "src/arena.rs"},
        {"<shop::Buffer>::grow", "src/b.rs"},
        {"shop::Stack::push", "src/b.rs"},
        {"shop::shared", "src/main.rs"},
        /* Fortran */
        {"__containers_MOD_grow_real", "a.f90"},
        {"__lists_MOD_append_int", "a.f90"},
        {"__dynarray_MOD_push", "a.f90"},
        {"__utils_MOD_resize_array", "a.f90"},
        {"__mem_MOD_alloc_1d", "a.f90"},
        {"__vectors_MOD_vec_push", "a.f90"},
        {"__strings_MOD_concat", "a.f90"},
    };
    expect_each(items, HF_COUNT(items), CALLED, "answer_request");
}

/* Where what calls a maker only drives the program, the maker says more. */
static void makers_below_drivers(void **state)
{
    (void)state;
    static const struct named items[] = {
        {"session_new", "a.c"}, {"Scene::Scene", "a.cc"}, {"conn_create", "a.c"}};
    expect_each(items, HF_COUNT(items), "main@a.c:1;run@a.c:2", NULL);
    expect_each(items, HF_COUNT(items), "main@a.c:1;event_loop@a.c:2", NULL);
    expect_each(items, HF_COUNT(items), "start_thread;Server::worker@a.cc:2", NULL);
    expect_each(items, HF_COUNT(items), "main@a.cc:1;Server::run@a.cc:2", NULL);
    expect_each(items, HF_COUNT(items), "main@a.cc:1;Inliner::run@a.cc:2", "Inliner::run");
    expect_each(items, HF_COUNT(items), "main@a.c:1;inliner_run@a.c:2", "inliner_run");
    expect_each(items, HF_COUNT(items), "main@a.c:1", NULL);
    expect_each(items, HF_COUNT(items), "main@a.c:1;start_worker@a.c:2", "start_worker");
    static const struct named memory[] = {{"mem_get", "a.c"}, {"util::Pool::grow", "a.cc"}};
    expect_each(memory, HF_COUNT(memory), "main@a.c:1;run@a.c:2", "run");
}

/* An object that exists as the program begins is its constructor's. */
static void makers_before_main(void **state)
{
    (void)state;
    static const struct named items[] = {{"Registry::Registry", "a.cc"}, {"make_names", "a.cc"}};
    expect_each(items, HF_COUNT(items),
        "__libc_start_main;call_init;_GLOBAL__sub_I_names.cc@a.cc:9;"
        "__static_initialization_and_destruction_0@a.cc:9",
        NULL);
}

/* A chain of makers and helpers is passed over as one. */
static void makers_of_makers(void **state)
{
    (void)state;
    static const struct named items[] = {{"util::Buffer::resize", "a.cc"}, {"Row::Row", "a.cc"}};
    expect_each(items, HF_COUNT(items),
        "main@a.cc:1;import@a.cc:2;Table::Table@a.cc:4;Sheet::Sheet@a.cc:7", "import");
}

/* What a library makes is for who called the library. */
static void makers_of_libraries(void **state)
{
    (void)state;
    static const struct named makers[] = {{"xmlNewDocNodeEatName", "tree.c"},
        {"PyList_New", "listobject.c"}, {"json_new_object", "x.c"}, {"jv_array_append", "jv.c"},
        {"copyObjectImpl", "copyfuncs.c"}, {"xmlStrdup", "x.c"},
        {"_MagickReallocateResourceLimitedMemory", "memory.c"}};
    for (size_t i = 0; i < HF_COUNT(makers); i++)
        assert_true(hf_owner_name_makes(hf_text_of(makers[i].name)));
    static const char *const others[] = {"xmlSAX2StartElementNs", "renewal_check", "jv_parser_next",
        "json_parse", "deflateInit2_", "copyright_show", "sqlite3_step", "main", "", "_", "__"};
    for (size_t i = 0; i < HF_COUNT(others); i++)
        assert_false(hf_owner_name_makes(hf_text_of(others[i])));
}

/* What returns what it keeps: names tell it where the calls do not. */
static void names_of_what_stays(void **state)
{
    (void)state;
    static const char *const keepers[] = {
        "cache_refusal", "memoize", "Rooms::remember", "snapshot_acquire", "pushHistory"};
    for (size_t i = 0; i < HF_COUNT(keepers); i++)
        assert_true(hf_owner_name_keeps(hf_text_of(keepers[i])));
    static const char *const others[] = {
        "cache_new", "allocate_snapshot", "Cache::find", "refusal", "cached", "", "::"};
    for (size_t i = 0; i < HF_COUNT(others); i++)
        assert_false(hf_owner_name_keeps(hf_text_of(others[i])));
}

static void odd_names(void **state)
{
    (void)state;
    static const char *const names[] = {"", "_", "::", "::x::", "<", "<<>", "a::", "<T as U>",
        "operator", "operatornew", "~", "X::~X", "{{closure}}", "a::{lambda()#1}::operator()", "9",
        "_9_", "a_b_c_d_e_f_g_h_i_j_k_l_m_n_o_p_new", "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "\xff\xfe_new::\xff"};
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        enum hf_owner_name kind = hf_owner_name_kind(hf_text_of(names[i]), HF_TEXT("a.cc"));
        if (kind != HF_OWNER_NAME_NONE)
            fail_msg("%s: %d", names[i], (int)kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_that_sound_like_wrappers),
        cmocka_unit_test(owners_in_other_languages),
        cmocka_unit_test(wrappers_by_their_words),
        cmocka_unit_test(wrappers_in_other_languages),
        cmocka_unit_test(makers_below_drivers),
        cmocka_unit_test(makers_before_main),
        cmocka_unit_test(makers_of_makers),
        cmocka_unit_test(makers_of_libraries),
        cmocka_unit_test(names_of_what_stays),
        cmocka_unit_test(odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
