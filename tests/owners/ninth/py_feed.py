"""Reads the product feed of a supplier, which is one big XML document, and writes what changed since yesterday."""

import hashlib
import io
import xml.etree.ElementTree as ET


class Feed(io.RawIOBase):
    """The download: the document is made while it is read."""

    def __init__(self, count):
        self.parts = self.document(count)
        self.rest = b""

    def document(self, count):
        yield b"<?xml version='1.0'?>\n<catalog supplier='4711'>\n"
        for n in range(count):
            colours = "".join(f"<variant sku='{n}-{c}' stock='{(n * c) % 50}'><colour>{c * 111:06x}</colour></variant>" for c in range(n % 4))
            yield (
                f"<product id='{n}' updated='2023-11-{1 + n % 28:02d}'>\n  <title lang='en'>Lamp model {n}, with switch</title>\n"
                f"  <price currency='EUR'>{n % 300}.90</price>\n  <category>light/{n % 40}</category>\n"
                f"  <variants>{colours}</variants>\n</product>\n"
            ).encode()
        yield b"</catalog>\n"

    def readable(self):
        return True

    def read(self, size=-1):
        while len(self.rest) < size:
            part = next(self.parts, None)
            if part is None:
                break
            self.rest += part
        data, self.rest = self.rest[:size], self.rest[size:]
        return data


class Product:
    __slots__ = ("number", "title", "price", "stock")

    def __init__(self, number, title, price, stock):
        self.number = number
        self.title = title
        self.price = price
        self.stock = stock

    def digest(self):
        return hashlib.md5(f"{self.title}|{self.price}|{self.stock}".encode()).digest()


def product_of(element):
    stock = sum(int(variant.get("stock")) for variant in element.iter("variant"))
    return Product(element.get("id"), element.findtext("title"), element.findtext("price"), stock)


def read_products(source):
    for _, element in ET.iterparse(source):  # guilty
        if element.tag == "product":
            yield product_of(element)


class Yesterday:
    """What was imported last, by number."""

    def __init__(self, count):
        self.digests = {}
        for n in range(count):
            self.digests[str(n)] = hashlib.md5(str(n % 5).encode()).digest()

    def has_changed(self, product):
        digest = product.digest()
        if self.digests.get(product.number) == digest:
            return False
        self.digests[product.number] = digest
        return True


class Writer:
    def __init__(self):
        self.file = io.StringIO()
        self.rows = 0

    def write(self, product):
        self.rows += 1
        self.file.write(f"{product.number};{product.price};{product.stock}\n")
        if self.file.tell() > 100_000:
            self.file = io.StringIO()


def main():
    yesterday = Yesterday(17_000)
    writer = Writer()
    for product in read_products(Feed(17_000)):
        if yesterday.has_changed(product):
            writer.write(product)
    print(writer.rows, "products have changed")


if __name__ == "__main__":
    main()
