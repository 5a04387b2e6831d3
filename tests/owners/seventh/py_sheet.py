"""Computes sheets of cells with formulas; what depends on a cell is computed again when the cell changes."""

import ast
import functools
import operator
import re
from collections import defaultdict

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
CELL = re.compile(r"\b([A-Z]+)(\d+)\b")


@functools.lru_cache(maxsize=400)
def split_name(name):
    letters, row = CELL.fullmatch(name).groups()
    return functools.reduce(lambda n, c: n * 26 + ord(c) - 64, letters, 0), int(row)


class Formula:
    def __init__(self, text):
        self.text = text
        self.tree = ast.parse(text, mode="eval").body
        self.inputs = sorted({node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}, key=split_name)

    def value(self, cells):
        return self._value(self.tree, cells)

    def _value(self, node, cells):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return cells.get(node.id, 0)
        left, right = self._value(node.left, cells), self._value(node.right, cells)
        try:
            return OPERATORS[type(node.op)](left, right)
        except ZeroDivisionError:
            return float("nan")


class Compiler:
    """Gives the formula of a text; a text that comes again is not parsed again."""

    def __init__(self):
        self.formulas = {}

    def formula(self, text):
        if text not in self.formulas:
            self.formulas[text] = Formula(text)  # guilty
        return self.formulas[text]


class Sheet:
    def __init__(self, compiler):
        self.compiler = compiler
        self.cells, self.formulas, self.users = {}, {}, defaultdict(set)

    def set(self, name, content):
        for old in self.formulas.pop(name).inputs if name in self.formulas else ():
            self.users[old].discard(name)
        if isinstance(content, str) and content.startswith("="):
            formula = self.formulas[name] = self.compiler.formula(content[1:])
            for used in formula.inputs:
                self.users[used].add(name)
        else:
            self.cells[name] = content
        return self.refresh(name)

    def refresh(self, name):
        changed, waiting = 0, [name]
        while waiting and changed < 100:
            cell = waiting.pop()
            if cell in self.formulas:
                self.cells[cell] = self.formulas[cell].value(self.cells)
            changed += 1
            waiting.extend(self.users[cell])
        return changed

    def fill_down(self, column, first, last, pattern):
        return sum(self.set(f"{column}{row}", pattern.format(row=row, above=row - 1)) for row in range(first, last + 1))


def invoice(compiler, number):
    sheet = Sheet(compiler)
    for row in range(1, 21):
        sheet.set(f"A{row}", number % 7 + row)
        sheet.set(f"B{row}", 2.5 * row)
    sheet.fill_down("C", 1, 20, "=A{row} * B{row}")
    sheet.fill_down("D", 2, 20, "=D{above} + C{row}")
    for row in range(1, 4):
        sheet.set(f"E{row}", f"=D20 * {number % 1000 + 1} / 100 - C{row} * (A{row} + {number}) + B{row} / {row + number}")
    return sheet.cells["E3"]


def main():
    compiler = Compiler()
    total = sum(invoice(compiler, number) for number in range(3600))
    print(round(total, 2))


if __name__ == "__main__":
    main()
