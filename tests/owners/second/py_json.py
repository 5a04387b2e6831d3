# Replies that are parsed by the json module and kept.
import json
import os

replies = []


def make_text():
    return json.dumps([{"id": number, "text": "some text of number %d" % number} for number in range(200)])


def load_reply(text):
    replies.append(json.loads(text))  # guilty


def poll(text):
    for _ in range(700):
        load_reply(text)


poll(make_text())
os._exit(0)
