# Sessions of a web application, kept in a dictionary of a class.
import os


class Session:
    def __init__(self, user, number):
        self.user = user
        self.basket = ["item %d of %d" % (item, number) for item in range(20)]  # guilty


class SessionStore:
    def __init__(self):
        self.sessions = {}

    def open(self, user, number):
        self.sessions[number] = Session(user, number)


def read_settings():
    return {"option%d" % number: number for number in range(1000)}


def main():
    settings = read_settings()
    store = SessionStore()
    for number in range(30000):
        store.open("user", number)
    os._exit(0 if settings else 1)


if __name__ == "__main__":
    main()
