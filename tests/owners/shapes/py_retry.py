import contextlib

class Link:
    def __init__(self):
        self.turn = 0

    def fetch(self, size):
        self.turn += 1
        payload = bytes([self.turn % 256]) * size
        if self.turn % 2:
            raise ConnectionError("line is down", payload)
        return payload

class Monitor:
    def __init__(self):
        self.failures = []
        self.good = 0

    @contextlib.contextmanager
    def watching(self, name):
        try:
            yield
            self.good += 1
        except ConnectionError as error:
            self.failures.append((name, error))  # guilty

def work(link, monitor, name):
    with monitor.watching(name):
        data = link.fetch(6000)
        return len(data)

def main():
    link, monitor, done = Link(), Monitor(), 0
    for i in range(14000):
        done += work(link, monitor, f"job {i}") or 0
    print(done, len(monitor.failures), monitor.good)

main()
