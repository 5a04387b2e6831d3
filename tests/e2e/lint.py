#!/usr/bin/env python3
# sanitized: no, it reads trees
"""script/lint passes a clean tree, and each rule, broken once, is noticed by the check that is there for it."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

SRC = pathlib.Path(os.environ["HEAPFLAME_SRC"])

HEADER = """\
#ifndef {0}_H
#define {0}_H

int hf_{0}(void);

#endif
"""
SOURCE = """\
#include "{0}/{0}.h"

int hf_{0}(void)
{{
    // strcpy(a, b) in a comment, and "gets(x)" in a literal, are not calls
    const char *text = "gets(";
    return text[0];
}}
"""
HELP = """\
#!/bin/sh
[ "$1" = fold ] || exec printf 'usage: heapflame COMMAND\\n\\ncommands:\\n  fold      Folded stacks.\\n'
printf 'usage: heapflame fold\\n\\n  -o, --output FILE  where to\\n      --lines        with lines, or --nothing\\n'
"""
CLEAN = {
    "src/base/base.h": HEADER.format("base"),
    "src/base/base.c": SOURCE.format("base"),
    "src/elf/elf.h": HEADER.format("elf"),
    "src/elf/elf.c": SOURCE.format("elf").replace("\n\nint", '\n\n#include "base/base.h"\n\nint', 1),
    "src/elf/counts.c": """\
const char *hf_names(void)
{
    return "line %u ends, process %u holds more than %u blocks, %s blocks, 5 blocks";
}

const char *hf_bound(void)
{
    return "takes %u steps (HF_LIMIT_STEPS)";
}

const char *hf_pair(void)
{
    return "%u blocks"; /* never 1: a pair */
}
""",
    "agent/once.c": "struct same {\n    int x;\n};\n\nstatic int same(void)\n{\n    return 0;\n}\n",
    "src/profile/profile.h": HEADER.format("profile"),
    "src/cli/cli.h": HEADER.format("cli"),
    "examples/service/own.h": HEADER.format("own"),
    "examples/service/main.c": '#include "own.h"\n#include <stdio.h>\n\nint main(void)\n{\n    printf("x");\n}\n',
    "tests/unit/test_base.c": '#include "base/base.h"\n\nint main(void)\n{\n    return hf_base();\n}\n',
    "tests/cmd/fold/cmd": 'heapflame fold "$CASE/in"\n',
    "tests/cmd/fold/out": "white space \n",
    "tests/fixtures/a.so": "\0",
    "script/tool": "#!/bin/sh\necho fine # TO" + "DO(#3) more\n",
    "man/heapflame.1.scd": "heapflame(1)\n\n*heapflame-fold*(1)\n\tFolded stacks.\n",
    "meson.build": "project(\n  'heapflame',\n  version: '1.2.0',\n)\n",
    "CHANGELOG.md": "# Changes\n\n## 1.2.0\n\n### Reading\n\n- New.\n\n## 1.1.0\n",
    "debian/changelog": "heapflame (1.2.0-1) unstable; urgency=medium\n",
    "man/heapflame-fold.1.scd": "heapflame-fold(1)\n\n# NAME\n\nheapflame-fold - folded stacks\n\n"
    "# OPTIONS\n\n*-o*, *--output* _FILE_\n\tWhere to. It may be a device.\n\n*--lines*\n\tWith lines, or *--nothing*.\n",
}
LONG_FUNCTION = "int hf_long(void);\nint hf_long(void)\n{\n" + "    ;\n" * 78 + "    return 0;\n}\n"

# (check, file, what is put into it instead of, or at the end of, its clean text; what lint must say)
BROKEN = [
    ("format", "src/base/base.c", "int  x;\n", "src/base/base.c:9:"),
    ("floors", "src/base/base.c", '#include "elf/elf.h"\n', "base (floor 0) may not include"),
    ("floors", "src/elf/elf.c", '#include "profile/profile.h"\n', "elf (floor 2) may not include"),
    ("floors", "src/answer/answer.h", '#include "cli/cli.h"\n', "answer (floor 6) may not include"),
    ("floors", "src/elf/elf.c", '#include "elf.h"\n', "is not written from src/"),
    ("floors", "src/elf/elf.c", '#include "elf/elf.c"\n', "is not a header"),
    ("floors", "src/elf/elf.c", '#include "base/gone.h"\n', "is in no folder"),
    ("floors", "src/new/new.h", '#include "base/base.h"\n', "new has no floor"),
    ("floors", "src/elf/room/elf.h", '#include "base/base.h"\n', "elf/room has no floor"),
    ("floors", "agent/agent.c", '#include "profile/profile.h"\n', "agent may include"),
    ("floors", "examples/service/main.c", '#include "base/base.h"\n', "examples stands alone"),
    ("floors", "src/profile/profile.c", '#include "base/base.h"\n#include "profile/profile.h"\n', "not the first include"),
    ("length", "src/base/base.c", "\n" * 800, "a .c file has at most 800"),
    ("length", "src/base/base.h", "\n" * 250, "a .h file has at most 250"),
    ("length", "src/base/base.c", LONG_FUNCTION, "hf_long has 81 lines"),
    ("banned", "src/base/base.c", "int y = atoi (text);\n", "src/base/base.c:9: atoi is banned"),
    ("banned", "examples/service/main.c", "int y = strtol(text, 0, 0);\n", "strtol is banned"),
    ("banned", "src/base/base.c", 'int y = fprintf(stderr, "");\n', "fprintf is banned here"),
    ("banned", "src/elf/elf.c", 'int y = open("x", 0);\n', "open is banned here; use hf_file_open_regular"),
    ("names", "src/elf/twice.c", "static int same(void)\n{\n}\n", "the static function same is in"),
    ("names", "src/elf/twice.c", "struct same {\n};\n", "the tag same is in"),
    ("names", "src/elf/base.c", "int x;\n", "has this file name, too"),
    ("names", "src/elf/elf.h", "void hf_x_free(struct hf_x *x);\n", "hf_x_free: there is no hf_x_new"),
    ("names", "src/elf/elf.h", "void hf_x_close(struct hf_x *x);\n", "hf_x_close: there is no hf_x_open"),
    ("names", "src/elf/elf.h", "int hf_x_open(struct hf_x *x);\n", "hf_x_open: there is no hf_x_close"),
    ("names", "src/elf/elf.h", "int hf_x_open(struct hf_x *x);\nvoid hf_x_done(struct hf_x *x);\n", "what open begins, close ends"),
    ("names", "src/elf/elf.h", "int hf_x_new(struct hf_x **x);\nvoid hf_x_done(struct hf_x *x);\n", "what new begins, free ends"),
    ("names", "src/elf/elf.h", "int hf_x_get(void);\n", "hf_x_get: the verb for that is find or at"),
    ("terminal", "src/cli/cli.c", 'int y = fprintf(stderr, "");\n', "src/cli/cli.c:1: fprintf is banned here; use hf_say"),
    ("terminal", "src/cli/cli.c", 'void f(void)\n{\n    put(stdout);\n}\n', "src/cli/cli.c:3: stdout is banned"),
    ("terminal", "src/cli/cli.c", "int y = write(STDERR_FILENO, x, 1);\n", "STDERR_FILENO is banned"),
    ("terminal", "src/base/base.c", "int y = write(2, x, 1);\n", "src/base/base.c:9: write(2, is banned"),
    ("terminal", "src/cli/cli.c", "int y = isatty(STDOUT_FILENO) && puts(x);\n", "puts is banned"),
    ("terminal", "src/cli/cli.c", "int y = hf_output_open_data(x);\n", "is for formats and pictures"),
    ("terminal", "src/base/base.c", "int y = isatty(STDERR_FILENO);\n", "src/base/base.c:9: isatty is banned here"),
    ("counts", "src/base/base.c", 'say("%zu of " "%" PRIu64 " blocks", n, m);\n', "src/base/base.c:9: 'blocks' after a number"),
    ("counts", "src/base/base.c", 'say("%u map entries", /* small */ n);\n', "'entries' after a number"),
    ("counts", "src/base/base.c", 'say("%u stacks have more than %u frames (HF_LIMIT_X)", n, HF_LIMIT_X);\n', "'stacks' after a number"),
    ("alone", "src/base/base.h", "size_t hf_size(void);\n", "src/base/base.h:7:"),
    ("alone", "src/base/base.c", "void f(int n)\n{\n    char a[n];\n}\n", "vla"),
    ("shell", "script/tool", "cd $1\n", "SC2086"),
    ("shell", "tests/cmd/fold/cmd", "cat $CASE/in\n", "SC2086"),
    ("text", "script/tool", "echo \n", "script/tool:3: white space"),
    ("text", "script/tool", "echo\r\n", "carriage return"),
    ("text", "script/tool", "echo", "no end"),
    ("text", "script/tool", "# TO" + "DO more\n", "script/tool:3: work left"),
    ("text", "src/base/base.o", "x\n", "is generated"),
    ("text", "scratch.cc", "int x;\n", "scratch.cc:1: no file of the top of the tree"),
    ("text", "script/tool", "\0\n", "is binary"),
    ("text", "tests/fixtures/a.so", "x" * (1 << 20), "at most 1048576"),
    ("complete", "src/cli/cli.c", '{"a", 0, HF_OPTION_FLAG, 0, 8, NULL, "b"},\n', "src/cli/cli.c:1: an option's row says"),
    ("limits", "src/base/limits.h", "#define HF_LIMIT_NEW 5u\n", "HF_LIMIT_NEW has no test"),
    ("limits", "tests/limits_tight.h", "#define HF_LIMIT_OLD 5u\n", "HF_LIMIT_OLD is no limit"),
    ("man", "man/heapflame-gone.1.scd", "x\n", "lists no such command"),
    ("man", "man/heapflame-fold.1.scd", "*--extra*\n\tMore.\n", "--extra is not in --help"),
]


def lint(tree, *checks):
    done = subprocess.run(
        [SRC / "script/lint", "--root", tree, *checks], capture_output=True, text=True, check=False,
        env={**os.environ, "HEAPFLAME": str(tree / "bin/heapflame")},
    )
    return done.returncode, done.stdout + done.stderr


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, newline="")


with tempfile.TemporaryDirectory() as folder:
    tree = pathlib.Path(folder)
    for name, content in CLEAN.items():
        write(tree / name, content)
    write(tree / "bin/heapflame", HELP)
    (tree / "bin/heapflame").chmod(0o755)
    for name in "docs/floors.txt", "docs/WORDS.md", ".clang-format":
        (tree / name).parent.mkdir(exist_ok=True)
        shutil.copy(SRC / name, tree / name)
    for line in (tree / "docs/floors.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            (tree / line.split()[1]).mkdir(parents=True, exist_ok=True)
    problems = []
    status, output = lint(tree)
    if status != 0:
        problems.append(f"the clean tree does not pass:\n{output}")
    for check, name, added, said in BROKEN:
        write(tree / name, CLEAN.get(name, "") + added)
        status, output = lint(tree, check)
        if status == 0 or said not in output:
            problems.append(f"{check}: {name} with {added[:60]!r}: status {status}, said:\n{output}")
        if name in CLEAN:
            write(tree / name, CLEAN[name])
        else:
            (tree / name).unlink()
    for name in "error.h", "strings/out.h":  # what every example has
        write(tree / f"src/base/{name}", "enum hf_status { HF_OK };\n" if name == "error.h" else "struct hf_out;\nstruct hf_error;\n")
    for number in range(3):  # and elf.c, too
        write(tree / f"src/elf/user{number}.c", '#include "base/base.h"\n')
    for head, said in ("/*\n * base.h\n */\n", "src/base/base.h: 4 files outside its folder include it, and it has no example"), (
        "/*\n * base.h\n *\n * Example:\n *\n *     return hf_gone();\n */\n", "hf_gone"), (
        "/*\n * base.h\n *\n * Example:\n *\n *     status = (enum hf_status)hf_base();\n */\n", "examples: fine"):
        write(tree / "src/base/base.h", head + CLEAN["src/base/base.h"])
        status, output = lint(tree, "examples")
        if said not in output or (status == 0) != ("fine" in said):
            problems.append(f"examples: {head!r}: status {status}, said:\n{output}")
    write(tree / "src/base/base.h", CLEAN["src/base/base.h"])
    shutil.rmtree(tree / "src/base/strings")
    for path in tree / "src/base/error.h", *(tree / f"src/elf/user{number}.c" for number in range(3)):
        path.unlink()
    for number in range(17):
        write(tree / f"src/spec/module{number}.h", HEADER.format(f"module{number}"))
    status, output = lint(tree, "floors")
    if status == 0 or "src/spec: 17 modules" not in output:
        problems.append(f"floors: a folder of 17 modules: {output}")
    write(tree / "meson.build", CLEAN["meson.build"].replace("1.2.0", "1.2"))
    status, output = lint(tree, "version")
    if status == 0 or "CHANGELOG.md: the newest" not in output or "debian/changelog: the newest" not in output:
        problems.append(f"version: a version that only meson.build names: {output}")
    write(tree / "meson.build", CLEAN["meson.build"])
    write(tree / "CHANGELOG.md", CLEAN["CHANGELOG.md"] + "\n- Old.\n")
    status, output = lint(tree, "version")
    if status == 0 or "CHANGELOG.md:11: a change stands in no group" not in output:
        problems.append(f"version: a change above the groups: {output}")
    write(tree / "CHANGELOG.md", CLEAN["CHANGELOG.md"])
    (tree / "src/net").rmdir()
    status, output = lint(tree, "floors")
    if status == 0 or "docs/floors.txt: net is no folder" not in output:
        problems.append(f"floors: a floor without its folder: {output}")
    rules = (tree / "docs/WORDS.md").read_text()
    avoided = [re.match(r'\| "(.*?)" \|', line).group(1) for line in rules.splitlines() if line.startswith('| "')]
    if len(avoided) < 20:
        problems.append(f"words: docs/WORDS.md has {len(avoided)} rows of patterns")
    for name, text, said in (
        *(("docs/page.md", f"# Page\n\n{sentence}\n", "docs/page.md:3: '") for sentence in avoided),
        ("README.md", "The file that is\nasked for.\n", "README.md:1: 'that is asked for': short words"),
        ("man/heapflame.1.scd", CLEAN["man/heapflame.1.scd"] + "*--x*\n\tIt is\n\tsaid.\n", "man/heapflame.1.scd:6: 'is said': say who"),
        ("bin/heapflame", HELP.replace("where to", "for its owner alone"), "heapflame fold --help:3: 'for its owner alone'"),
        ("docs/page.md", "```\nnobody asks\n```\n\nThere is no file. Leave it alone.\n", "words: fine"),
        ("docs/WORDS.md", rules.replace("to be had", "old").replace("can be had", "can be got"), "has no row that \\bbe"),
        ("docs/WORDS.md", rules.replace('"this is no profile"', '"this is a profile"'), 'no pattern of script/lint.d/words.py finds "this is a'),
        ("docs/WORDS.md", rules.replace('"this is not a profile"', '"this is none of them"'), '"this is none of them" is found as well'),
    ):
        before = (tree / name).read_text() if (tree / name).exists() else None
        (tree / name).write_text(text)
        status, output = lint(tree, "words")
        if said not in output or (status == 0) != ("fine" in said):
            problems.append(f"words: {name} with {text[-60:]!r}: status {status}, said:\n{output}")
        if before is None:
            (tree / name).unlink()
        else:
            (tree / name).write_text(before)
    page = "man/heapflame-fold.1.scd"
    for name, old, new, said in (
        (page, "- folded stacks", "- stacks", f"{page}: NAME is not the one-liner of --help: expected 'heapflame-fold - folded stacks'"),
        (page, "Where to.", "Where.", f"{page}: --output does not begin as --help does: expected 'where to', found 'Where."),
        (page, "With lines", "With _all_ lines", f"{page}: --lines does not begin as --help does"),
        ("man/heapflame.1.scd", "Folded", "All folded", "man/heapflame.1.scd: fold is not the one-liner of --help"),
    ):
        write(tree / name, CLEAN[name].replace(old, new))
        status, output = lint(tree, "man")
        if status == 0 or said not in output:
            problems.append(f"man: {new} instead of {old}: status {status}, said:\n{output}")
        write(tree / name, CLEAN[name])
    (tree / "man/heapflame-fold.1.scd").unlink()
    status, output = lint(tree, "man")
    if status == 0 or "man/heapflame-fold.1.scd: is missing" not in output:
        problems.append(f"man: a missing page: {output}")
    if problems:
        raise SystemExit("\n".join(problems))
