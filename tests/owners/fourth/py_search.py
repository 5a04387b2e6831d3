"""An index of words over a folder of notes, with the parts of a search engine: an analyser, postings, a query."""

import re
from collections import defaultdict
from dataclasses import dataclass, field

WORD = re.compile(r"[a-z]+\d*")


@dataclass
class Posting:
    document: int
    positions: list = field(default_factory=list)


@dataclass
class Note:
    title: str
    body: str


class Analyser:
    def __init__(self, stop):
        self.stop = set(stop)

    def words(self, text):
        for position, found in enumerate(WORD.finditer(text.lower())):
            word = found.group()
            if word not in self.stop:
                yield word, position


class Index:
    def __init__(self, analyser):
        self.analyser = analyser
        self.postings = defaultdict(dict)
        self.lengths = {}

    def posting(self, word, document):
        by_document = self.postings[word]
        if document not in by_document:
            by_document[document] = Posting(document)
        return by_document[document]

    def add(self, document, note):
        """Each word with each of its places, though only whole notes are ever found."""
        count = 0
        for word, position in self.analyser.words(note.body):
            self.posting(word, document).positions.append((document, position, len(word)))  # guilty
            count += 1
        self.lengths[document] = count

    def find(self, query):
        scores = defaultdict(float)
        for word, _ in self.analyser.words(query):
            for document, posting in self.postings.get(word, {}).items():
                scores[document] += len(posting.positions) / self.lengths[document]
        return sorted(scores, key=scores.get, reverse=True)[:10]


class Library:
    def __init__(self):
        self.notes = []

    def load(self, count):
        for number in range(count):
            words = (f"word{number * 31 * i % 1500}" for i in range(1, 260))
            self.notes.append(Note(f"Note {number}", "The text of a note: " + " ".join(words)))

    def __iter__(self):
        return iter(enumerate(self.notes))


def main():
    library = Library()
    library.load(720)
    index = Index(Analyser(["the", "of", "a"]))
    for document, note in library:
        index.add(document, note)
    print(len(index.postings), "words;", index.find("word31 note word62"))


if __name__ == "__main__":
    main()
