"""Keeps the files of a veterinary practice: models with tracked fields from a mixin, appointments, weights, vaccinations, and invoices."""
import datetime
import heapq
import random


class Tracked:
    """Notes how fields change, so that a form can say what it would save."""

    changes = []

    def __setattr__(self, name, value):
        old = self.__dict__.get(name)
        if old != value and name[0] != "_":
            self.changes.append({"type": type(self).__name__, "field": name, "old": old, "new": value})  # guilty
        super().__setattr__(name, value)

    def changed(self):
        return sorted({change["field"] for change in self.changes[-12:]})


class Model:
    fields = ()

    def __init__(self, **values):
        for field in self.fields:
            setattr(self, field, values.get(field))


class Animal(Tracked, Model):
    fields = ("name", "kind", "grams", "vaccinated", "owner", "note")


class Appointment(Tracked, Model):
    fields = ("animal", "at", "reason", "minutes", "invoice")

    def __lt__(self, other):
        return self.at < other.at


class Invoice(Tracked, Model):
    fields = ("number", "cents", "text", "paid")

    def add(self, text, cents):
        self.cents = (self.cents or 0) + cents
        self.text = f"{self.text or ''}{text}: {cents / 100:.2f}\n"


class Prices:
    def __init__(self):
        reasons = ("vaccination", "limping", "teeth", "fever", "ears", "claws")
        self.by_reason = {reason: 1800 + 750 * i for i, reason in enumerate(reasons)}

    def of(self, reason, kind):
        return self.by_reason[reason] * (2 if kind == "horse" else 1)


class Calendar:
    def __init__(self):
        self.waiting = []

    def book(self, appointment):
        heapq.heappush(self.waiting, appointment)

    def until(self, moment):
        while self.waiting and self.waiting[0].at < moment:
            yield heapq.heappop(self.waiting)


class Practice:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.prices = Prices()
        self.calendar = Calendar()
        self.income = 0
        self.numbers = 0
        self.animals = [
            Animal(name=f"{self.random.choice(('Rex', 'Mimi', 'Bello', 'Luna'))} {n}", kind=self.random.choice(("dog", "cat", "horse")), grams=4000, owner=f"owner {n % 350}")
            for n in range(500)
        ]

    def call(self, day):
        for _ in range(30):
            at = day + datetime.timedelta(days=self.random.randrange(1, 9), minutes=self.random.randrange(540))
            self.calendar.book(Appointment(animal=self.random.choice(self.animals), at=at, reason=self.random.choice(list(self.prices.by_reason))))

    def treat(self, appointment):
        animal = appointment.animal
        animal.grams = max(1000, animal.grams + self.random.randrange(-300, 320))
        if appointment.reason == "vaccination":
            animal.vaccinated = appointment.at.date()
        animal.note = f"{appointment.at:%d.%m.%Y}: {appointment.reason}, {animal.grams} g, temperature {37 + self.random.random() * 3:.1f}"
        appointment.minutes = self.random.randrange(10, 40)
        self.numbers += 1
        invoice = Invoice(number=self.numbers)
        invoice.add(appointment.reason, self.prices.of(appointment.reason, animal.kind))
        if self.random.random() < 0.4:
            invoice.add("medicine", self.random.randrange(500, 4000))
        appointment.invoice = invoice
        return invoice

    def day(self, today):
        self.call(today)
        for appointment in self.calendar.until(today + datetime.timedelta(days=1)):
            invoice = self.treat(appointment)
            invoice.paid = self.random.random() < 0.97
            self.income += invoice.cents if invoice.paid else 0


def main():
    practice = Practice(5)
    start = datetime.datetime(2025, 1, 2, 8)
    for number in range(400):
        practice.day(start + datetime.timedelta(days=number))
    heaviest = max(practice.animals, key=lambda animal: animal.grams)
    print(f"{practice.numbers} invoices, {practice.income / 100:.2f}, heaviest: {heaviest.name} with {heaviest.grams} g")
    print(heaviest.changed())


if __name__ == "__main__":
    main()
