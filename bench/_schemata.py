"""Mutants of C sources, for soak.d/mutants.py: finds where one small change makes another program, and writes the source
with several such changes in it, each behind a switch (mutant_switch.h), so that one build holds them all.

libclang says what the parts of a function are, so that every change has the type of what it replaces:

  a < b        the boundary (<=) and the opposite (>=); == and != by each other
  a + b        - for + and so on, also in +=; && for ||, & for |, << for >>
  10, 'x'      one more or one less; true for false
  if (a)       !a, unless a is a comparison or && and ||, which have their own; a for !a, ++ for --
  a = b; f();  left out, unless it only gives memory or a file back: the sanitized tests tell those

What must be constant is left alone (case labels, sizes, static data), as are assertions and what only a macro spells. So is
the 1 in `calloc(count + 1, ...)`, as one more: a place that nobody uses.
"""

import bisect
import ctypes
import re
import zlib
from collections import Counter

from clang import cindex
from clang.cindex import CursorKind, TypeKind

OPPOSITES = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
SWAPS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "*", "&&": "||", "||": "&&", "&": "|", "|": "&", "^": "|", "<<": ">>",
    ">>": "<<",
}
ARITHMETIC = set("+-*/%&|^") | {"<<", ">>"}
OPERATOR = re.compile(rb"\s*(<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=?|[<>=])\s*")
NUMBER = re.compile(rb"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)")
GIVES_BACK = re.compile(rb"(\w+_)?(free|done|close|munmap)\(")
ALLOCATES = re.compile(rb"\b\w*(?:alloc|reserve)\w*\s*\(")
NOT_SPELLED = re.compile(rb"\b(?:assert|_Static_assert|static_assert|_Generic|offsetof)\s*\(")
CONDITIONS = {CursorKind.IF_STMT: 0, CursorKind.WHILE_STMT: 0, CursorKind.CONDITIONAL_OPERATOR: 0, CursorKind.DO_STMT: 1}
BODIES = {CursorKind.IF_STMT: slice(1, 3), CursorKind.FOR_STMT: slice(-1, None), CursorKind.WHILE_STMT: slice(1, 2),
          CursorKind.DO_STMT: slice(0, 1)}
LABELS = {CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT}
NO_BLOCK = LABELS | {CursorKind.NULL_STMT, CursorKind.IF_STMT, CursorKind.LABEL_STMT}
FIRST_BODY = {CursorKind.COMPOUND_STMT: 0, CursorKind.IF_STMT: 1, CursorKind.FOR_STMT: -1, CursorKind.WHILE_STMT: 1,
              CursorKind.CASE_STMT: -1, CursorKind.DEFAULT_STMT: -1, CursorKind.LABEL_STMT: -1}
DEEDS = {CursorKind.CALL_EXPR, CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
         CursorKind.UNARY_OPERATOR}

_file_location = cindex.conf.lib.clang_getFileLocation
_unsigned = ctypes.POINTER(ctypes.c_uint)
_file_location.argtypes = [cindex.SourceLocation, ctypes.POINTER(cindex.c_object_p), _unsigned, _unsigned, _unsigned]


def offset_of(location):
    """Where it is spelled: an argument of a macro stands where it was written."""
    offset = ctypes.c_uint()
    _file_location(location, None, None, None, ctypes.byref(offset))
    return offset.value


def range_of(cursor):
    return offset_of(cursor.extent.start), offset_of(cursor.extent.end)


class Mutant:
    """[start, end) of a source becomes the pieces: bytes, or (start, end) of what is kept of it."""

    number = block = None
    nth = 1  # of those in its line that change the same

    def __init__(self, source, start, end, pieces):
        self.path, self.start, self.end, self.pieces = source.path, start, end, pieces
        self.line = bisect.bisect(source.lines, start)
        self.line_text = source.line(self.line)
        self.before = source.flat(start, end)
        self.after = "".join(p.decode() if isinstance(p, bytes) else source.flat(*p) for p in pieces) or "(left out)"

    def key(self):
        change = f"{self.before} -> {self.after}"
        return self.path, self.line_text, change if self.nth == 1 else f"{change} (#{self.nth})"


class Mark:
    """The start of a block, or of a statement that is one: no change, but it says that a test came here."""

    number = name = line = None

    def __init__(self, start, end, closes_at=None):
        self.start, self.end, self.closes_at = start, end, closes_at

    def opening(self):
        brace = b" {" if self.closes_at is not None else b""
        return brace + b" (void)hf_mutant_is(%d); " % self.number


class Source:
    """A file of the tree, and its mutants; `arguments` are the compiler's."""

    def __init__(self, root, path, arguments):
        self.root, self.path, self.arguments = root, path, arguments
        self.text = (root / path).read_bytes()
        self.lines = [0] + [found.end() for found in re.finditer(rb"\n", self.text)]
        self.apart = [(found.start(), self.closing(found.end())) for found in NOT_SPELLED.finditer(self.text)]
        self.rooms = [(found.start(), self.closing(found.end())) for found in ALLOCATES.finditer(self.text)]
        self.mutants, self.marks, self.inserted, self.seen = [], [], [], set()

    def line(self, number):
        return self.text[self.lines[number - 1]:].split(b"\n", 1)[0].decode().strip()

    def flat(self, start, end):
        return " ".join(self.text[start:end].decode().split())

    def closing(self, at):
        """The end of what a bracket before `at` opened."""
        depth = 1
        while depth and at < len(self.text):
            depth += {40: 1, 41: -1}.get(self.text[at], 0)
            at += 1
        return at

    def parse(self, text=None):
        changed = [(str(self.root / self.path), text.decode())] if text is not None else None
        return cindex.Index.create().parse(str(self.root / self.path), self.arguments, changed)

    def find(self):
        unit = self.parse()
        for cursor in unit.cursor.get_children():
            if cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition() and self.is_ours(cursor):
                for child in cursor.get_children():
                    if child.kind == CursorKind.COMPOUND_STMT:
                        self.walk_body(cursor.spelling, child)
        self.mutants.sort(key=lambda mutant: (mutant.start, -mutant.end, mutant.after))
        same = Counter()
        for mutant in self.mutants:
            same[mutant.line, mutant.before, mutant.after] += 1
            mutant.nth = same[mutant.line, mutant.before, mutant.after]
        return self.mutants

    def walk_body(self, function, body):
        first, first_mark, (start, end) = len(self.mutants), len(self.marks), range_of(body)
        text = zlib.crc32(self.text[start:end])
        self.mark(body)
        self.walk(body)
        marks = self.marks[first_mark:]
        for number, mark in enumerate(marks):  # what is known of a block holds until its function changes
            mark.name = f"{self.path}:{function}@{text:08x}#{number}"
            mark.line = bisect.bisect(self.lines, mark.start)
        for mutant in self.mutants[first:]:
            around = [mark for mark in marks if mark.start <= mutant.start < mark.end]
            mutant.block = max(around, key=lambda mark: mark.start).name if around else None

    def mark(self, cursor, end_of_switch=None):
        """A mark where a statement that does not always run begins."""
        start, end = range_of(cursor)
        if cursor.kind == CursorKind.COMPOUND_STMT:
            if self.text[start:start + 1] == b"{":
                self.marks.append(Mark(start + 1, end))
        elif end_of_switch is not None:
            if cursor.kind not in NO_BLOCK and self.text[:start].rstrip().endswith(b":"):
                self.marks.append(Mark(start, end_of_switch))
        elif cursor.kind not in NO_BLOCK and self.text[:start].rstrip().endswith((b")", b"else", b"do")):
            ending = re.compile(rb"\s*;").match(self.text, end)
            ending = ending.end() if ending else end if self.text[end - 1:end] in b";}" else None
            if ending is not None:
                self.marks.append(Mark(start, ending, ending))

    def is_ours(self, cursor):
        return cursor.location.file is not None and cursor.location.file.name == str(self.root / self.path)

    def add(self, start, end, *pieces):
        text = self.text[start:end]
        is_apart = any(first <= start < last for first, last in self.apart)
        if start >= end or is_apart or b"//" in text or b"/*" in text or b"#" in text:
            return
        if text.count(b"(") != text.count(b")") or (start, end, pieces) in self.seen:
            return
        self.seen.add((start, end, pieces))
        self.mutants.append(Mutant(self, start, end, pieces))

    def walk(self, cursor, end_of_switch=None):
        children = list(cursor.get_children())
        kind = cursor.kind
        if kind == CursorKind.SWITCH_STMT:
            end_of_switch = range_of(cursor)[1]
        for body in children[BODIES[kind]] if kind in BODIES else ():
            self.mark(body)
        if kind in LABELS and end_of_switch is not None:
            self.mark(children[-1], end_of_switch)
        if kind in (CursorKind.CXX_UNARY_EXPR, CursorKind.STRUCT_DECL, CursorKind.ENUM_DECL):  # sizeof, declarations
            return
        if kind == CursorKind.VAR_DECL:
            if cursor.storage_class == cindex.StorageClass.STATIC:
                return
            if cursor.type.kind in (TypeKind.CONSTANTARRAY, TypeKind.VARIABLEARRAY, TypeKind.INCOMPLETEARRAY):
                children = [child for child in children if child.kind == CursorKind.INIT_LIST_EXPR]
        if kind == CursorKind.CASE_STMT:
            children = children[1:]
        getattr(self, f"see_{kind.name.lower()}", lambda *_: None)(cursor, children)
        if kind in CONDITIONS and len(children) > CONDITIONS[kind]:
            self.see_condition(children[CONDITIONS[kind]])
        if kind in FIRST_BODY:
            for child in children[FIRST_BODY[kind]:]:
                self.see_statement(child)
        for child in children:
            self.walk(child, end_of_switch)

    def see_binary_operator(self, cursor, children):
        if len(children) != 2:
            return
        left, right = range_of(children[0]), range_of(children[1])
        found = OPERATOR.fullmatch(self.text[left[1]:right[0]]) if left[1] < right[0] else None
        if found is None:
            return
        sign = found[1].decode()
        base = sign[:-1] if sign.endswith("=") and sign not in OPPOSITES else sign
        if base in ARITHMETIC and not all(is_number(part.type) for part in (cursor, *children)):
            return
        if base != sign and base:
            self.add(left[0], right[1], left, b" %s= " % SWAPS[base].encode(), right)
        for new in OPPOSITES.get(sign, [SWAPS[sign]] if sign in SWAPS else ()):
            self.add(left[0], right[1], b"(", left, b") %s (" % new.encode(), right, b")")

    see_compound_assignment_operator = see_binary_operator

    def see_unary_operator(self, cursor, children):
        start, end = range_of(cursor)
        inner = range_of(children[0]) if children else (start, start)
        text = self.text[start:end]
        if self.text[max(0, start - 6):start] == b"(void)":
            return  # (void)!f(): nobody asks
        if text.startswith(b"!") and inner[0] == start + 1:
            self.add(start, end, b"!!", inner)
        elif text.startswith((b"++", b"--")) and inner[0] == start + 2:
            self.add(start, end, b"--" if text.startswith(b"++") else b"++", inner)
        elif text.endswith((b"++", b"--")) and inner[1] == end - 2:
            self.add(start, end, inner, b"--" if text.endswith(b"++") else b"++")
        elif text.startswith((b"-", b"~")) and inner[0] == start + 1 and is_number(cursor.type):
            self.add(start, end, b"(", inner, b")")

    def see_integer_literal(self, cursor, _):
        start, end = range_of(cursor)
        text = self.text[start:end]
        number = NUMBER.fullmatch(text)
        if text in (b"true", b"false"):
            self.add(start, end, b"false" if text == b"true" else b"true")
        elif number is not None:
            is_octal = len(number[1]) > 1 and number[1].isdigit() and number[1].startswith(b"0")
            value = int(number[1], 8 if is_octal else 0)
            is_room = text == b"1" and self.text[:start].rstrip().endswith(b"+") and any(
                first <= start < last for first, last in self.rooms)
            if not is_room:
                self.add(start, end, b"%d%s" % (value + 1, number[2]))
            if value > 1:
                self.add(start, end, b"%d%s" % (value - 1, number[2]))

    def see_character_literal(self, cursor, _):
        start, end = range_of(cursor)
        if self.text[start:start + 1] == b"'":
            self.add(start, end, b"(", (start, end), b" + 1)")

    def see_condition(self, cursor):
        start, end = range_of(cursor)
        if cursor.kind not in (CursorKind.BINARY_OPERATOR, CursorKind.UNARY_OPERATOR):
            inner = [child.kind for child in cursor.get_children()]
            if inner[:1] != [CursorKind.BINARY_OPERATOR] and inner[:1] != [CursorKind.UNARY_OPERATOR]:
                self.add(start, end, b"!(", (start, end), b")")

    def see_statement(self, cursor):
        if cursor.kind not in DEEDS:
            return
        start, end = range_of(cursor)
        if re.match(rb"\s*;", self.text[end:end + 80]) and not GIVES_BACK.match(self.text[start:end]):
            self.add(start, end)

    def rendered(self, chosen):
        """The source with its marks and the chosen mutants in it, each behind its switch; its lines stay where they are."""
        inserted = [(mark.start, mark.opening()) for mark in self.marks]
        inserted += [(mark.closes_at, b" }") for mark in self.marks if mark.closes_at is not None]
        self.inserted = sorted(inserted, key=lambda pair: pair[0])
        up = "../" * self.path.count("/")
        return b'#include "%sbench/mutant_switch.h"\n#line 1\n' % up.encode() + self.render(0, len(self.text), sorted(
            chosen, key=lambda mutant: (mutant.start, -mutant.end, mutant.number)))

    def render(self, start, end, mutants):
        out = []
        while mutants:
            first = mutants[0]
            inside = [mutant for mutant in mutants[1:] if mutant.end <= first.end]
            out += [self.kept(start, first.start), self.switched(first, inside)]
            start, mutants = first.end, [mutant for mutant in mutants[1:] if mutant.end > first.end]
        return b"".join((*out, self.kept(start, end)))

    def kept(self, start, end):
        """The text with the marks in it; one at a place belongs to what is before it."""
        out = []
        first = bisect.bisect_right(self.inserted, start, key=lambda pair: pair[0])
        for at, text in self.inserted[first:bisect.bisect_right(self.inserted, end, key=lambda pair: pair[0])]:
            out += [self.text[start:at], text]
            start = at
        return b"".join((*out, self.text[start:end]))

    def switched(self, mutant, inside):
        changed = b"".join(
            piece if isinstance(piece, bytes) else self.render(
                *piece, [other for other in inside if piece[0] <= other.start and other.end <= piece[1]])
            for piece in mutant.pieces)
        kept = self.render(mutant.start, mutant.end, inside)
        if not mutant.pieces:
            return b"(hf_mutant_is(%d) ? (void)0 : (void)(%s))" % (mutant.number, kept)
        return b"(hf_mutant_is(%d) ? (%s) : (%s))" % (mutant.number, changed.replace(b"\n", b" "), kept)

    def wrong_lines(self, text):
        """Of the rendered source, those that do not compile."""
        unit = self.parse(text)
        return {said.location.line - 2 for said in unit.diagnostics if said.severity >= cindex.Diagnostic.Error}


def is_number(of):
    return of.get_canonical().kind.value in range(TypeKind.BOOL.value, TypeKind.LONGDOUBLE.value + 1) or (
        of.get_canonical().kind == TypeKind.ENUM)
