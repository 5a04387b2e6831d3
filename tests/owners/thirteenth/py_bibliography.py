"""Keeps the bibliography of an institute: reads entries, normalises names, finds duplicates, and cites in several styles."""
import re
import string
from collections import Counter, defaultdict


class Chance:
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


class Entry:
    def __init__(self, key, kind, fields):
        self.key = key
        self.kind = kind
        self.fields = fields

    def authors(self):
        return [a.strip() for a in self.fields.get("author", "").split(" and ")]

    def year(self):
        return int(self.fields.get("year", 0))


class Reader:
    HEAD = re.compile(r"@(\w+)\{([^,]+),")
    FIELD = re.compile(r"\s*(\w+)\s*=\s*\{(.*)\},?")

    def entries(self, text):
        entry = None
        for line in text.splitlines():
            if head := self.HEAD.match(line):
                entry = Entry(head.group(2), head.group(1).lower(), {})
            elif line == "}" and entry:
                yield entry
                entry = None
            elif entry and (field := self.FIELD.match(line)):
                entry.fields[field.group(1).lower()] = field.group(2)


class Fingerprints:
    """Three letters at a time of a title, to compare it with others."""

    def __init__(self):
        self.known = {}
        self.asked = 0

    def grams(self, title):
        plain = "".join(c for c in title.lower() if c in string.ascii_lowercase)
        return frozenset(plain[i : i + 3] for i in range(len(plain) - 2))

    def of(self, title):
        self.asked += 1
        if title not in self.known:
            self.known[title] = self.grams(title)  # guilty
        return self.known[title]

    def alike(self, one, other):
        a, b = self.of(one), self.of(other)
        return len(a & b) / len(a | b) if a and b else 0.0


class Names:
    def last(self, author):
        return author.split(",")[0] if "," in author else author.split()[-1]

    def short(self, author):
        if "," in author:
            last, first = (part.strip() for part in author.split(",", 1))
        else:
            *first, last = author.split()
            first = " ".join(first)
        return f"{last} {''.join(p[0] for p in first.split())}"


class Library:
    def __init__(self, fingerprints):
        self.fingerprints = fingerprints
        self.names = Names()
        self.entries = []
        self.recent = defaultdict(list)
        self.duplicates = Counter()

    def add(self, entry):
        place = (entry.year(), self.names.last(entry.authors()[0]))
        title = entry.fields["title"]
        for other in self.recent[place]:
            if self.fingerprints.alike(title, other.fields["title"]) > 0.7:
                self.duplicates[other.key] += 1
                return other
        self.recent[place].append(entry)
        del self.recent[place][:-12]
        return entry

    def most_sent(self):
        return self.duplicates.most_common(1)[0]


class Style:
    def __init__(self, names):
        self.names = names

    def cite(self, entry):
        authors = [self.names.short(a) for a in entry.authors()]
        if len(authors) > 3:
            authors = authors[:3] + ["et al."]
        return f"{', '.join(authors)} ({entry.year()}). {entry.fields['title']}. {entry.fields.get('journal', 'Preprint')}."


class Feed:
    """What the publishers send each night."""

    WORDS = (
        "stable estimation of sparse models under noise for large graphs with applications to soil moisture and river ice "
        "observations from satellites radar imaging of coastal vegetation growth spectra"
    ).split()
    NAMES = "Nowak Lindqvist Okafor Marchetti Haugen Tanaka Oyelaran Weiss Duarte Kaya".split()

    def __init__(self):
        self.chance = Chance(6)
        self.number = 0

    def entry(self):
        self.number += 1
        title = " ".join(self.WORDS[self.chance.below(len(self.WORDS))] for _ in range(9 + self.chance.below(7)))
        authors = " and ".join(
            f"{self.NAMES[self.chance.below(10)]}, {chr(65 + self.chance.below(26))}. {chr(65 + self.chance.below(26))}." for _ in range(1 + self.chance.below(5))
        )
        lines = [f"@article{{key{self.number},", f"  author = {{{authors}}},", f"  title = {{{title.capitalize()}}},", f"  year = {{{1990 + self.chance.below(35)}}},"]
        if self.chance.below(3):
            lines.append(f"  journal = {{Journal {self.chance.below(40)}}},")
        return "\n".join(lines + ["}"])

    def night(self, count):
        entries = [self.entry() for _ in range(count)]
        entries += [entries[self.chance.below(count)].replace("{key", "{copy") for _ in range(count // 8)]
        return "\n".join(entries)


def main():
    feed, reader = Feed(), Reader()
    fingerprints = Fingerprints()
    library = Library(fingerprints)
    style = Style(library.names)
    cited, added = 0, 0
    for _ in range(32):
        for entry in reader.entries(feed.night(150)):
            kept = library.add(entry)
            added += kept is entry
            cited += len(style.cite(kept))
    print(f"{added} entries, {sum(library.duplicates.values())} duplicates, most often {library.most_sent()}, {cited} letters cited")
    print(f"{fingerprints.asked} titles compared")


if __name__ == "__main__":
    main()
