"""ticketmail - turns incoming support mails into tickets and answers."""
import email
import email.policy
import random
import re
import time
from collections import Counter

TOPICS = {
    "billing": ("invoice", "refund", "charge", "receipt"),
    "login": ("password", "login", "locked", "code"),
    "delivery": ("parcel", "late", "courier", "address"),
}
WORDS = "the my a was please not yet since parcel invoice password late refund again order support phone".split()


def sentences(rng, count=400):
    return [" ".join(rng.choice(WORDS) for _ in range(12)) for _ in range(count)]


def make_mail(rng, n, phrases):
    body = "\n".join(rng.choices(phrases, k=rng.randint(8, 22)))
    return (
        f"From: customer{rng.randint(1, 4000)}@example.org\nTo: help@example.com\n"
        f"Subject: Request {n} about {rng.choice(WORDS)}\nMessage-ID: <{n}.{rng.random()}@example.org>\n\n"
        f"{body}\n-- \nSent from my phone\n"
    ).encode()


def strip_signature(text):
    return text.split("\n-- \n", 1)[0]


def quote(text, width=72):
    out = []
    for line in text.splitlines():
        while len(line) > width:
            out.append("> " + line[:width])
            line = line[width:]
        out.append("> " + line)
    return out


class Classifier:
    def __init__(self, topics):
        self.patterns = {t: re.compile(r"\b(" + "|".join(ws) + r")\b") for t, ws in topics.items()}
        self.counts = Counter()

    def topic(self, text):
        scores = {t: len(p.findall(text)) for t, p in self.patterns.items()}
        best = max(scores, key=scores.get)
        self.counts[best] += 1
        return best if scores[best] else "other"


class Ticket:
    def __init__(self, number, sender, subject, topic):
        self.number = number
        self.sender = sender
        self.subject = subject
        self.topic = topic


def compose(ticket, text, lines=[]):
    lines.append(f"Hello {ticket.sender},")
    lines.append(f"we received your request #{ticket.number} ({ticket.topic}).")
    lines.extend(quote(text))  # guilty
    lines.append(f"Subject: Re: {ticket.subject}")
    return "\n".join(lines[-len(text.splitlines()) - 3:])


class Desk:
    def __init__(self):
        self.classifier = Classifier(TOPICS)
        self.open = {}
        self.number = 0
        self.sent_bytes = 0

    def handle(self, raw):
        msg = email.message_from_bytes(raw, policy=email.policy.compat32)
        text = strip_signature(msg.get_payload())
        self.number += 1
        t = Ticket(self.number, msg["From"], msg["Subject"], self.classifier.topic(text))
        self.open[t.sender] = t
        self.deliver(t, compose(t, text))

    def deliver(self, ticket, body):
        data = f"To: {ticket.sender}\n\n{body}".encode()
        self.sent_bytes += len(data)

    def close_old(self):
        for sender in [s for s, t in self.open.items() if t.number < self.number - 500]:
            del self.open[sender]


def main():
    rng = random.Random(11)
    desk = Desk()
    phrases = sentences(rng)
    for n in range(18000):
        desk.handle(make_mail(rng, n, phrases))
        if n % 200 == 0:
            desk.close_old()
            time.sleep(0.01)
    print(desk.number, "tickets", len(desk.open), "open", desk.sent_bytes, "bytes", dict(desk.classifier.counts))


main()
