#!/usr/bin/env python3
"""Holds that nothing is added by half: whatever is in a registry (the formats that are read and written, the commands,
the presets, the allocators known by name, the backends of attach) has its code, its tests and its documents, and nothing of its kind is outside of it.

Run at the top of the tree. Prints one line for each part that is missing; `script/new` makes all of them."""

import re
import sys
from pathlib import Path


def registry(path, macro):
    """The names in `#define MACRO(USE) USE(name) ...`, in their order."""
    if not Path(path).exists():
        return []
    text = Path(path).read_text().replace("\\\n", " ")
    defined = re.search(rf"^#define {macro}\(USE\)(.*)$", text, re.M)
    return re.findall(r"USE\((\w+)\)", defined.group(1)) if defined else []


def definitions(pattern, where):
    """name -> (file, text) of what is defined in the files `where`."""
    found = {}
    for path in sorted(Path().glob(where)):
        text = path.read_text()
        for name in re.findall(pattern, text, re.M):
            found[name] = (str(path), text)
    return found


def read(path):
    return Path(path).read_text() if Path(path).exists() else ""


def section(path, title):
    """The text below a heading up to the next one of the same level."""
    found = re.search(rf"^(#+) {title}\n(.*?)(?=^\1 |\Z)", read(path), re.M | re.S)
    return found.group(2) if found else ""


def field(text, name):
    found = re.search(rf'\.{name} = "([^"]*)"', text)
    return found.group(1) if found else ""


wrong = []


def need(holds, message):
    if not holds:
        wrong.append(message)


def compare(names, defined, list_place, what):
    for name in names:
        need(name in defined, f"{list_place}: {name} is listed, but there is no {what.format(name)}")
    for name, (path, _) in defined.items():
        need(name in names, f"{path}: {name} is not in {list_place}, so nothing uses it")


def built(path, folder):
    """Each floor's meson.build lists its sources."""
    source = path.removeprefix(folder + "/")
    need(not path or f"'{source}'" in read(f"{folder}/meson.build"), f"{folder}/meson.build: does not list {source}")


def golden_case(name, folder):
    need(Path(folder, "cmd").exists(), f"{name} has no golden case {folder}/")


def check_formats():
    names = registry("src/formats/format.h", "HF_FORMATS")
    defined = definitions(r"^const struct hf_format hf_format_(\w+) =", "src/formats/**/*.c")
    compare(names, defined, "HF_FORMATS in src/formats/format.h", "hf_format_{}")
    parsers = {line.split()[0]: line.split()[1:] for line in read("fuzz/parsers").splitlines() if line and line[0] != "#"}
    table = section("docs/formats/README.md", "What is read")
    headings = "\n".join(re.findall(r"^\*.*", section("man/heapflame.1.scd", "PROFILES"), re.M)).lower()
    for name in names:
        path = defined.get(name, (f"src/formats/{name}.c", ""))[0].removeprefix("src/")
        said = f"the format {name}"
        built("src/" + path, "src/formats")
        need(Path(f"fuzz/fuzz_{name}.c").exists(), f"{said} has no fuzz target fuzz/fuzz_{name}.c")
        need(any(Path(f"fuzz/corpus/{name}").glob("seed*")), f"{said} has no inputs fuzz/corpus/{name}/seed*")
        need(Path(f"fuzz/expected/{name}").exists(), f"{said} has no fuzz/expected/{name} (script/test --bless writes it)")
        need(path in parsers.get(name, []), f"fuzz/parsers: {name} does not name {path}")
        golden_case(said, f"tests/cmd/formats/{name}")
        row = next((line for line in table.splitlines() if f"`{name}.c`" in line), "")
        need(row, f"docs/formats/README.md: no row of 'What is read' names {name}.c")
        for word in row.split("|")[1].split(",") if row else []:
            need(word.strip().lower() in headings, f"man/heapflame.1.scd: PROFILES has no heading '{word.strip()}'")


def check_writers():
    names = registry("src/formats/writers.h", "HF_WRITERS")
    defined = definitions(r"^const struct hf_writer hf_writer_(\w+) =", "src/formats/**/*.c")
    compare(names, defined, "HF_WRITERS in src/formats/writers.h", "hf_writer_{}")
    page = re.findall(r"^\*(.+?)\*", read("man/heapflame-convert.1.scd"), re.M)
    for name in names:
        built(defined.get(name, ("", ""))[0], "src/formats")
        golden_case(f"the written format {name}", f"tests/cmd/convert/{name}")
        for title in "What is written", "What survives a round trip":
            need(f"\n| {name} |" in section("docs/formats/README.md", title), f"docs/formats/README.md: '{title}' has no row {name}")
        need(name in page, f"man/heapflame-convert.1.scd: no paragraph of {name}")


def check_commands():
    names = registry("src/cli/main.c", "HF_COMMANDS")
    defined = definitions(r"^const struct hf_command hf_cmd_(\w+) =", "src/cli/**/*.c")
    compare(names, defined, "HF_COMMANDS in src/cli/main.c", "hf_cmd_{}")
    for name in names:
        path, text = defined.get(name, ("", ""))
        called = re.search(rf'hf_cmd_{name} =.*?\.name = "([^"]*)"', text, re.S)
        if not called:
            continue
        called = called.group(1)
        built(path, "src/cli")
        need(Path(path).name == f"cmd_{name}.c", f"{path}: the command {called} belongs into cmd_{name}.c")
        golden_case(f"the command {called}", f"tests/cmd/help/{called}")
        need(Path(f"man/heapflame-{called}.1.scd").exists(), f"the command {called} has no page man/heapflame-{called}.1.scd")
        need(f"*heapflame-{called}*" in read("man/heapflame.1.scd"), f"man/heapflame.1.scd: does not name *heapflame-{called}*(1)")


def check_presets():
    names = registry("src/spec/embedded.h", "HF_PRESETS")
    specs = {path.stem: (str(path), "") for path in sorted(Path("presets").glob("*.spec"))}
    compare(names, specs, "HF_PRESETS in src/spec/embedded.h", "presets/{}.spec")
    table = section("docs/spec.md", "Presets")
    tests = "".join(path.read_text() for path in Path("tests/e2e").glob("*.py"))
    for name in names:
        need(f"| `{name}` |" in table, f"docs/spec.md: 'Presets' has no row `{name}`")
        need(re.search(rf"\b{name}\b", tests), f"no test in tests/e2e/ names the preset {name}")


def check_allocators():
    names = registry("src/profile/allocator.h", "HF_ALLOCATORS")
    defined = definitions(r"^static const struct allocator_names (\w+)_names =", "src/profile/allocator.c")
    for name in "language", "heapflame":  # no allocators of their own
        defined.pop(name, None)
    compare(names, defined, "HF_ALLOCATORS in src/profile/allocator.h", "{}_names")
    presets = registry("src/spec/embedded.h", "HF_PRESETS")
    said = re.search(r"^\t\*malloc\*: .*$", read("man/heapflame-attach.1.scd"), re.M)
    for name in names:
        need(name in presets, f"HF_PRESETS in src/spec/embedded.h: the allocator {name} has no preset")
        need(said and re.search(rf"\b{name}\b", said.group()), f"man/heapflame-attach.1.scd: --what malloc does not name {name}")


def check_owner_rules():
    """In the order in which they are asked."""
    names = registry("src/spec/embedded.h", "HF_OWNER_PRESETS")
    files = {path.stem for path in Path("presets/owners").glob("*")}
    need(files == set(names), f"HF_OWNER_PRESETS in src/spec/embedded.h and presets/owners/ differ: {sorted(files ^ set(names))}")


def check_backends():
    names = registry("src/attach/session/backend.h", "HF_BACKENDS")
    defined = definitions(r"^const struct hf_backend hf_backend_(\w+) =", "src/attach/session/*.c")
    compare(names, defined, "HF_BACKENDS in src/attach/session/backend.h", "hf_backend_{}")
    tests = "".join(path.read_text() for path in Path("tests/e2e").glob("attach*.py"))
    for name in names:
        built(defined.get(name, ("", ""))[0], "src/attach")
        need(f"*{name}*" in read("man/heapflame-attach.1.scd"), f"man/heapflame-attach.1.scd: --backend does not name *{name}*")
        need(re.search(rf"\b{name}\b", read("docs/attach.md")), f"docs/attach.md: does not name the backend {name}")
        need(f'"{name}"' in tests, f"no test in tests/e2e/attach*.py asks for the backend {name}")


def check_options():
    """Whether help and man page have them as well is for `script/lint man`."""
    tests = "\n".join(path.read_text(errors="replace") for kind in ("cmd/**/cmd", "e2e/*", "unit/*.c") for path in Path("tests").glob(kind) if path.is_file())
    given = set(re.findall(r"-(?<![\w-]-)-?([\w-]+)", tests))  # what begins with a letter is found fast
    for path in Path("src/cli").rglob("*.c"):
        text = path.read_text()
        for name, letter in re.findall(r"^    \{\"(\w[\w-]*)\", (?:'(.)'|0),\s+HF_OPT_", text, re.M):
            need(given & {name, letter} - {""}, f"{path}: no test gives the option --{name} (e.g. tests/cmd/COMMAND/option-{name}/cmd)")
        for number, line in enumerate(text.splitlines() if "HF_OPTION_" in text else (), 1):
            need(path.name == "option.c" or not re.search(r"\bHF_OPTION_[A-Z]+,", line), f"{path}:{number}: an option's row says what type its member has: HF_OPT_... (cli/option.h)")


for check in check_formats, check_writers, check_commands, check_presets, check_allocators, check_owner_rules, check_backends, check_options:
    check()
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(1 if wrong else 0)
