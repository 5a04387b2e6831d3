"""Crawls a made-up site with a few workers: pages are fetched, links are followed, and robots' rules are kept to."""

import asyncio
import random
import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit


class Links(HTMLParser):
    def __init__(self, base):
        super().__init__(convert_charrefs=True)
        self.base, self.found = base, []

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.found.extend(urljoin(self.base, value) for name, value in attrs if name == "href")


class Response:
    def __init__(self, url, status, body):
        self.url, self.status, self.body = url, status, body

    @property
    def text(self):
        return self.body.decode()


class Site:
    """What a server would say: pages link to some of the others."""

    def __init__(self, pages):
        self.pages, self.random = pages, random.Random(7)

    async def get(self, url):
        await asyncio.sleep(0)
        number = int(re.search(r"\d+", urlsplit(url).path)[0])
        if number >= self.pages:
            return Response(url, 404, b"not here")
        text = f"What is sold on page {number} is here for a year. " * 6
        links = "".join(f'<p>{text} See <a href="/page/{self.random.randrange(self.pages + 50)}">that</a></p>\n' for _ in range(12))
        return Response(url, 200, f"<html><body><h1>Page {number}</h1>{links}</body></html>".encode())


class Robots:
    def __init__(self, *rules):
        self.rules = [re.compile(rule) for rule in rules]

    def allow(self, url):
        return not any(rule.search(url) for rule in self.rules)


class Crawler:
    def __init__(self, client, robots):
        self.client, self.robots = client, robots
        self.queue, self.seen, self.history, self.failed = asyncio.Queue(), set(), [], 0

    def admit(self, url):
        if url in self.seen or not self.robots.allow(url):
            return
        self.seen.add(url)
        self.queue.put_nowait(url)

    async def fetch(self, url):
        response = await self.client.get(url)
        if response.status != 200:
            self.failed += 1
        return response

    def record(self, response):
        """For the report: what was fetched, and how it began."""
        self.history.append({"url": response.url, "status": response.status, "text": response.text})  # guilty
        return response

    async def visit(self, url):
        response = self.record(await self.fetch(url))
        if response.status != 200:
            return
        links = Links(response.url)
        links.feed(response.text)
        for link in links.found:
            self.admit(link)

    async def work(self):
        while True:
            url = await self.queue.get()
            try:
                await self.visit(url)
            finally:
                self.queue.task_done()

    def report(self):
        titles = [re.search(r"<h1>(.*?)</h1>", page["text"]) for page in self.history[-20:]]
        return len(self.history), self.failed, [title[1] for title in titles if title]

    async def run(self, start, workers=4):
        self.admit(start)
        tasks = [asyncio.create_task(self.work()) for _ in range(workers)]
        await self.queue.join()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def main():
    crawler = Crawler(Site(8_000), Robots(r"/page/\d*99$", r"/private/"))
    asyncio.run(crawler.run("https://shop.example.org/page/1"))
    visited, failed, titles = crawler.report()
    print(visited, failed, titles[:2])


if __name__ == "__main__":
    main()
