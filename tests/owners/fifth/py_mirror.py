"""Mirrors a site, several pages at a time. The site is made up, and answers at once."""
import asyncio
import hashlib
import re
from urllib.parse import urljoin, urlsplit

LINK = re.compile(r'href="([^"]+)"')


class FakeSite:
    pages = 700

    async def get(self, url):
        await asyncio.sleep(0)
        path = urlsplit(url).path
        if not path.startswith("/page/"):
            return 404, {}, b"nothing"
        number = int(path.rsplit("/", 1)[1])
        links = "".join(f'<a href="/page/{(number * 3 + k) % self.pages}">next</a>\n' for k in range(1, 6))
        body = f"<html><h1>Page {number}</h1>{links}" + f"<p>text {number}</p>" * 2000 + "</html>"
        return 200, {"etag": hashlib.md5(body.encode()).hexdigest()}, body.encode()


class Response:
    def __init__(self, url, status, headers, body):
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body

    def text(self):
        return self.body.decode()

    def links(self):
        return {urljoin(self.url, link) for link in LINK.findall(self.text())}


class Session:
    def __init__(self, site):
        self.site = site
        self.requests = 0
        self.robots = None

    async def request(self, url):
        self.requests += 1
        status, headers, body = await self.site.get(url)
        return Response(url, status, headers, body)

    async def open(self):
        self.robots = await self.request("http://site.example/robots.txt")
        return self


class Mirror:
    def __init__(self, session, workers=8):
        self.session = session
        self.queue = asyncio.Queue()
        self.seen = set()
        self.etags = {}
        self.results = []
        self.workers = workers

    def enqueue(self, url):
        if url not in self.seen:
            self.seen.add(url)
            self.queue.put_nowait(url)

    async def visit(self, url):
        response = await self.session.request(url)
        if response.status != 200:
            return
        self.etags[url] = response.headers["etag"]
        # The bodies were to be written to the disk at the end.
        self.results.append((url, response.text()))  # guilty
        for link in response.links():
            self.enqueue(link)

    async def work(self):
        while True:
            url = await self.queue.get()
            try:
                await self.visit(url)
            finally:
                self.queue.task_done()

    async def run(self, start):
        self.enqueue(start)
        tasks = [asyncio.create_task(self.work()) for _ in range(self.workers)]
        await self.queue.join()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def main():
    session = await Session(FakeSite()).open()
    mirror = Mirror(session)
    await mirror.run("http://site.example/page/1")
    print(len(mirror.seen), "pages,", session.requests, "requests,", len(mirror.etags), "tags")


asyncio.run(main())
