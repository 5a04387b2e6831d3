"""How well names agree: heapflame's answers beside those of the oracles, counted, and each difference explained.

Three questions are asked of each address:
    functions   the name of the function that holds the address, as text
    calls       how many calls are inlined there, and what each is called (a plain name is enough: some have no other)
    lines       path and line of each of them; line 0 is code that the compiler made up, where an oracle says nothing
                and heapflame the last real line before it
heapflame agrees if it says what at least one oracle says, and none that is right says otherwise. Of a function that it
marks as one of N with the same bytes it agrees, too, if the symbol table has exactly N names there and its name is one. Each oracle that says
otherwise must be explained by a row of docs/compat/names.md, which says who is right. Of names the judge is the symbol
table as readelf prints it, which none of the four had a part in.
"""

import collections
import functools
import os
import pathlib
import random
import re

from _names import demangle, normal_name, oracle_chains

AGREEMENT = 0.999
ASKED_MAX = 1000  # of elfutils, which walks a unit for each address: 23 ms in a large program
EXAMPLES, EXAMPLE_COLUMNS = 4, 400
ODD_COLUMNS = 1000
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


def knows_nothing(ours, theirs, _):
    return theirs[-1][0] in ("??", "")


def is_shorter(ours, theirs, _):
    return len(theirs) < len(ours)


def is_longer(ours, theirs, _):
    return len(theirs) > len(ours)


def has_symbol_inside(ours, theirs, _):
    """An inlined call is called as the symbol that it lies in."""
    symbol = last_part(theirs[-1][0])
    pairs = zip(ours[:-1], theirs)
    return len(theirs) == len(ours) and all(last_part(b[0]) in (last_part(a[0]), symbol) for a, b in pairs)


def has_no_line(ours, theirs, _):
    return all(line == 0 for _, _, line in theirs)


def is_other_file(ours, theirs, _):
    return [line for *_, line in ours] == [line for *_, line in theirs]


def is_twin(ours, theirs, _):
    is_inlined = len(ours) == len(theirs) > 1
    return is_inlined and ours[0][1:] == theirs[0][1:] and last_part(ours[-1][0]) == last_part(theirs[-1][0])


def is_alone(ours, theirs, equal_count):
    return equal_count == 2


def is_unsaid(ours, theirs, _):
    return all(line == 0 for _, _, line in ours)


# Rows of docs/compat/names.md; the first that holds explains the difference. Of functions they look at two names and
# the symbols there, of calls and lines at two chains, and how many oracles say what heapflame says.
EXPLANATIONS = {
    "functions": {
        "silent": is_silent,
        "plainer": is_plainer,
        "alias": is_alias,
        "thunk": is_thunk,
        "elsewhere": is_elsewhere,
    },
    "calls": {
        "silent": knows_nothing,
        "shorter": is_shorter,
        "longer": is_longer,
        "symbol": has_symbol_inside,
        "twin": is_twin,
        "alone": is_alone,
    },
    "lines": {
        "silent": has_no_line,
        "shorter": is_shorter,
        "longer": is_longer,
        "file": is_other_file,
        "twin": is_twin,
        "alone": is_alone,
        "unsaid": is_unsaid,
    },
}
HEAPFLAME_IS_WRONG = ("unsaid",)


def same_function(ours, theirs):
    return ours[-1][0] == theirs[-1][0]


def is_one_of(ours, symbols):
    """The mark "one of N equal functions" is true: any of them is right."""
    return ours.equal_count == len(symbols) > 1 and ours[-1][0] in symbols


def same_calls(ours, theirs):
    return len(ours) == len(theirs) and all(last_part(a[0]) == last_part(b[0]) for a, b in zip(ours[:-1], theirs))


def same_lines(ours, theirs):
    return len(ours) == len(theirs) and all(b[2] == 0 or a[1:] == b[1:] for a, b in zip(ours, theirs))


QUESTIONS = {"functions": same_function, "calls": same_calls, "lines": same_lines}


def ask(program, addresses, ours, seed, at_random=ASKED_MAX):
    """({tool: {address: chain}}, the addresses of which the figures of each oracle are). elfutils is asked for
    some at random, and where neither of the others says what heapflame says."""
    chance = random.Random(seed)
    oracles = {tool: oracle_chains(tool, program.path, addresses) for tool in ("addr2line", "llvm")}

    def is_open(address):
        theirs = [chains[address] for chains in oracles.values()]
        return not all(any(is_same(ours[address], answer) for answer in theirs) for is_same in QUESTIONS.values())

    still_open = [address for address in addresses if is_open(address)]
    sample = set(chance.sample(addresses, min(at_random, len(addresses))))
    more = chance.sample(still_open, min(ASKED_MAX, len(still_open)))
    oracles["elfutils"] = oracle_chains("elfutils", program.path, sorted(sample.union(more)))
    return oracles, sample


def show(chain):
    return " < ".join(f"{name} {path}:{line}" for name, path, line in chain)


class Difference:
    """An oracle answers a question otherwise; `row` of the table says why, None if none does."""

    def __init__(self, question, tool, address, ours, theirs, row):
        self.question, self.tool, self.address, self.row = question, tool, address, row
        self.ours, self.theirs = ours, theirs

    def __str__(self):
        shown = (lambda chain: repr(chain[-1][0])) if self.question == "functions" else show
        return f"{self.address:#x}: heapflame {shown(self.ours)}, {self.tool} {shown(self.theirs)}"


def explain(question, ours, theirs, symbols, equal_count):
    """The row of the table for an oracle's answer that is not heapflame's; None if there is none."""
    facts = (ours[-1][0], theirs[-1][0], symbols) if question == "functions" else (ours, theirs, equal_count)
    return next((row for row, holds in EXPLANATIONS[question].items() if holds(*facts)), None)


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
        readable = self._names_at(program, ours, oracles)
        for address, chain in ours.items():
            theirs = {tool: chains[address] for tool, chains in oracles.items() if address in chains}
            self.addresses += 1
            self.asked.update(theirs.keys() if address in sample else ())
            for question, is_same in QUESTIONS.items():
                equal = [tool for tool, answer in theirs.items() if is_same(chain, answer)]
                self.equal.update((question, tool) for tool in equal if address in sample)
                found = [Difference(question, tool, address, chain, answer,
                                    explain(question, chain, answer, readable.get(address), len(equal)))
                         for tool, answer in theirs.items() if tool not in equal]
                self.differences += found
                is_wrong = any(difference.row in (None, *HEAPFLAME_IS_WRONG) for difference in found)
                is_right = equal or question == "functions" and is_one_of(chain, readable.get(address, ()))
                self.agreed[question] += bool(is_right) and not is_wrong
                if not is_right:
                    self.odd.append((question, address, chain, theirs))

    @staticmethod
    def _names_at(program, ours, oracles):
        """{address: readable names of the symbols there}, where an oracle names the function otherwise."""
        asked = {a for chains in oracles.values() for a in chains if not same_function(ours[a], chains[a])}
        symbols = {address: program.symbols_at(address) for address in asked}
        mangled = sorted(set().union(*symbols.values()))
        readable = dict(zip(mangled, demangle("".join(f"{name}\n" for name in mangled)).splitlines()))
        return {address: {normal_name(readable[name]) for name in names} for address, names in symbols.items()}

    def add(self, other):
        self.addresses += other.addresses
        for mine, more in ((self.agreed, other.agreed), (self.asked, other.asked), (self.equal, other.equal)):
            mine.update(more)
        self.differences += other.differences

    def unexplained(self):
        return [difference for difference in self.differences if difference.row is None]

    def faults(self, least=AGREEMENT):
        """Why this is not good enough; empty if it is."""
        found = [] if self.addresses else ["no address was compared"]
        found += [f"{question} agree too seldom" for question in QUESTIONS
                  if self.agreed[question] < least * self.addresses]
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
            print(f"  {question} {address:#x}, the calls that differ")
            for tool, answer in {"heapflame": chain, **theirs}.items():
                others = [other for other in (chain, *theirs.values()) if len(other) == len(answer)]
                odd = [call for at, call in enumerate(answer) if len({other[at] for other in others}) > 1]
                print(f"    {tool}: {show(odd or answer)[:ODD_COLUMNS]}")

    def print_sums(self):
        """Each oracle by question, then the differences by row of the table, with some of each."""
        for tool, count in self.asked.items():
            shares = "  ".join(f"{question} {percent(self.equal[question, tool], count)}" for question in QUESTIONS)
            print(f"{tool:10} {count:7} addresses  {shares}")
        rows = collections.defaultdict(list)
        for difference in self.differences:
            rows[difference.question, str(difference.row), difference.tool].append(difference)
        for (question, row, tool), found in sorted(rows.items()):
            print(f"{question:10} {row:10} {tool:10} {len(found):7}")
            for difference in found[:: max(1, len(found) // EXAMPLES)][:EXAMPLES]:
                print(f"    {str(difference)[:EXAMPLE_COLUMNS]}")


def percent(part, whole):
    return f"{100 * part / max(whole, 1):7.3f} %"


def check_table():
    """The rows that the code knows are the rows of the table."""
    written = re.findall(r"(?m)^\| `(\w+)` \|", TABLE.read_text())
    known = set().union(*EXPLANATIONS.values())
    if sorted(written) != sorted(known):
        raise SystemExit(f"{TABLE}: its rows are {', '.join(written)}; expected {', '.join(sorted(known))}")
