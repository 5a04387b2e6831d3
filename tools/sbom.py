#!/usr/bin/env python3
"""Writes the bill of materials of a build: heapflame and the libraries it is linked with or loads, as SPDX 2.3 in JSON.

    sbom.py OUTPUT VERSION SECONDS NAME=VERSION=HOW...

SECONDS since 1970 is the time that it says it was made. HOW: static (linked into the command), shared (the command needs
it to start), loaded (when it is first used; the command runs without). The same arguments give the same bytes.
"""

import datetime
import json
import re
import sys
import uuid

PUBLIC_DOMAIN = "LicenseRef-liblzma-public-domain"

# Licence as an SPDX expression, where it is from, what heapflame has of it.
LIBRARIES = {
    "glibc": ("LGPL-2.1-or-later", "https://www.gnu.org/software/libc/", "the C library"),
    "pcre2": ("BSD-3-Clause", "https://www.pcre.org/", "regular expressions"),
    "zlib": ("Zlib", "https://zlib.net/", "compressed profiles and sections"),
    "zstd": ("BSD-3-Clause OR GPL-2.0-only", "https://facebook.github.io/zstd/", "compressed profiles and sections"),
    "liblzma": (PUBLIC_DOMAIN, "https://tukaani.org/xz/", "compressed profiles and .gnu_debugdata"),
    "jansson": ("MIT", "https://github.com/akheron/jansson", "JSON of servers and profiles"),
    "libiberty": (
        "(GPL-2.0-or-later WITH GCC-exception-2.0) AND (LGPL-2.0-or-later WITH GCC-exception-2.0) AND LGPL-2.0-or-later",
        "https://gcc.gnu.org/", "nine object files: names of C++, Rust, D and Ada (see NOTICE)"),
    "libcurl": ("curl", "https://curl.se/", "fetching a URL"),
    "sqlite": ("blessing", "https://www.sqlite.org/", "stores of the profiles of many processes"),
    "libmicrohttpd": ("LGPL-2.1-or-later", "https://www.gnu.org/software/libmicrohttpd/", "the HTTP server of serve"),
    "libbpf": ("LGPL-2.1-only OR BSD-2-Clause", "https://github.com/libbpf/libbpf", "attach by eBPF"),
    "zydis": ("MIT", "https://zydis.re/", "instructions, for pages and for the places of probes"),
}


def readable(version):
    """Of Zydis, whose headers have it as "(ZyanU64)0x0004000000000000": 4.0.0."""
    number = re.search(r"0x([0-9A-Fa-f]{16})", version)
    return ".".join(str(int(number[1][i:i + 4], 16)) for i in (0, 4, 8)) if number else version


def described(name, version):
    """Of LIBRARIES; liblzma's licence is another one since version 5.6."""
    licence, *rest = LIBRARIES[name]
    if name == "liblzma" and tuple(int(part) for part in re.findall(r"\d+", version)[:2]) >= (5, 6):
        licence = "0BSD"
    return licence, *rest


def identifier(name):
    return f"SPDXRef-Package-{name}"


def package(name, version, licence, home, comment):
    return {
        "SPDXID": identifier(name),
        "name": name,
        **({"versionInfo": version} if version else {}),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION" if home else "Copyright the heapflame authors",
        "comment": comment,
        **({"homepage": home} if home else {}),
    }


def relation(how, name):
    this, other = identifier("heapflame"), identifier(name)
    if how == "loaded":
        return {"spdxElementId": other, "relationshipType": "OPTIONAL_DEPENDENCY_OF", "relatedSpdxElement": this,
                "comment": "loaded when it is first used"}
    kind = {"static": "STATIC_LINK", "shared": "DYNAMIC_LINK"}[how]
    return {"spdxElementId": this, "relationshipType": kind, "relatedSpdxElement": other}


def document(version, seconds, parts):
    packages = [package("heapflame", version, "Apache-2.0", "", "the command, libheapflame.so and libheapflame-ctl")]
    packages[0]["primaryPackagePurpose"] = "APPLICATION"
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": identifier("heapflame")}]
    for name, part_version, how in sorted(parts):
        packages.append(package(name, readable(part_version), *described(name, part_version)))
        relations.append(relation(how, name))
    made = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name_space = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([packages, relations, made]))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"heapflame-{version}",
        "documentNamespace": f"urn:uuid:{name_space}",
        "creationInfo": {"created": made, "creators": [f"Tool: heapflame-sbom-{version}"]},
        "packages": packages,
        "relationships": relations,
        "hasExtractedLicensingInfos": [{
            "licenseId": PUBLIC_DOMAIN,
            "name": "Public domain, as liblzma has it",
            "extractedText": "liblzma is in the public domain.",
        }] if any(part["licenseDeclared"] == PUBLIC_DOMAIN for part in packages) else [],
    }


def main():
    output, version, seconds, *parts = sys.argv[1:]
    with open(output, "w", encoding="utf-8") as out:
        json.dump(document(version, int(seconds), [part.split("=") for part in parts]), out, indent=2, sort_keys=True)
        out.write("\n")


if __name__ == "__main__":
    main()
