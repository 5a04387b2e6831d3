# A server of rooms to talk in, with asyncio: the history of a room has no end.
import asyncio
import collections
import json
import os
import random


class Client:
    def __init__(self, name):
        self.name = name
        self.inbox = asyncio.Queue(maxsize=20)
        self.received = 0

    async def read(self):
        while True:
            packet = await self.inbox.get()
            if packet is None:
                return
            self.received += len(json.loads(packet)["text"])


class Room:
    def __init__(self, topic):
        self.topic = topic
        self.members = []
        self.history = []

    def join(self, client):
        self.members.append(client)

    async def say(self, author, text):
        message = {"room": self.topic, "author": author.name, "text": text, "words": text.split()}  # guilty
        self.history.append(message)
        packet = json.dumps(message)
        for member in self.members:
            if member is not author:
                await member.inbox.put(packet)


class Limiter:
    def __init__(self, window):
        self.times = collections.deque(maxlen=window)

    def is_allowed(self, when):
        self.times.append(when)
        return len(self.times) < self.times.maxlen or self.times[0] < when


class Server:
    def __init__(self, topics):
        self.rooms = {topic: Room(topic) for topic in topics}
        self.limiter = Limiter(1000)

    def room(self, topic):
        return self.rooms[topic]


async def talk(server, client, topic, count, dice):
    words = ["word%d" % number for number in range(2000)]
    for number in range(count):
        text = " ".join(dice.choices(words, k=20))
        if server.limiter.is_allowed(number):
            await server.room(topic).say(client, text)


async def serve():
    server = Server(["music", "weather"])
    clients = [Client("client%d" % number) for number in range(6)]
    readers = [asyncio.create_task(client.read()) for client in clients]
    topics = sorted(server.rooms)
    for number, client in enumerate(clients):
        server.room(topics[number % 2]).join(client)
    await asyncio.gather(*(talk(server, client, topics[n % 2], 5000, random.Random(n)) for n, client in enumerate(clients)))
    for client in clients:
        await client.inbox.put(None)
    await asyncio.gather(*readers)
    print(sum(client.received for client in clients), sum(len(room.history) for room in server.rooms.values()))
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(serve())
