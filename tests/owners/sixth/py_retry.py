"""Sends documents to a service that fails now and then, again and again, by a decorator."""

import collections
import functools
import json
import logging
import random

log = logging.getLogger("sender")


class ServiceError(Exception):
    def __init__(self, status, document):
        super().__init__(f"status {status}")
        self.status, self.document = status, document


Attempt = collections.namedtuple("Attempt", "name number arguments error")
history = []


def retrying(times=3, on=(ServiceError,)):
    def decorate(function):
        @functools.wraps(function)
        def again(*args, **kwargs):
            error = None
            for number in range(times):
                try:
                    return function(*args, **kwargs)
                except on as failure:
                    error = failure
                    history.append(Attempt(function.__name__, number, json.dumps([repr(a) for a in args]), str(failure)))  # guilty
            raise error

        return again

    return decorate


def counted(function):
    calls = collections.Counter()

    @functools.wraps(function)
    def again(*args, **kwargs):
        calls[function.__name__] += 1
        return function(*args, **kwargs)

    again.calls = calls
    return again


class Service:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.stored = {}

    def __repr__(self):
        return f"<Service with {len(self.stored)} documents>"

    @counted
    @retrying(times=4)
    def store(self, key, document):
        text = json.dumps(document, sort_keys=True)
        if self.random.random() < 0.6:
            raise ServiceError(503, text)
        self.stored[key % 200] = text
        return len(text)

    @retrying(times=2)
    def fetch(self, key):
        if self.random.random() < 0.1:
            raise ServiceError(504, key)
        return json.loads(self.stored.get(key % 200, "{}"))


def document(i):
    return {"id": i, "title": f"Document {i}", "paragraphs": [f"This is paragraph {k} of document {i}." for k in range(8)]}


def synchronize(service, count):
    lost = size = 0
    for i in range(count):
        try:
            size += service.store(i, document(i))
            if i % 10 == 0:
                size += len(service.fetch(i))
        except ServiceError as e:
            lost += 1
            log.debug("%s is lost: %s", i, e)
    return size, lost


def main():
    service = Service(5)
    size, lost = synchronize(service, 34_000)
    worst = max(a.number for a in history)
    print(size, lost, worst, Service.store.calls["store"])


if __name__ == "__main__":
    main()
