<?php

declare(strict_types=1);

// A worker that takes jobs from a queue for as long as it lives; the connection to the database has a log of its queries.
namespace Worker;

final class Row
{
    public function __construct(public int $id, public string $name, public float $balance)
    {
    }
}

interface Driver
{
    /** @return list<Row> */
    public function execute(string $sql, array $bindings): array;
}

final class ArrayDriver implements Driver
{
    /** @var array<int, Row> */
    private array $rows = [];

    public function __construct(int $count)
    {
        for ($id = 1; $id <= $count; $id++) {
            $this->rows[$id] = new Row($id, "Customer $id of the northern district", $id % 500 / 4);
        }
    }

    public function execute(string $sql, array $bindings): array
    {
        $id = (int) end($bindings);
        return isset($this->rows[$id]) ? [$this->rows[$id]] : [];
    }
}

final class Connection
{
    private array $queryLog = [];
    private bool $logging = true;

    public function __construct(private Driver $driver)
    {
    }

    public function select(string $sql, array $bindings = []): array
    {
        return $this->run($sql, $bindings);
    }

    public function update(string $sql, array $bindings = []): int
    {
        return count($this->run($sql, $bindings));
    }

    private function run(string $sql, array $bindings): array
    {
        $start = hrtime(true);
        $rows = $this->driver->execute($sql, $bindings);
        $this->logQuery($sql, $bindings, (hrtime(true) - $start) / 1e6);
        return $rows;
    }

    private function logQuery(string $sql, array $bindings, float $milliseconds): void
    {
        if ($this->logging) {
            $bound = array_map(static fn ($value): string => var_export($value, true), $bindings);
            $this->queryLog[] = ['query' => $sql, 'bindings' => $bound, 'time' => round($milliseconds, 2)]; // guilty
        }
    }

    public function slowest(int $count): array
    {
        $times = array_column($this->queryLog, 'time');
        rsort($times);
        return array_slice($times, 0, $count);
    }

    public function logged(): int
    {
        return count($this->queryLog);
    }
}

final class QueryBuilder
{
    private array $wheres = [];

    public function __construct(private Connection $connection, private string $table)
    {
    }

    public function where(string $column, mixed $value): self
    {
        $this->wheres[$column] = $value;
        return $this;
    }

    public function first(): ?Row
    {
        $sql = "select * from {$this->table} where " . $this->condition() . ' limit 1';
        return $this->connection->select($sql, array_values($this->wheres))[0] ?? null;
    }

    public function set(string $column, mixed $value): int
    {
        $sql = "update {$this->table} set $column = ? where " . $this->condition();
        return $this->connection->update($sql, [$value, ...array_values($this->wheres)]);
    }

    private function condition(): string
    {
        return implode(' and ', array_map(static fn (string $column): string => "$column = ?", array_keys($this->wheres)));
    }
}

final class ChargeJob
{
    public function __construct(private int $customer, private float $amount, private string $reason)
    {
    }

    public function handle(Connection $connection): string
    {
        $row = (new QueryBuilder($connection, 'customers'))->where('tenant', 'north')->where('id', $this->customer)->first();
        if ($row === null) {
            return 'missing';
        }
        $row->balance -= $this->amount;
        (new QueryBuilder($connection, 'customers'))->where('id', $row->id)->set('balance', $row->balance);
        (new QueryBuilder($connection, 'events'))->where('reason', $this->reason)->where('id', $row->id)->set('seen', true);
        return $row->balance < 0 ? 'reminded' : 'charged';
    }
}

final class Loop
{
    private array $outcomes = [];

    public function __construct(private Connection $connection)
    {
    }

    public function work(iterable $jobs): array
    {
        foreach ($jobs as $job) {
            $outcome = $job->handle($this->connection);
            $this->outcomes[$outcome] = ($this->outcomes[$outcome] ?? 0) + 1;
        }
        return $this->outcomes;
    }
}

function jobs(int $count): \Generator
{
    for ($n = 0; $n < $count; $n++) {
        yield new ChargeJob(1 + $n * 17 % 15100, 1.25, "subscription of month $n");
    }
}

$connection = new Connection(new ArrayDriver(15000));
$outcomes = (new Loop($connection))->work(jobs(17000));
ksort($outcomes);
echo json_encode($outcomes), ', ', $connection->logged(), ' queries, slowest ', count($connection->slowest(3)), "\n";
