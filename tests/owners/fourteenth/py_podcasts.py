"""Fetches podcasts: feeds in an event loop, episodes by tasks with a limit, tags read from the head of the sound, and a playlist."""
import asyncio
import struct
from collections import Counter, OrderedDict


class Server:
    """Answers as the hosts of the feeds would, some of them slowly."""

    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = (self.seed * 1103515245 + 12345) % 2**31
        return (self.seed >> 8) % n

    async def feed(self, show, week):
        await asyncio.sleep(0)
        return "\n".join(f"{show}/{week}-{n}.mp3 {3 + self.below(9)}" for n in range(2 + self.below(3)))

    async def sound(self, address, kilobytes):
        for _ in range(1 + self.below(4)):
            await asyncio.sleep(0)
        title = f"{address} about subject {self.below(400)}".encode()
        body = bytes((i * 7 + kilobytes) & 255 for i in range(256)) * (4 * kilobytes)
        return b"TAG" + struct.pack(">HI", len(title), 60 * self.below(90)) + title + body


class Episode:
    __slots__ = ("address", "title", "seconds", "peak")

    def __init__(self, address, title, seconds, peak):
        self.address = address
        self.title = title
        self.seconds = seconds
        self.peak = peak


class Artwork:
    """Pictures of the shows, the latest ones at hand."""

    def __init__(self, most):
        self.most = most
        self.pictures = OrderedDict()

    def of(self, show):
        if show not in self.pictures:
            self.pictures[show] = bytes(len(show) * 500)
            if len(self.pictures) > self.most:
                self.pictures.popitem(last=False)
        self.pictures.move_to_end(show)
        return self.pictures[show]


class Library:
    def __init__(self):
        self.minutes = Counter()
        self.latest = {}
        self.artwork = Artwork(20)

    def add(self, show, episode):
        self.minutes[show] += episode.seconds // 60
        self.latest[show] = episode
        return len(self.artwork.of(show))

    def playlist(self, most):
        return [self.latest[show].title for show, _ in self.minutes.most_common(most)]


def read_tag(sound):
    if sound[:3] != b"TAG":
        raise ValueError("no tag")
    length, seconds = struct.unpack_from(">HI", sound, 3)
    return sound[9 : 9 + length].decode(), seconds


class Downloader:
    def __init__(self, server, library, at_once):
        self.server = server
        self.library = library
        self.slots = asyncio.Semaphore(at_once)
        self.tasks = set()
        self.failed = 0

    async def fetch(self, show, address, kilobytes):
        async with self.slots:
            sound = await self.server.sound(address, kilobytes)
        title, seconds = read_tag(sound)
        self.library.add(show, Episode(address, title, seconds, max(sound[-512:])))
        return sound

    def start(self, show, line):
        address, kilobytes = line.rsplit(" ", 1)
        task = asyncio.create_task(self.fetch(show, address, int(kilobytes)), name=address)
        self.tasks.add(task)  # guilty
        task.add_done_callback(self.note)

    def note(self, task):
        if task.cancelled() or task.exception():
            self.failed += 1

    async def settle(self):
        while any(not task.done() for task in self.tasks):
            await asyncio.sleep(0)


class Subscriptions:
    def __init__(self, names):
        self.shows = list(names)

    async def refresh(self, server, downloader, week):
        for show in self.shows:
            feed = await server.feed(show, week)
            for line in feed.splitlines():
                downloader.start(show, line)


async def main():
    server = Server(31)
    library = Library()
    downloader = Downloader(server, library, 6)
    subscriptions = Subscriptions(f"show-{n:02d}" for n in range(40))
    for week in range(45):
        await subscriptions.refresh(server, downloader, week)
        await downloader.settle()
    print(sum(library.minutes.values()), "minutes,", downloader.failed, "failed")
    print(library.playlist(3))


if __name__ == "__main__":
    asyncio.run(main())
