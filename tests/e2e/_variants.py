"""What distributions do to a finished program: its debug information is compressed, shared or moved to another file."""

import re
import shutil

from _names import run


def run_dwz(kind, program, changed):
    """dwz: within the file, partial units are made of what units have in common. dwz-m: what two files have in
    common goes to a third one; dwz-5: the same, in the forms of DWARF 5."""
    shutil.copy(program, changed)
    if kind == "dwz":
        run("dwz", changed)
        return
    shutil.copy(program, changed.with_suffix(".other"))
    options = ["--dwarf-5"] if kind == "dwz-5" else []
    run("dwz", *options, "-m", "shared.debug", program.name, f"{program.name}.other", cwd=changed.parent)


def make_variant(kind, program, folder):
    """Returns the changed program and the options that find its names."""
    folder.mkdir()
    changed = folder / program.name
    debug = folder / f"{program.name}.debug"
    if kind in ("zlib", "zlib-gnu", "zstd"):
        run("objcopy", f"--compress-debug-sections={kind}", program, changed)
        return changed, []
    if kind.startswith("dwz"):
        run_dwz(kind, program, changed)
        return changed, []
    if kind == "no-aranges":
        run("objcopy", "--remove-section=.debug_aranges", program, changed)
        return changed, []
    if kind == "eu-strip":
        run("eu-strip", "-f", debug, "-o", changed, program)
        return changed, []
    run("objcopy", "--only-keep-debug", program, debug)
    if kind == "debuglink":
        run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program, changed)
        (folder / ".debug").mkdir()
        debug.rename(folder / ".debug" / debug.name)
        return changed, []
    run("objcopy", "--strip-all", program, changed)
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", program))[1]
    store = folder / "symbols/.build-id" / build_id[:2]
    store.mkdir(parents=True)
    debug.rename(store / f"{build_id[2:]}.debug")
    return changed, ["--symdir", folder / "symbols"]
