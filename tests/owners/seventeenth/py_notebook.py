"""Notebook editor: pages are shown by views which follow changes of the model."""
import random
import time


class Signal:
    def __init__(self):
        self.slots = []

    def connect(self, slot):
        self.slots.append(slot)

    def disconnect(self, slot):
        self.slots.remove(slot)

    def emit(self, *args):
        for slot in self.slots:
            slot(*args)


class Page:
    def __init__(self, number):
        self.number = number
        self.lines = [f"page {number} line {i}" for i in range(120)]
        self.changed = Signal()

    def edit(self, at, text):
        self.lines[at] = text
        self.changed.emit(at)


class StatusBar:
    def __init__(self):
        self.edits = 0

    def watch(self, page):
        page.changed.connect(self.on_change)

    def leave(self, page):
        page.changed.disconnect(self.on_change)

    def on_change(self, at):
        self.edits += 1


class PageView:
    def __init__(self, page, width):
        self.page = page
        self.width = width
        self.boxes = [self.layout(line) for line in page.lines]
        page.changed.connect(self.refresh)  # guilty

    def layout(self, line):
        return [(i * 7.5, ord(c) % 12, c.upper()) for i, c in enumerate(line[:self.width])]

    def refresh(self, at):
        self.boxes[at] = self.layout(self.page.lines[at])

    def height(self):
        return 14 * len(self.boxes)



class Window:
    def __init__(self, pages):
        self.pages = pages
        self.status = StatusBar()
        self.view = None
        self.page = None

    def show(self, number):
        if self.page is not None:
            self.status.leave(self.page)
        self.page = self.pages[number]
        self.status.watch(self.page)
        self.view = PageView(self.page, 80)
        return self.view.height()


def main():
    rng = random.Random(6)
    window = Window([Page(i) for i in range(60)])
    total = 0
    for i in range(230):
        total += window.show(rng.randrange(60))
        for _ in range(4):
            window.page.edit(rng.randrange(120), f"edited {i} {rng.random()}")
        time.sleep(0.009)
    print(total, window.status.edits)
    time.sleep(0.2)


if __name__ == "__main__":
    main()
