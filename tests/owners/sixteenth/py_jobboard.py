"""jobboard - accepts jobs over a queue and runs each one as an asyncio task."""
import asyncio
import collections
import json
import random


class JobFailed(Exception):
    pass


class Steps:
    """The things a job can ask for."""

    def __init__(self, rng):
        self.rng = rng

    async def fetch(self, job):
        await asyncio.sleep(0)
        return [{"row": i, "value": self.rng.random(), "label": f"item-{job['id']}-{i}"} for i in range(job["size"])]

    async def summarise(self, rows):
        await asyncio.sleep(0)
        if not rows:
            raise JobFailed("nothing to do")
        values = sorted(r["value"] for r in rows)
        return {"median": values[len(values) // 2], "max": values[-1], "labels": [r["label"] for r in rows[:30]]}


class Board:
    def __init__(self, steps, limit=20):
        self.steps = steps
        self.slots = asyncio.Semaphore(limit)
        self.tasks = []
        self.recent = collections.deque(maxlen=50)
        self.counts = collections.Counter()

    async def run_job(self, job):
        async with self.slots:
            rows = await self.steps.fetch(job)
            try:
                summary = await self.steps.summarise(rows)
            except JobFailed as e:
                self.counts["failed"] += 1
                return {"id": job["id"], "error": str(e)}
            self.counts["done"] += 1
            self.recent.append(job["id"])
            return {"id": job["id"], "owner": job["owner"], "summary": summary, "size": len(rows)}

    def accept(self, job):
        self.counts["accepted"] += 1
        self.tasks.append(asyncio.create_task(self.run_job(job)))  # guilty

    def overview(self):
        return json.dumps({"counts": dict(self.counts), "recent": list(self.recent)})

    async def drain(self):
        for t in self.tasks:
            await t


class Inbox:
    """Produces the messages that customers would send."""

    def __init__(self, rng):
        self.rng = rng
        self.next_id = 0

    def receive(self):
        self.next_id += 1
        size = 0 if self.rng.random() < 0.03 else self.rng.randint(20, 60)
        return json.dumps({"id": self.next_id, "owner": f"team-{self.next_id % 12}", "size": size})


def validate(text):
    job = json.loads(text)
    if job["size"] < 0 or "owner" not in job:
        raise ValueError(f"bad job {text}")
    return job


async def serve(board, inbox, total):
    pages = 0
    for n in range(total):
        board.accept(validate(inbox.receive()))
        if n % 10 == 0:
            pages += len(board.overview())
            await asyncio.sleep(0.002)
        else:
            await asyncio.sleep(0)
    return pages


async def main():
    rng = random.Random(4)
    board = Board(Steps(rng))
    pages = await serve(board, Inbox(rng), 9000)
    await board.drain()
    print(board.overview()[:80], pages)


asyncio.run(main())
