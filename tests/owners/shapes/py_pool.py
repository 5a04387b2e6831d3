from concurrent.futures import ThreadPoolExecutor

def render(number):
    return bytearray(number % 256 for _ in range(4)) * (900 + number % 50)

def thumbnail(number):
    return render(number)[:10]

class Album:
    def __init__(self):
        self.pictures = {}

    def put_up(self, number, picture):
        if number % 9:
            self.pictures[number] = picture  # guilty

    def fill(self, pool, numbers):
        for number, picture in zip(numbers, pool.map(render, numbers)):
            self.put_up(number, picture)

def main():
    album = Album()
    with ThreadPoolExecutor(3) as pool:
        for begin in range(0, 9000, 100):
            album.fill(pool, range(begin, begin + 100))
        total = sum(len(t) for t in pool.map(thumbnail, range(500)))
    print(len(album.pictures), total)

main()
