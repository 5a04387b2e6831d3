"""Case management of an insurance: cases are edited in small steps, and each change is audited."""

import copy
import datetime
import itertools


class Case:
    def __init__(self, number, holder):
        self.number = number
        self.state = "open"
        self.data = {
            "holder": {"name": holder, "street": f"{number % 90} Mill Lane", "town": "Springfield", "phones": ["555-0100", "555-0101"]},
            "damages": [],
            "payments": [],
            "notes": [],
        }

    def add_damage(self, what, amount):
        self.data["damages"].append({"what": what, "amount": amount, "photos": [f"{self.number}-{what}.jpeg"]})

    def add_note(self, text):
        self.data["notes"].append({"at": "2023-11-05T10:00:00", "text": text})


class AuditLog:
    """Who changed what, and what it was before and after."""

    def __init__(self):
        self.records = []
        self.counter = itertools.count(1)

    def record(self, case, user, action, before):
        after = copy.deepcopy(case.data)  # guilty
        entry = {"id": next(self.counter), "case": case.number, "user": user, "action": action, "before": before, "after": after}
        self.records.append(entry)
        return entry["id"]

    def by_user(self, user):
        return [record["id"] for record in self.records[-500:] if record["user"] == user]


def summary(data):
    return (len(data["damages"]), sum(d["amount"] for d in data["damages"]), len(data["notes"]))


class Workflow:
    steps = ("register", "inspect", "estimate", "approve", "pay", "close")

    def __init__(self, audit):
        self.audit = audit
        self.deadlines = {}
        self.letters = {}

    def change(self, case, user, action, function):
        before = summary(case.data)
        function(case)
        return self.audit.record(case, user, action, before)

    def register(self, case):
        case.add_damage("roof", 1200)
        case.add_damage("window", 310)
        self.deadlines[case.number] = datetime.date(2023, 11, 1) + datetime.timedelta(days=case.number % 60)

    def inspect(self, case):
        case.add_note("The inspector was there; the roof has to be mended before the winter.")

    def estimate(self, case):
        for damage in case.data["damages"]:
            damage["estimate"] = round(damage["amount"] * 1.19, 2)

    def approve(self, case):
        case.state = "approved"
        case.add_note("Approved.")

    def pay(self, case):
        total = sum(damage["estimate"] for damage in case.data["damages"])
        case.data["payments"].append({"iban": f"DE{case.number:020d}", "amount": total})
        self.letters[case.number % 60] = "\n".join(["Dear customer,", f"we have paid {total:.2f} EUR.", "Kind regards"] * 60)

    def close(self, case):
        case.state = "closed"

    def run(self, case, users):
        for step in self.steps:
            self.change(case, next(users), step, getattr(self, step))


def main():
    audit = AuditLog()
    workflow = Workflow(audit)
    users = itertools.cycle(["anna", "ben", "carla", "dave"])
    cases = {}
    for number in range(2600):
        case = Case(number, f"Customer {number}")
        workflow.run(case, users)
        cases[number] = case
        if len(cases) > 900:
            del cases[number - 900]
    print(len(audit.records), "records,", len(audit.by_user("anna")), "of anna's,", len(workflow.deadlines), "deadlines")


if __name__ == "__main__":
    main()
