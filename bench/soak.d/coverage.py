#!/usr/bin/env python3
"""What part of the anonymous memory of programs, interpreters and servers is attributed to code, and whether all parts add up to
what is resident (tests/e2e/_coverage.py). Of browsers, whose programs have a malloc of their own, the same as it comes: for each
process what /proc says and what `top PID` says."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from _coverage import MIB, PROGRAMS, Account, wait_until
from _heap import HEAPFLAME, TIMEOUT_S
from _measure import expect

PAGE = "<script>a = []; for (let i = 0; i < 500000; i++) a.push({i, t: 'x' + i}); document.title = 'full';</script>"
BROWSERS = {
    "chromium": ["chromium", "--headless", "--disable-gpu", "--remote-debugging-port=0", "--user-data-dir={folder}/profile", "{page}"],
    "firefox-esr": ["firefox-esr", "--headless", "--no-remote", "--profile", "{folder}/profile", "{page}"],
}


def processes_of(folder):
    """Those that have its profile in their command line, and their children."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if f"{folder}/profile" in (path / "cmdline").read_text() or parent in found:
                found.add(int(path.name))
    return sorted(found)


def role_of(pid):
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    kind = next((word.removeprefix("--type=") for word in words if word.startswith("--type=")), None)
    return kind or (words[-2] if "-contentproc" in words else "main")


def browser(name):
    """Prints a line for each process; False if heapflame says that nothing is in use."""
    folder = Path.cwd()
    page = folder / "page.html"
    page.write_text(PAGE)
    words = [word.format(folder=folder, page=page.as_uri()) for word in BROWSERS[name]]
    if name == "chromium" and os.geteuid() == 0:
        words.insert(1, "--no-sandbox")
    (folder / "profile").mkdir()
    run = [HEAPFLAME, "run", "--follow-fork", "-o", "browser.%p.hfb", "--", *words]
    with open("said", "w+", encoding="utf-8") as said, subprocess.Popen(
        run, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, env={**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    ) as process:
        def is_full():
            return any(anonymous(pid) > 60 * MIB and role_of(pid) != "main" for pid in processes_of(folder))

        with contextlib.suppress(AssertionError):
            wait_until(is_full, f"a process of {name} has loaded the page", 60)
        for pid in processes_of(folder):
            with contextlib.suppress(OSError):
                if Path(os.readlink(f"/proc/{pid}/exe")).name.startswith(name.split("-")[0]):
                    print(f"  {role_of(pid):14} anonymous {anonymous(pid) / MIB:7.1f} MiB: {answer(pid)}", flush=True)
        for pid in processes_of(folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 15)
        process.wait(timeout=TIMEOUT_S)
        said.seek(0)
        lines = said.read().splitlines()
    told = list(dict.fromkeys(re.sub(r"\b\d+\b", "N", line) for line in lines if line.startswith("heapflame: ")))
    print("\n".join(f"  {line}" for line in told))
    return not any("nothing is in use" in line for line in lines)


def anonymous(pid):
    with contextlib.suppress(OSError):
        found = re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) << 10 if found else 0
    return 0


def answer(pid):
    try:
        account = Account(pid)
        return f"{account.share():.1%} attributed, parts off by {account.error():+.2%}"
    except AssertionError as error:
        return str(error).strip()


def main():
    met = True
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        for name, (needed, measure) in PROGRAMS.items():
            if shutil.which(needed) is None:
                print(f"{name}: not run, {needed} is missing")
                continue
            os.mkdir(os.path.join(top, name))
            os.chdir(os.path.join(top, name))
            account = measure()
            print(f"{name}: resident {account.resident / MIB:.1f} MiB (VmRSS {account.told_resident / MIB:.1f}), anonymous {account.anonymous / MIB:.1f}")
            print("\n".join(account.lines()), flush=True)
            error = max(abs(account.error()), abs(account.sum / account.told_resident - 1))
            met &= expect(account.share() >= 0.85, f"{name}: {account.share():.1%} of the anonymous memory is attributed to code; the goal is 85 %")
            met &= expect(error <= 0.01, f"{name}: the parts are off by {error:.2%}; the goal is 1 %")
        for name, words in BROWSERS.items():
            if shutil.which(words[0]) is None:
                print(f"{name}: not run, it is missing")
                continue
            os.mkdir(os.path.join(top, name))
            os.chdir(os.path.join(top, name))
            print(f"{name} --headless, each process:")
            met &= expect(browser(name), f"{name}: heapflame never says that nothing is in use")
        os.chdir("/")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
