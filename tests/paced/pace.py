# As pace.h, for programs in Python.
import os
import time

HEALTHY_S, LEAKING_S, RATE = (float(os.environ["PACE_" + name]) for name in ("HEALTHY_S", "LEAKING_S", "RATE"))
BEGIN = time.time() + HEALTHY_S
answers = []
calls = 0


def answer_requests():
    answers.extend(["a%d" % len(answers) * (100 + number * 50) for number in range(20)])
    del answers[:-2000]


def served():
    global calls
    while (now := time.time()) < BEGIN + LEAKING_S:
        if now > BEGIN and calls < (now - BEGIN) * RATE:
            if calls == 0:
                with open("onset", "w") as file:
                    print(now, file=file)
            calls += 1
            return calls
        answer_requests()
        time.sleep(0.01)
    return 0
