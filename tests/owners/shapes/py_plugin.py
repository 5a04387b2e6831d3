import abc

class Step(abc.ABC):
    registry = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Step.registry[cls.__name__.lower()] = cls()

    @abc.abstractmethod
    def apply(self, record):
        ...

class Clean(Step):
    def apply(self, record):
        return {key: value.strip() for key, value in record.items()}

class Enrich(Step):
    def __init__(self):
        self.seen = []

    def apply(self, record):
        record = dict(record, length=str(len(record["name"])))
        self.seen.append(record)  # guilty
        return record

class Shrink(Step):
    def apply(self, record):
        return {"name": record["name"]}

def records(count):
    for n in range(count):
        yield {"name": f"  person {n} ", "town": f" town {n % 300} ", "street": f" street {n} "}

def flow(record):
    for name in ("clean", "enrich", "shrink"):
        record = Step.registry[name].apply(record)
    return record

def main():
    total = 0
    for record in records(60000):
        total += len(flow(record)["name"])
    print(total)

main()
