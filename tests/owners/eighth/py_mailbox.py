"""Files a mailbox: messages are read one by one, put into threads and counted by their senders."""

import email
import email.policy
import hashlib
from collections import defaultdict

MESSAGES = 9000
PEOPLE = 60


def body_of(number):
    lines = [f"Point {line} of letter {number}: the pump of building {line * number % 41} is to be looked at." for line in range(5)]
    return "\r\n".join(lines)


def raw_message(number):
    """What the server would send for one message."""
    sender, receiver = number % PEOPLE, (number * 7 + 3) % PEOPLE
    head = [
        f"From: Person {sender} <person{sender}@example.org>",
        f"To: Person {receiver} <person{receiver}@example.org>",
        f"Subject: {'Re: ' if number % 4 else ''}Maintenance of building {number // 4}",
        f"Message-ID: <{number}.maintenance@mail.example.org>",
        f"Date: Tue, 03 Nov 2026 {number % 24:02}:{number % 60:02}:00 +0000",
        f"Received: from relay{number % 5}.example.org by mail.example.org with ESMTPS id {number:08x}",
    ]
    if number % 4:
        head.append(f"In-Reply-To: <{number - 1}.maintenance@mail.example.org>")
    return ("\r\n".join(head) + "\r\n\r\n" + body_of(number)).encode()


class Server:
    """Stands for the one that has the mail."""

    def __init__(self, count):
        self.count = count

    def uids(self):
        return range(1, self.count + 1)

    def fetch(self, uid):
        return raw_message(uid)


class Mailbox:
    def __init__(self, server):
        self.server = server
        self.messages = {}

    def message(self, uid):
        """A message; it is asked for by several, so it is fetched once."""
        if uid not in self.messages:
            raw = self.server.fetch(uid)
            self.messages[uid] = email.message_from_bytes(raw, policy=email.policy.compat32)  # guilty
        return self.messages[uid]

    def header(self, uid, name):
        return self.message(uid).get(name, "")

    def text(self, uid):
        return self.message(uid).get_payload()


class Threads:
    """Which messages belong together: by whom they answer."""

    def __init__(self):
        self.thread_of = {}
        self.members = defaultdict(list)

    def file(self, uid, name, answered):
        thread = self.thread_of.get(answered, name)
        self.thread_of[name] = thread
        self.members[thread].append(uid)


class Senders:
    def __init__(self):
        self.letters = defaultdict(int)
        self.digests = defaultdict(set)

    def count(self, sender, text):
        self.letters[sender] += len(text)
        self.digests[sender].add(hashlib.sha256(text.encode()).hexdigest())

    def loudest(self):
        return max(self.letters, key=self.letters.get)


def file_all(mailbox):
    threads, senders = Threads(), Senders()
    for uid in mailbox.server.uids():
        threads.file(uid, mailbox.header(uid, "Message-ID"), mailbox.header(uid, "In-Reply-To"))
        senders.count(mailbox.header(uid, "From"), mailbox.text(uid))
    return threads, senders


def main():
    mailbox = Mailbox(Server(MESSAGES))
    threads, senders = file_all(mailbox)
    print(len(threads.members), senders.loudest())


main()
