"""A help desk: tickets are opened, answered, passed on and closed, and managers look at figures of the week."""

import collections
import dataclasses
import datetime
import random
import typing

TEAMS = ("network", "mail", "accounts", "printers")


@dataclasses.dataclass
class Note:
    when: datetime.datetime
    author: str
    text: str


@dataclasses.dataclass
class Ticket:
    number: int
    team: str
    subject: str
    opened: datetime.datetime
    notes: typing.List[Note] = dataclasses.field(default_factory=list)
    closed: typing.Optional[datetime.datetime] = None


class Board:
    """What is open, by team; the figures need how long closed ones took."""

    def __init__(self):
        self.open = {}
        self.closed = []
        self.queues = {team: collections.deque() for team in TEAMS}

    def add(self, ticket):
        self.open[ticket.number] = ticket
        self.queues[ticket.team].append(ticket.number)

    def next_of(self, team):
        queue = self.queues[team]
        while queue:
            number = queue.popleft()
            if number in self.open:
                return self.open[number]
        return None

    def pass_on(self, ticket, team):
        ticket.team = team
        self.queues[team].append(ticket.number)

    def close(self, ticket, when):
        ticket.closed = when
        del self.open[ticket.number]
        self.closed.append(ticket)  # guilty

    def hours_of_week(self, now):
        hours = []
        for ticket in reversed(self.closed):
            if now - ticket.closed > datetime.timedelta(days=7) or len(hours) == 500:
                break
            hours.append((ticket.closed - ticket.opened).total_seconds() / 3600)
        return hours


class Agent:
    def __init__(self, name, team, rng):
        self.name = name
        self.team = team
        self.rng = rng

    def answer(self, ticket, now):
        greeting = f"Dear colleague,\n\nyour request {ticket.number} ({ticket.subject}) was looked at by {self.name}.\n"
        steps = self.rng.sample(["restart", "new password", "cable", "driver", "quota", "certificate"], 3)
        return Note(now, self.name, greeting + "\n".join(f"- tried: {step}" for step in steps))

    def work(self, board, now):
        ticket = board.next_of(self.team)
        if ticket is None:
            return 0
        ticket.notes.append(self.answer(ticket, now))
        if self.rng.random() < 0.25:
            board.pass_on(ticket, self.rng.choice(TEAMS))
        elif self.rng.random() < 0.7:
            board.close(ticket, now)
        else:
            board.pass_on(ticket, self.team)
        return 1


class Desk:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.board = Board()
        self.agents = [Agent(f"agent{i}", TEAMS[i % len(TEAMS)], self.rng) for i in range(16)]
        self.next_number = 1
        self.now = datetime.datetime(2026, 1, 5, 8, 0)

    def open_ticket(self):
        team = self.rng.choice(TEAMS)
        ticket = Ticket(self.next_number, team, f"{team} does not work in room {self.rng.randint(1, 400)}", self.now)
        ticket.notes.append(Note(self.now, "user", "It worked yesterday. " * self.rng.randint(1, 8)))
        self.next_number += 1
        self.board.add(ticket)

    def hour(self):
        for _ in range(self.rng.randint(4, 12)):
            self.open_ticket()
        answered = sum(agent.work(self.board, self.now) for agent in self.agents)
        self.now += datetime.timedelta(hours=1)
        return answered


def report(board, now):
    hours = board.hours_of_week(now)
    mean = sum(hours) / len(hours) if hours else 0
    return f"{now:%Y-%m-%d}: {len(board.open)} open, {mean:.1f} hours"


def main():
    desk = Desk(4)
    answered = 0
    lines = []
    for hour in range(3600):
        answered += desk.hour()
        if hour % 24 == 0:
            lines = lines[-6:] + [report(desk.board, desk.now)]
    print("\n".join(lines[-2:]))
    print(answered, "answers")


if __name__ == "__main__":
    main()
