"""Breadth-first crawler over a generated site, several fetch threads, one frontier."""
import hashlib
import queue
import random
import re
import threading
import time

LINK = re.compile(r'href="([^"]+)"')


WORDS = ["word%d" % i for i in range(5000)]


class FakeWeb:
    """Stands in for the network."""

    def get(self, url):
        rnd = random.Random(hashlib.md5(url.encode()).digest())
        host = url.split("/")[2]
        parts = ["<html><title>%s</title>" % url]
        for _ in range(rnd.randrange(6, 12)):
            parts.append('<a href="http://%s/p/%d">more</a>' % (host, rnd.randrange(10**7)))
        parts.append("<p>%s</p>" % " ".join(rnd.choices(WORDS, k=rnd.randrange(700, 1900))))
        return "".join(parts)


class RobotsCache:
    def __init__(self):
        self._rules = {}

    def allowed(self, url):
        host = url.split("/")[2]
        rules = self._rules.get(host)
        if rules is None:
            rules = self._rules[host] = ["Disallow: /private/%s/%d" % (host, i) for i in range(400)]
        path = "/" + url.split("/", 3)[3]
        return not any(path.startswith(r[10:]) for r in rules[:5])


class Crawler:
    def __init__(self, web, seeds, page_limit):
        self.web = web
        self.page_limit = page_limit
        self.robots = RobotsCache()
        self.frontier = queue.Queue(maxsize=3000)
        self.lock = threading.Lock()
        self.fingerprints = set()
        self.snapshots = {}
        self.changed = 0
        self.fetched = 0
        for s in seeds:
            self.frontier.put(s)

    def is_new(self, url):
        fp = hash(url)
        with self.lock:
            if fp in self.fingerprints:
                return False
            self.fingerprints.add(fp)
            return True

    def extract(self, html):
        links = LINK.findall(html)
        words = html[:2500].lower().split()
        freq = {}
        for w in words:
            freq[w] = freq.get(w, 0) + 1
        return links, freq

    def store_snapshot(self, url, html):
        text = re.sub(r"<[^>]+>", " ", html)
        with self.lock:
            old = self.snapshots.get(url)
            if old is not None and old != text:
                self.changed += 1
            self.snapshots[url] = text  # guilty
            self.fetched += 1

    def enqueue(self, links):
        for link in links:
            if self.robots.allowed(link) and self.is_new(link):
                try:
                    self.frontier.put_nowait(link)
                except queue.Full:
                    return

    def worker(self):
        while self.fetched < self.page_limit:
            try:
                url = self.frontier.get(timeout=0.1)
            except queue.Empty:
                continue
            html = self.web.get(url)
            links, freq = self.extract(html)
            if len(freq) > 10:
                self.store_snapshot(url, html)
            self.enqueue(links)
            time.sleep(0.002)


def main():
    seeds = ["http://host%02d.example/" % i for i in range(60)]
    crawler = Crawler(FakeWeb(), seeds, page_limit=3000)
    threads = [threading.Thread(target=crawler.worker, daemon=True) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print("fetched", crawler.fetched, "changed", crawler.changed, "frontier", crawler.frontier.qsize())


if __name__ == "__main__":
    main()
