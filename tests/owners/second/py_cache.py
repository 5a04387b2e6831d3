# A function whose results are cached without limit.
import functools
import os


def header(number):
    return "<h1>%d</h1>" % number


@functools.lru_cache(maxsize=None)
def render(number):
    return header(number) + "<p>" + "x" * 900 + "</p>"  # guilty


class Handler:
    def get(self, number):
        return len(render(number))


handler = Handler()
for request in range(50000):
    handler.get(request)
os._exit(0)
