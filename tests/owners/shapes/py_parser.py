import re

TOKEN = re.compile(r"\w+|[^\w\s]")

class Node:
    __slots__ = ("kind", "parts", "parent")

    def __init__(self, kind, parts, parent=None):
        self.kind, self.parts, self.parent = kind, parts, parent

class Parser:
    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expression(self):
        left = self.term()
        while self.peek() in ("+", "-"):
            left = Node(self.take(), [left, self.term()])
        return left

    def term(self):
        if self.peek() == "(":
            self.take()
            inner = self.expression()
            self.take()
            return inner
        return Node("atom", [self.take()])

class Workbook:
    def __init__(self):
        self.formulas = {}

    def enter(self, cell, text):
        tree = Parser(text).expression()
        self.formulas[cell] = (text, tree)  # guilty

    def check(self, text):
        return Parser(text).expression().kind

def main():
    book, kinds = Workbook(), set()
    for n in range(9000):
        text = f"(a{n} + b{n}) - (c{n} + {n}) + d{n % 7}"
        kinds.add(book.check(text))
        book.enter((n % 26, n // 26), text)
    print(len(book.formulas), kinds)

main()
