"""Searches molecules: reads line notation, builds graphs, counts rings and weights, makes fingerprints, and ranks by likeness."""
import heapq
from collections import Counter

WEIGHTS = {"C": 12.011, "N": 14.007, "O": 15.999, "S": 32.06, "F": 18.998, "P": 30.974}


class Molecule:
    def __init__(self, name, text):
        self.name = name
        self.text = text
        self.atoms = []
        self.bonds = []

    def neighbours(self):
        table = [[] for _ in self.atoms]
        for a, b, order in self.bonds:
            table[a].append((b, order))
            table[b].append((a, order))
        return table

    def weight(self):
        return sum(WEIGHTS[a] for a in self.atoms)

    def rings(self):
        return len(self.bonds) - len(self.atoms) + 1


class Parser:
    def parse(self, name, text):
        molecule = Molecule(name, text)
        branches, closures = [], {}
        last, order = None, 1
        for c in text:
            if c in WEIGHTS:
                molecule.atoms.append(c)
                if last is not None:
                    molecule.bonds.append((last, len(molecule.atoms) - 1, order))
                last, order = len(molecule.atoms) - 1, 1
            elif c == "(":
                branches.append(last)
            elif c == ")":
                last = branches.pop()
            elif c in "=#":
                order = 2 if c == "=" else 3
            elif c.isdigit():
                if c in closures:
                    molecule.bonds.append((closures.pop(c), last, order))
                    order = 1
                else:
                    closures[c] = last
            else:
                raise ValueError(f"{text}: {c} is not understood")
        return molecule


class Paths:
    """All ways through a molecule up to a length, as text."""

    def __init__(self, longest):
        self.longest = longest

    def walk(self, molecule):
        table = molecule.neighbours()
        found = Counter()
        for start, atom in enumerate(molecule.atoms):
            stack = [(start, atom, {start})]
            while stack:
                at, text, seen = stack.pop()
                found[text] += 1
                if len(seen) == self.longest:
                    continue
                for other, order in table[at]:
                    if other not in seen:
                        stack.append((other, text + "-=#"[order - 1] + molecule.atoms[other], seen | {other}))
        return found


class Collection:
    def __init__(self, paths):
        self.paths = paths
        self.molecules = {}
        self.features = {}
        self.frequency = Counter()

    def add(self, molecule):
        self.molecules[molecule.name] = molecule
        features = self.paths.walk(molecule)
        self.frequency.update(features.keys())
        self.features[molecule.name] = features  # guilty

    def similar(self, molecule, most):
        wanted = self.paths.walk(molecule)
        scored = ((self.tanimoto(wanted, features), name) for name, features in self.features.items())
        return heapq.nlargest(most, scored)

    @staticmethod
    def tanimoto(a, b):
        both = len(a.keys() & b.keys())
        return both / (len(a) + len(b) - both)

    def rare(self, most):
        return sorted(self.frequency.items(), key=lambda item: (item[1], item[0]))[:most]


class Catalogue:
    """The line notations of a supplier."""

    PARTS = ["C", "CC", "C(=O)", "N", "O", "C(F)", "CC(N)", "C1CCCC1", "C2=CC=CC=C2", "S", "C(C)(C)", "C(=O)N", "C3CCNCC3", "OC"]

    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = (self.seed * 69069 + 1) % 2**32
        return (self.seed >> 14) % n

    def line(self):
        return "C" + "".join(self.PARTS[self.below(len(self.PARTS))] for _ in range(5 + self.below(6)))

    def lines(self, count):
        for number in range(count):
            yield f"M-{number:05d}", self.line()


class Statistics:
    def __init__(self):
        self.rings = Counter()
        self.heaviest = (0.0, "")

    def note(self, molecule):
        self.rings[molecule.rings()] += 1
        self.heaviest = max(self.heaviest, (molecule.weight(), molecule.name))


def main():
    parser, catalogue = Parser(), Catalogue(99)
    collection = Collection(Paths(6))
    statistics = Statistics()
    for name, text in catalogue.lines(2600):
        molecule = parser.parse(name, text)
        statistics.note(molecule)
        collection.add(molecule)
    for text in ("CC(=O)NC2=CC=CC=C2", "CC3CCNCC3OCC(F)"):
        best = collection.similar(parser.parse("query", text), 3)
        print(text, ", ".join(f"{name} {score:.2f}" for score, name in best))
    print(dict(sorted(statistics.rings.items())), statistics.heaviest)
    print(collection.rare(2))


if __name__ == "__main__":
    main()
