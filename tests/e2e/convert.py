#!/usr/bin/env python3
"""Holds docs/formats/README.md to its table of round trips: a profile that has everything is written in each format and
read back, and each cell must say what came back. Also: each format that is written is in the table."""

import re
import struct
import sys
from pathlib import Path

import _suite
from _heap import SOURCE, heapflame, sum_folded

STRINGS = ["", "alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "inuse_space", "space", "/srv/app",
           "00ff", "/srv/lib.so", "0123", "main", "leak", "inner", "a.c", "thread", "worker", "thread_id", "7"]


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def encode(*fields):
    """A message of (number, value): a list is packed numbers, a tuple a message, the rest as it is."""
    data = b""
    for number, value in fields:
        if isinstance(value, int):
            data += varint(number << 3) + varint(value)
            continue
        part = (value.encode() if isinstance(value, str) else encode(*value) if isinstance(value, tuple)
                else b"".join(map(varint, value)))
        data += varint(number << 3 | 2) + varint(len(part)) + part
    return data


def decode(data):
    """{number: [values]}: kind 0 as numbers, kind 2 as bytes."""
    fields, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = number()
        value = number()
        if tag & 7 == 2:
            at += value
            value = data[at - value : at]
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def numbers(data):
    return [struct.unpack("<q", struct.pack("<Q", value))[0] for value in decode_packed(data)]


def decode_packed(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def everything(sign=1):
    types = [((1, name), (2, unit)) for name, unit in ((1, 2), (3, 4), (5, 2), (6, 4))]
    return encode(
        *[(1, type) for type in types],
        (2, ((1, [1, 2, 3]), (2, [5 * sign, 500 * sign, 3 * sign, 300 * sign]),
             (3, ((1, 18), (2, 19))), (3, ((1, 16), (2, 17))))),
        (2, ((1, [1, 2, 3]), (2, [2, 64, 1, 32]))),
        (2, ((1, [2, 3]), (2, [1, 10, 1, 10]))),
        (3, ((1, 1), (2, 0x400000), (3, 0x402000), (4, 0x1000), (5, 8), (6, 9))),
        (3, ((1, 2), (2, 0x7F0000000000), (3, 0x7F0000002000), (4, 0x2000), (5, 10), (6, 11))),
        (4, ((1, 1), (2, 1), (3, 0x400010), (4, ((1, 3), (2, 41))), (4, ((1, 2), (2, 12))))),
        (4, ((1, 2), (2, 2), (3, 0x7F0000000020))),
        (4, ((1, 3), (2, 1), (3, 0x400030), (4, ((1, 1), (2, 7))))),
        *[(5, ((1, id), (2, name), (4, 15))) for id, name in ((1, 12), (2, 13), (3, 14))],
        *[(6, text) for text in STRINGS],
        (11, ((1, 7), (2, 4))), (12, 524288), (14, 6),
    )


def facts(path):
    """What a profile.proto says, by the columns of the table."""
    fields = decode(Path(path).read_bytes())
    strings = [text.decode() for text in fields[6]]

    def first(message, number):
        return message.get(number, [0])[0]

    functions = {first(f, 1): strings[first(f, 2)] for f in map(decode, fields.get(5, []))}
    files = {first(f, 1): strings[first(f, 4)] for f in map(decode, fields.get(5, []))}
    maps = {first(m, 1): (strings[first(m, 5)], strings[first(m, 6)], first(m, 2), first(m, 4))
            for m in map(decode, fields.get(3, []))}
    out = {name: set() for name in ("modules", "build-ids", "addresses", "names", "lines", "inlines")}
    for location in map(decode, fields.get(4, [])):
        file, build_id, start, offset = maps[first(location, 2)]
        lines = [decode(line) for line in location.get(4, [])]
        named = [functions[first(line, 1)] for line in lines]
        out["modules"] |= {file} - {""}
        out["build-ids"] |= {build_id} - {""}
        if first(location, 3) and file:
            out["addresses"].add((file, first(location, 3) - start + offset))
        out["names"] |= {name for name in named if name in STRINGS}
        out["lines"] |= {(functions[first(line, 1)], Path(files[first(line, 1)]).name, first(line, 2)) for line in lines
                         if first(line, 2)}
        if len(named) > 1:
            out["inlines"].add(tuple(named))
    types = [strings[first(decode(kind), 1)] for kind in fields[1]]
    out["values"], out["threads"] = {}, {}
    for sample in map(decode, fields.get(2, [])):
        values = numbers(sample[2][0])
        labels = {strings[first(label, 1)]: strings[first(label, 2)] for label in map(decode, sample.get(3, []))}
        for kind, value in zip(types, values):
            out["values"][kind] = out["values"].get(kind, 0) + value
        if labels:
            out["threads"][tuple(sorted(labels.items()))] = dict(zip(types, values))
    out["period"] = fields.get(12, [0])[0]
    return out


def table():
    """{format: {column: cell}} of the section on round trips."""
    text = (SOURCE / "docs/formats/README.md").read_text().partition("## What survives a round trip")[2]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in text.partition("\n## ")[0].splitlines()
            if line.startswith("|")]
    head, _, *body = rows
    return {row[0]: dict(zip(head[1:], row[1:])) for row in body}


def turn(name, source):
    """`source` written in the format and read back, as its facts."""
    heapflame("convert", "-q", "--keep-allocator", "--lines", source, "--to", name, "-o", "there")
    heapflame("convert", "-q", "--keep-allocator", "there", "--to", "pb", "-o", "back.pb")
    return facts("back.pb")


def test_every_cell():
    Path("all.pb").write_bytes(everything())
    before = facts("all.pb")
    assert before["inlines"] == {("inner", "leak")} and len(before["addresses"]) == 3, before
    wrong = []
    for name, cells in table().items():
        if name == "speedscope":
            continue  # is not read
        after = turn(name, "all.pb")
        for column, cell in cells.items():
            if column == "differences":
                continue
            if column == "values":
                is_one = list(after["values"].values()) == [before["values"]["inuse_space"]]
                got = "all" if after["values"] == before["values"] else "one" if is_one else "no"
            else:
                got = "yes" if after[column] == before[column] else "no"
            if got != cell:
                wrong.append(f"{name}, {column}: the table says {cell}, found {got}: {before[column]} became {after[column]}")
    assert not wrong, "\n".join(wrong)


def test_differences():
    Path("signed.pb").write_bytes(everything(sign=-1))
    wrong = []
    for name, cells in table().items():
        if name == "speedscope":
            continue
        try:
            heapflame("convert", "-q", "signed.pb", "--to", name, "-o", "there")
            got = "yes" if sum_folded(heapflame("fold", "-q", "there")) == -258 else "no"
        except AssertionError:
            got = "no"
        if got != cells["differences"]:
            wrong.append(f"{name}: the table says {cells['differences']}, found {got}")
    assert not wrong, "\n".join(wrong)


def test_all_formats_are_in_the_table():
    page = (SOURCE / "man/heapflame-convert.1.scd").read_text().partition("# OPTIONS")[0]
    written = set(re.findall(r"^\*(\w+)\* \(_\.", page, re.MULTILINE))
    assert written == set(table()), f"{written} against {set(table())}"


if __name__ == "__main__":
    sys.exit(_suite.run_tests(globals()))
