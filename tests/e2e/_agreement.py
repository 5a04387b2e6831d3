"""How well names agree: heapflame's answers beside those of the oracles, counted, and each difference explained.

Three questions are asked of each address, and what heapflame says must be what at least one oracle says:
    functions   the name of the function that holds the address, as text
    calls       how many calls are inlined there, and what each is called (a plain name is enough: some have no other)
    lines       path and line of each of them; line 0 is code that the compiler made up, where an oracle says nothing
                and heapflame the last real line before it
An oracle that names the function otherwise must be explained by a row of docs/compat/names.md. The judge there is the
symbol table as readelf prints it, which none of the four had a part in.
"""

import collections
import functools
import os
import pathlib
import random
import re

from _names import demangle, normal_name, oracle_chains

AGREEMENT = 0.999
ASKED_AT_RANDOM = 1000  # of elfutils, which walks a unit for each address: 23 ms in a large program
ASKED_OF_OPEN = 1000  # of it, too: where neither of the others says what heapflame says
EXAMPLES, EXAMPLE_COLUMNS = 4, 400
TABLE = pathlib.Path(os.environ["HEAPFLAME_SRC"]) / "docs/compat/names.md"


def outside(name, opening, closing):
    """The name without what stands in these brackets; operators that look like brackets become "~"."""
    depth, out = 0, []
    for letter in re.sub(r"operator(\(\)|<=>|<<=?|<=?|->| (?!new|delete)[^()]*)", "operator~", name):
        depth -= letter in closing and depth > 0
        if depth == 0 and letter not in opening + closing:
            out.append(letter)
        depth += letter in opening
    return "".join(out)


@functools.cache
def last_part(name):
    """The last part of a name, without parameters, template arguments, and what stands before it."""
    flat = outside(re.sub(r"\[abi:\w+\]|\(anonymous namespace\)::", "", name), "(<", ")>")
    flat = re.sub(r"( const| volatile|&)*$", "", flat).rstrip().split("::")[-1]
    return flat[flat.find("operator") :] if "operator" in flat else flat.split(" ")[-1]


def is_plain(name):
    """No namespace, class or parameters: all that debug information has of a function without a linkage name."""
    return not re.search(r"::|\(", outside(name, "<", ">"))


def is_silent(ours, theirs, symbols):
    return theirs in ("??", "")


def is_plainer(ours, theirs, symbols):
    is_lambda = "<lambda" in theirs and "{lambda" in ours
    return is_plain(theirs) and (is_lambda or last_part(ours) == last_part(theirs))


def is_alias(ours, theirs, symbols):
    is_one = theirs in symbols or (is_plain(theirs) and last_part(theirs) in map(last_part, symbols))
    return ours in symbols and is_one


def is_thunk(ours, theirs, symbols):
    return ours.endswith(" thunk to " + theirs)


def is_elsewhere(ours, theirs, symbols):
    return ours in symbols and theirs not in symbols


# Rows of docs/compat/names.md; the first that holds explains the difference.
EXPLANATIONS = {
    "silent": is_silent,
    "plainer": is_plainer,
    "alias": is_alias,
    "thunk": is_thunk,
    "elsewhere": is_elsewhere,
}


def same_function(ours, theirs):
    return ours[-1][0] == theirs[-1][0]


def same_calls(ours, theirs):
    return len(ours) == len(theirs) and all(last_part(a[0]) == last_part(b[0]) for a, b in zip(ours[:-1], theirs))


def same_lines(ours, theirs):
    return len(ours) == len(theirs) and all(b[2] == 0 or a[1:] == b[1:] for a, b in zip(ours, theirs))


QUESTIONS = {"functions": same_function, "calls": same_calls, "lines": same_lines}


def ask(program, addresses, ours, seed):
    """({tool: {address: chain}}, the addresses of which the figures of each oracle are)."""
    chance = random.Random(seed)
    oracles = {tool: oracle_chains(tool, program.path, addresses) for tool in ("addr2line", "llvm")}
    is_open = lambda a: not any(same_function(ours[a], chains[a]) for chains in oracles.values())
    still_open = [address for address in addresses if is_open(address)]
    sample = set(chance.sample(addresses, min(ASKED_AT_RANDOM, len(addresses))))
    more = chance.sample(still_open, min(ASKED_OF_OPEN, len(still_open)))
    oracles["elfutils"] = oracle_chains("elfutils", program.path, sorted(sample.union(more)))
    return oracles, sample


def show(chain):
    return " < ".join(f"{name} {path}:{line}" for name, path, line in chain)


class Difference:
    """An oracle names the function at an address otherwise; `row` of the table says why, None if none does."""

    def __init__(self, tool, address, ours, theirs, symbols):
        self.tool, self.address, self.ours, self.theirs = tool, address, ours, theirs
        holding = (row for row, holds in EXPLANATIONS.items() if holds(ours, theirs, symbols))
        self.row = next(holding, None)

    def __str__(self):
        return f"{self.address:#x}: heapflame {self.ours!r}, {self.tool} {self.theirs!r}"


class Agreement:
    """Of one program, or of several added up."""

    def __init__(self):
        self.addresses = 0
        self.agreed = collections.Counter()  # by question
        self.asked = collections.Counter()  # by tool, of the sample
        self.equal = collections.Counter()  # by (question, tool), of the sample
        self.odd = []  # (question, address, our chain, {tool: chain}): no oracle says so
        self.differences = []

    def compare(self, program, ours, oracles, sample):
        """`ours` and each of the oracles: {address: chain}; an oracle may have been asked for fewer addresses."""
        others = {}
        for address, chain in ours.items():
            theirs = {tool: chains[address] for tool, chains in oracles.items() if address in chains}
            self.addresses += 1
            self.asked.update(theirs.keys() if address in sample else ())
            for question, is_same in QUESTIONS.items():
                equal = [tool for tool, answer in theirs.items() if is_same(chain, answer)]
                self.agreed[question] += bool(equal)
                self.equal.update((question, tool) for tool in equal if address in sample)
                if not equal:
                    self.odd.append((question, address, chain, theirs))
            others[address] = {t: a[-1][0] for t, a in theirs.items() if not same_function(chain, a)}
        self._explain(program, ours, {address: named for address, named in others.items() if named})

    def _explain(self, program, ours, others):
        symbols = {address: program.symbols_at(address) for address in others}
        mangled = sorted(set().union(*symbols.values()))
        readable = dict(zip(mangled, demangle("".join(f"{name}\n" for name in mangled)).splitlines()))
        for address, named in others.items():
            here = {normal_name(readable[name]) for name in symbols[address]}
            for tool, theirs in named.items():
                self.differences.append(Difference(tool, address, ours[address][-1][0], theirs, here))

    def add(self, other):
        self.addresses += other.addresses
        for mine, more in ((self.agreed, other.agreed), (self.asked, other.asked), (self.equal, other.equal)):
            mine.update(more)
        self.differences += other.differences

    def unexplained(self):
        return [difference for difference in self.differences if difference.row is None]

    def faults(self):
        """Why this is not good enough; empty if it is."""
        found = [] if self.addresses else ["no address was compared"]
        found += [f"{question} agree too seldom" for question in QUESTIONS
                  if self.agreed[question] < AGREEMENT * self.addresses]
        if self.unexplained():
            found.append(f"{len(self.unexplained())} differences that {TABLE.name} does not explain")
        return found

    def figures(self):
        agreed = "  ".join(f"{question} {percent(self.agreed[question], self.addresses)}" for question in QUESTIONS)
        tools = "  ".join(f"{tool} {percent(self.equal['functions', tool], self.asked[tool])}" for tool in self.asked)
        return f"{self.addresses:7} addresses  {agreed}  (functions: {tools})"

    def print_odd(self, limit=5):
        for difference in self.unexplained()[:limit]:
            print(f"  not explained: {difference}")
        for question, address, chain, theirs in self.odd[:limit]:
            print(f"  {question} {address:#x}\n    heapflame: {show(chain)}")
            for tool, answer in theirs.items():
                print(f"    {tool}: {show(answer)}")

    def print_sums(self):
        """Each oracle by question, then the differences by row of the table, with some of each."""
        for tool, count in self.asked.items():
            shares = "  ".join(f"{question} {percent(self.equal[question, tool], count)}" for question in QUESTIONS)
            print(f"{tool:10} {count:7} addresses  {shares}")
        rows = collections.defaultdict(list)
        for difference in self.differences:
            rows[str(difference.row), difference.tool].append(difference)
        for (row, tool), found in sorted(rows.items()):
            print(f"{row:10} {tool:10} {len(found):7}")
            for difference in found[:: max(1, len(found) // EXAMPLES)][:EXAMPLES]:
                print(f"    {str(difference)[:EXAMPLE_COLUMNS]}")


def percent(part, whole):
    return f"{100 * part / max(whole, 1):7.3f} %"


def check_table():
    """The rows that the code knows are the rows of the table."""
    written = re.findall(r"(?m)^\| `(\w+)` \|", TABLE.read_text())
    if sorted(written) != sorted(EXPLANATIONS):
        raise SystemExit(f"{TABLE}: its rows are {', '.join(written)}; expected {', '.join(EXPLANATIONS)}")
