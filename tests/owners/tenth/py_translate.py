"""Translates the pages of a shop: catalogues of messages with plurals and placeholders, formatted for each visitor."""
import functools
import re


class Catalogue:
    def __init__(self, language, messages):
        self.language = language
        self.messages = messages

    def message(self, key, count):
        forms = self.messages.get(key, (key, key))
        return forms[0 if self.plural(count) == 0 else 1]

    def plural(self, count):
        if self.language == "fr":
            return 0 if count < 2 else 1
        return 0 if count == 1 else 1


class Numbers:
    SEPARATORS = {"de": (".", ","), "fr": ("\u202f", ","), "en": (",", ".")}

    def __init__(self, language):
        self.thousands, self.point = self.SEPARATORS[language]

    def money(self, cents):
        euros, rest = divmod(cents, 100)
        return f"{euros:,}".replace(",", self.thousands) + f"{self.point}{rest:02} €"


PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Translator:
    def __init__(self, catalogues):
        self.catalogues = catalogues
        self.numbers = {language: Numbers(language) for language in catalogues}
        self.missing = set()
        self.rendered = {}

    def translate(self, language, key, count=1, **values):
        cache_key = (language, key, count, tuple(sorted(values.items())))
        text = self.rendered.get(cache_key)
        if text is None:
            text = self.render(language, key, count, values)
            self.rendered[cache_key] = text  # guilty
        return text

    def render(self, language, key, count, values):
        def replace(match):
            name = match.group(1)
            if name == "count":
                return str(count)
            if name == "price":
                return self.numbers[language].money(values["price"])
            return str(values.get(name, ""))

        catalogue = self.catalogues[language]
        if key not in catalogue.messages:
            self.missing.add((language, key))
        return PLACEHOLDER.sub(replace, catalogue.message(key, count))


class Pages:
    def __init__(self, translator):
        self.translator = translator

    @functools.lru_cache(maxsize=200)
    def navigation(self, language):
        return " | ".join(self.translator.translate(language, key) for key in ("home", "basket", "help"))

    def basket(self, language, visitor, items, cents):
        t = self.translator.translate
        return "\n".join(
            [
                self.navigation(language),
                t(language, "greeting", name=visitor),
                t(language, "basket_of", count=items, price=cents),
                t(language, "checkout"),
            ]
        )


def load_catalogues():
    messages = {
        "home": ("Home", "Home"),
        "basket": ("Basket", "Baskets"),
        "greeting": ("Hello {name}, nice to see you again!", ""),
        "basket_of": ("One article for {price}", "{count} articles for {price}"),
        "checkout": ("Checkout", "Checkout"),
    }
    many = {f"article.{n}.title": (f"Article {n}", f"Articles {n}") for n in range(4000)}
    return {language: Catalogue(language, {**messages, **many}) for language in ("de", "fr", "en")}


def main():
    pages = Pages(Translator(load_catalogues()))
    sent = 0
    for request in range(48000):
        language = ("de", "en", "fr", "de")[request % 4]
        sent += len(pages.basket(language, f"Visitor {request * 7 % 40009}", request % 9 + 1, request * 1237 % 900001))
    print(sent, "characters,", len(pages.translator.missing), "missing,", len(pages.translator.rendered), "rendered")


if __name__ == "__main__":
    main()
