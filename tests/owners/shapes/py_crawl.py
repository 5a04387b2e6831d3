import asyncio

class Site:
    def __init__(self, name):
        self.name = name

    async def page(self, number):
        await asyncio.sleep(0)
        return f"<html>{self.name} {number}" + "p" * (3000 + number % 100) + "</html>"

class Crawler:
    def __init__(self, site, limit):
        self.site = site
        self.semaphore = asyncio.Semaphore(limit)
        self.pages = {}
        self.errors = 0

    async def visit(self, number):
        async with self.semaphore:
            text = await self.site.page(number)
        if "html" not in text:
            self.errors += 1
            return
        self.pages[number] = text  # guilty

    async def crawl(self, count):
        for begin in range(0, count, 100):
            await asyncio.gather(*(self.visit(n) for n in range(begin, begin + 100)))

async def probe(site):
    total = 0
    for n in range(200):
        total += len(await site.page(n))
    return total

async def main():
    site = Site("example")
    crawler = Crawler(site, 8)
    print(await probe(site))
    await crawler.crawl(12000)
    print(len(crawler.pages), crawler.errors)

asyncio.run(main())
