#!/usr/bin/env python3
"""Each header of floors 0 to 4 that three or more files outside its folder include opens with an example, and each
example, of whatever header, compiles. An example is the indented lines below "Example:" in the first comment: statements,
in a function that has `out` (struct hf_out *), `err` (struct hf_error *) and `status` (enum hf_status), and that includes
the header, base/error.h and base/strings/out.h. A line "#include ..." among them is put before the function.

Run at the top of the tree, which must be configured (build/src/config.h). usage: examples.py [CFLAG...]"""

import collections
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

HIGHEST_FLOOR = 4
MANY = 3
FRAME = """{includes}#include "{header}"
#include "base/error.h"
#include "base/strings/out.h"

enum hf_status example(struct hf_out *out, struct hf_error *err);

enum hf_status example(struct hf_out *out, struct hf_error *err)
{{
    enum hf_status status = HF_OK;
    (void)out;
    (void)err;
#line {line} "src/{header}"
{body}
    return status;
}}
"""


def floors():
    found = {}
    for line in Path("docs/floors.txt").read_text().splitlines():
        if line and line[0] != "#" and line.split()[0] != "-":
            found[line.split()[1].removeprefix("src/")] = float(line.split()[0])
    return found


def users():
    found = collections.defaultdict(set)
    for path in Path().glob("*/**/*.[ch]"):
        if path.parts[0] in ("src", "agent", "ctl"):
            for header in re.findall(r'^#include "([\w/.]+)"', path.read_text(), re.M):
                if Path("src", header).exists() and Path("src", header).parent != path.parent:
                    found[header].add(str(path))
    return found


def example_of(text):
    """(line, includes, body), or None."""
    head = re.match(r"/\*.*?\*/", text, re.S)
    found = re.search(r"^ \* Example[^\n]*:\n \*\n((?: \*(?:     .*)?\n)+)", head.group(0), re.M) if head else None
    if not found:
        return None
    lines = [line[2:] for line in found.group(1).splitlines()]
    includes = "".join(line.strip() + "\n" for line in lines if line.strip().startswith("#include"))
    body = "\n".join("" if line.strip().startswith("#include") else line for line in lines)
    return head.group(0)[: found.start(1)].count("\n") + 1, includes, body


def compile_example(header, flags):
    line, includes, body = example_of(Path("src", header).read_text())
    source = FRAME.format(header=header, line=line, includes=includes, body=body)
    done = subprocess.run(["gcc", *flags, "-x", "c", "-"], input=source, capture_output=True, text=True, check=False)
    return done.stderr


def main():
    floor_of, used_by = floors(), users()
    headers = [str(path.relative_to("src")) for path in sorted(Path("src").rglob("*.h"))]
    wrong, found = [], []
    for header in headers:
        if example_of(Path("src", header).read_text()):
            found.append(header)
        elif floor_of.get(str(Path(header).parent), 99) // 1 <= HIGHEST_FLOOR and len(used_by[header]) >= MANY:
            wrong.append(f"src/{header}: {len(used_by[header])} files outside its folder include it, and it has no example")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        wrong += [said for said in pool.map(lambda header: compile_example(header, sys.argv[1:]), found) if said]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


main()
