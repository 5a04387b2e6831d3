"""Small web shop front: sessions, carts, pages."""
import hashlib
import random
import time


class Session:
    def __init__(self, sid, agent):
        self.sid = sid
        self.agent = agent
        self.created = time.time()
        self.cart = {}
        self.flash = []
        self.csrf = hashlib.sha256(sid.encode()).hexdigest()
        self.visited = ["/"] * 20


class SessionStore:
    def __init__(self, secret):
        self.secret = secret
        self.sessions = {}

    def new_id(self, agent):
        raw = f"{self.secret}{agent}{random.random()}"
        return hashlib.sha1(raw.encode()).hexdigest()

    def open(self, cookie, agent):
        session = self.sessions.get(cookie)
        if session is None:
            sid = self.new_id(agent)
            session = Session(sid, agent)  # guilty
            self.sessions[sid] = session
        return session


class Catalog:
    def __init__(self, rng):
        self.items = {f"sku{i}": rng.randint(100, 9999) for i in range(500)}

    def page(self, n):
        rows = []
        for sku in list(self.items)[n * 20:(n + 1) * 20]:
            rows.append(f"<tr><td>{sku}</td><td>{self.items[sku] / 100}</td></tr>")
        return "<table>" + "".join(rows) + "</table>"


class Shop:
    def __init__(self):
        self.rng = random.Random(4)
        self.store = SessionStore("s3cret")
        self.catalog = Catalog(self.rng)

    def handle(self, cookie, agent, path):
        session = self.store.open(cookie, agent)
        session.visited.append(path)
        del session.visited[:-20]
        if path.startswith("/add/"):
            sku = path[5:]
            session.cart[sku] = session.cart.get(sku, 0) + 1
            session.flash.append("added")
            body = "ok"
        else:
            session.flash.clear()
            body = self.catalog.page(self.rng.randrange(25))
        return session.sid, body


def visitors(shop, count):
    rng = shop.rng
    known = []
    size = 0
    for i in range(count):
        bot = rng.random() < 0.8
        cookie = None if bot or not known else rng.choice(known)
        path = f"/add/sku{rng.randrange(500)}" if rng.random() < 0.7 else f"/list/{i}"
        sid, body = shop.handle(cookie, "crawler" if bot else "browser", path)
        size += len(body)
        if not bot and len(known) < 300:
            known.append(sid)
        if i % 500 == 0:
            time.sleep(0.012)
    return size


if __name__ == "__main__":
    shop = Shop()
    print(visitors(shop, 50000), len(shop.store.sessions))
    time.sleep(0.2)
