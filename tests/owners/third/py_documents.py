# A formatter of documents: a tree of nodes by a parser with a stack; the parser keeps the nodes of each document for its messages.
import os
import re


class Node:
    __slots__ = ("kind", "text", "children", "line")

    def __init__(self, kind, text="", line=0):
        self.kind, self.text, self.line = kind, text, line
        self.children = []

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


class Parser:
    heading = re.compile(r"(=+) (.*)")

    def __init__(self):
        self.located = []

    def parse(self, text):
        root = Node("document")
        stack = [(0, root)]
        for number, line in enumerate(text.splitlines(), 1):
            found = self.heading.fullmatch(line)
            if found:
                depth = len(found[1])
                while stack[-1][0] >= depth:
                    stack.pop()
                node = self.add_node(stack[-1][1], "section", found[2], number)
                stack.append((depth, node))
            elif line:
                self.add_node(stack[-1][1], "paragraph", line.strip("= "), number)
        return root

    def add_node(self, parent, kind, text, number):
        node = Node(kind, text.upper(), number)  # guilty
        parent.children.append(node)
        self.located.append(node)
        return node


class HtmlWriter:
    tags = {"section": "h2", "paragraph": "p"}

    def __init__(self):
        self.ids = set()

    def write(self, root):
        parts = []
        for node in root.walk():
            tag = self.tags.get(node.kind)
            if tag:
                parts.append("<%s>%s</%s>" % (tag, node.text, tag))
                self.ids.add(hash(node.text) % 10000)
        return "".join(parts)


class Templates:
    def __init__(self):
        self.pages = {name: "<html>%s</html>" % name * 2000 for name in ("plain", "wide", "print")}

    def fill(self, name, body):
        return self.pages[name][:20] + body


def make_source(number):
    lines = []
    for section in range(20):
        lines.append("= Section %d of document %d" % (section, number))
        lines.extend("Sentence %d of section %d. " % (sentence, section) * 5 for sentence in range(10))
    return "\n".join(lines)


def main():
    parser, writer, templates = Parser(), HtmlWriter(), Templates()
    written = 0
    for number in range(800):
        root = parser.parse(make_source(number))
        written += len(templates.fill("plain", writer.write(root)))
    print(written, len(writer.ids))
    os._exit(0)


if __name__ == "__main__":
    main()
