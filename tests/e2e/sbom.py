#!/usr/bin/env python3
# sanitized: no, it lists the same there
"""The bill of materials of a build: whole by the rules of SPDX 2.3, and it has every library that is linked or loaded."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from _heap import SOURCE, need, run
from _suite import run_tests

need("readelf")

BUILD = Path(os.environ["BUILD"]).resolve()
BOM = BUILD / "heapflame.spdx.json"

# What a library's file is called there.
PACKAGES = {"libpcre2-8": "pcre2", "libz": "zlib", "libzstd": "zstd", "liblzma": "liblzma", "libcurl": "libcurl", "libsqlite3": "sqlite", "libmicrohttpd": "libmicrohttpd", "libc": "glibc",
            "libm": "glibc", "libbpf": "libbpf", "libZydis": "zydis", "libjansson": "jansson", "ld-linux-x86-64": "glibc",
            "ld-linux-aarch64": "glibc"}
LICENCE_WORDS = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "blessing", "curl", "GPL-2.0-only", "GPL-2.0-or-later", "LGPL-2.0-or-later",
                 "LGPL-2.1-only", "LGPL-2.1-or-later", "MIT", "Zlib", "GCC-exception-2.0"}


def bill():
    return json.loads(BOM.read_text())


def related(document):
    """{package: how heapflame is related to it}"""
    names = {package["SPDXID"]: package["name"] for package in document["packages"]}
    found = {}
    for relation in document["relationships"]:
        this, kind, other = relation["spdxElementId"], relation["relationshipType"], relation["relatedSpdxElement"]
        if kind in ("STATIC_LINK", "DYNAMIC_LINK"):
            assert names[this] == "heapflame", relation
            found[names[other]] = kind
        elif kind == "OPTIONAL_DEPENDENCY_OF":
            assert names[other] == "heapflame", relation
            found[names[this]] = kind
    return found


def test_form():
    """SPDX 2.3, clauses 6 to 11: what must be there is, and every reference leads somewhere."""
    document = bill()
    assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0", document
    assert document["SPDXID"] == "SPDXRef-DOCUMENT" and document["name"]
    assert re.fullmatch(r"[a-z][a-z0-9+.-]*:[^#\s]+", document["documentNamespace"]), document["documentNamespace"]
    made = document["creationInfo"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["created"]), made
    assert made["creators"] and all(re.match(r"(Person|Organization|Tool): \S", creator) for creator in made["creators"])
    identifiers = [package["SPDXID"] for package in document["packages"]]
    assert len(set(identifiers)) == len(identifiers)
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in identifiers), identifiers
    own = {info["licenseId"] for info in document["hasExtractedLicensingInfos"]}
    assert all(re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", one) for one in own), own
    used = set()
    for package in document["packages"]:
        assert package["name"] and (package["name"] == "libiberty" or re.match(r"\d+\.", package["versionInfo"])), package
        assert package["downloadLocation"] == "NOASSERTION" and package["filesAnalyzed"] is False, package
        for key in ("licenseConcluded", "licenseDeclared"):
            words = set(re.findall(r"[^\s()]+", package[key])) - {"AND", "OR", "WITH"}
            assert words and words <= LICENCE_WORDS | own, package
            used |= words
        assert package["copyrightText"], package
    assert own <= used, own - used
    known = {*identifiers, "SPDXRef-DOCUMENT"}
    for relation in document["relationships"]:
        assert relation["spdxElementId"] in known and relation["relatedSpdxElement"] in known, relation
    described = [relation["relatedSpdxElement"] for relation in document["relationships"]
                 if (relation["spdxElementId"], relation["relationshipType"]) == ("SPDXRef-DOCUMENT", "DESCRIBES")]
    assert described == ["SPDXRef-Package-heapflame"], described


def test_version():
    packages = {package["name"]: package for package in bill()["packages"]}
    assert f"heapflame {packages['heapflame']['versionInfo']}\n" == run(BUILD / "heapflame", "--version")
    for name, module in (("pcre2", "libpcre2-8"), ("zlib", "zlib"), ("zstd", "libzstd"), ("liblzma", "liblzma"), ("libcurl", "libcurl"), ("sqlite", "sqlite3"), ("libmicrohttpd", "libmicrohttpd")):
        assert packages[name]["versionInfo"] == run("pkg-config", "--modversion", module).strip(), name


def test_every_library_is_in_it():
    """What the loader brings, what is linked in, and what the sources load."""
    has = related(bill())
    needed = set()
    for file in (BUILD / "heapflame", BUILD / "agent/libheapflame.so", BUILD / "ctl/libheapflame-ctl.so.0"):
        if file.exists():
            needed |= {PACKAGES[name.split(".so")[0]] for name in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", file))}
    assert {name for name, how in has.items() if how == "DYNAMIC_LINK"} == needed, (has, needed)
    text = "".join(path.read_text() for path in (SOURCE / "src").rglob("*.[ch]"))
    loaded = {PACKAGES[name] for name in re.findall(r'"(lib\w+)\.so[."%]', text) if name in PACKAGES} - needed
    assert {name for name, how in has.items() if how == "OPTIONAL_DEPENDENCY_OF"} <= loaded, (has, loaded)
    assert loaded >= {"libcurl", "libmicrohttpd", "sqlite", "zydis"} and loaded - set(has) <= {"libbpf"}, (loaded, has)
    linked = {"jansson": "json_loadb", "libiberty": "cplus_demangle_v3"}
    symbols = run("nm", BUILD / "heapflame")
    inside = {name for name, symbol in linked.items() if re.search(rf" [tT] {symbol}$", symbols, re.M)}
    assert {name for name, how in has.items() if how == "STATIC_LINK"} == inside, (has, inside)


def test_same_again():
    """It depends on its arguments alone, and refuses a library that nobody described."""
    arguments = ["0.1.0", "1700000000", "zlib=1.3=shared", "libcurl=8.0=loaded", "jansson=2.14=static"]
    for name in ("a.json", "b.json"):
        shuffled = arguments[:2] + (arguments[2:] if name == "a.json" else arguments[:1:-1])
        subprocess.run([sys.executable, SOURCE / "tools/sbom.py", name, *shuffled], check=True)
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert '"created": "2023-11-14T22:13:20Z"' in Path("a.json").read_text()
    done = subprocess.run([sys.executable, SOURCE / "tools/sbom.py", "c.json", *arguments[:2], "unknown=1=shared"],
                          capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "unknown" in done.stderr, done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
