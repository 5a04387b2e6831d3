#!/usr/bin/env python3
# sanitized: no, heap.py and who.py run the same code
# timeout: 600
"""Programs that know what holds their memory (tests/held), the short form: some of the shapes, with few blocks. The whole is
bench/soak.d/shapes.py."""

import sys

from _held import build, look_at
from _heap import need
from _suite import run_tests

need("gcc", "g++", "rustc")
COUNT = 1000


def check(program, cells, *options):
    """Each {shape: (allocator, mode)} is answered right."""
    shapes = {shape.name: shape for shape in build([program])}
    wrong = []
    for name, (allocator, mode) in cells.items():
        cell = look_at(shapes[name], allocator, mode, COUNT, *options)
        print(cell.line())
        if not cell.is_right() or cell.falsely_lost != 0 or cell.found < 0.99 * cell.lost or cell.live < COUNT:
            wrong.append(cell.line())
    assert not wrong, "\n".join(wrong)


def test_c():
    check("c", {
        "tree": ("glibc", "no table"),
        "linked_ring": ("glibc", "exact"),
        "ring_buffer": ("libjemalloc", "exact"),
        "interior": ("glibc", "no table"),
        "low_tags": ("libjemalloc", "no table"),
        "high_tags": ("glibc", "no table"),
        "tag_tree": ("libjemalloc", "exact"),
        "packed": ("libjemalloc", "exact"),
        "register": ("glibc", "exact"),
        "tls_threads": ("glibc", "exact"),
        "tls": ("libjemalloc", "no table"),
        "fork": ("glibc", "exact"),
        "lost_children": ("libjemalloc", "no table"),
        "lost_cycles": ("glibc", "exact"),
        "lost_library": ("glibc", "no table"),
    })  # fmt: skip


def test_cc():
    check("cc", {
        "thread_local": ("glibc", "no table"),
        "lru": ("glibc", "exact"),
        "nested_vectors": ("libjemalloc", "exact"),
        "coroutines": ("glibc", "no table"),
        "second_base": ("libjemalloc", "exact"),
        "lost_shared_cycle": ("glibc", "exact"),
    })  # fmt: skip


def test_rust():
    check("rs", {
        "hash_map": ("glibc", "exact"),
        "rust_thread_local": ("glibc", "exact"),
        "box_dyn": ("libjemalloc", "no table"),
        "lost_rc_cycle": ("glibc", "no table"),
    })  # fmt: skip


def test_no_stop():
    """Without a stop the registers of a thread that runs are not known."""
    check("c", {
        "tree": ("glibc", "no table"),
        "linked_ring": ("glibc", "exact"),
        "ring_buffer": ("libjemalloc", "exact"),
        "packed": ("libjemalloc", "exact"),
        "tls_threads": ("glibc", "exact"),
        "tls": ("libjemalloc", "no table"),
        "lost_children": ("libjemalloc", "no table"),
        "thread_stack": ("glibc", "exact"),
        "lost_list": ("glibc", "no table"),
        "lost_cycles": ("glibc", "exact"),
    }, "--no-stop")  # fmt: skip
    check("cc", {"lru": ("glibc", "exact"), "lost_shared_cycle": ("glibc", "exact")}, "--no-stop")


sys.exit(run_tests(globals()))
