<?php
// Imports a catalogue of a supplier: rows are mapped, checked by rules, and written in batches.
declare(strict_types=1);

trait Counts
{
    private array $counts = [];

    protected function count(string $what): void
    {
        $this->counts[$what] = ($this->counts[$what] ?? 0) + 1;
    }

    public function counted(string $what): int
    {
        return $this->counts[$what] ?? 0;
    }
}

enum Severity: int
{
    case Note = 0;
    case Warning = 1;
    case Error = 2;
}

abstract class Rule
{
    public function __construct(public readonly Severity $severity)
    {
    }

    abstract public function broken(array $row): ?string;
}

final class Priced extends Rule
{
    public function broken(array $row): ?string
    {
        return $row['cents'] > 0 ? null : "article {$row['article']} has no price";
    }
}

final class Named extends Rule
{
    public function broken(array $row): ?string
    {
        return preg_match('/^[A-Z][\w ,.-]+$/', $row['name']) ? null : "article {$row['article']} is called \"{$row['name']}\"";
    }
}

final class Weighed extends Rule
{
    public function broken(array $row): ?string
    {
        return $row['grams'] < 50_000 ? null : "article {$row['article']} weighs {$row['grams']} g";
    }
}

final class Finding
{
    public function __construct(public readonly Rule $rule, public readonly string $text, public readonly array $row)
    {
    }
}

final class Checker
{
    use Counts;

    public function __construct(private array $rules)
    {
    }

    private function find(Rule $rule, array $row): ?Finding
    {
        $text = $rule->broken($row);
        return $text === null ? null : new Finding($rule, $text, $row);
    }

    private function report(Finding $finding): bool
    {
        $this->count($finding->rule::class);
        return $finding->rule->severity === Severity::Error;
    }

    public function accept(array $row): bool
    {
        $good = true;
        foreach ($this->rules as $rule) {
            if ($finding = $this->find($rule, $row)) {
                $good = !$this->report($finding) && $good;
            }
        }
        return $good;
    }
}

final class Writer
{
    use Counts;

    private array $batch = [];
    private array $written = [];

    public function __construct(private int $size)
    {
    }

    public function write(array $row): void
    {
        $this->batch[] = $row;
        if (count($this->batch) >= $this->size) {
            $this->flush();
        }
    }

    public function flush(): void
    {
        $values = [];
        foreach ($this->batch as $row) {
            $values[] = sprintf("(%d, '%s', %d, %d)", $row['article'], addslashes($row['name']), $row['cents'], $row['grams']);
        }
        $sql = 'INSERT INTO articles VALUES ' . implode(', ', $values);
        $this->remember($sql);
        $this->batch = [];
    }

    /** As a log of queries that a debugger's bar would show. */
    private function remember(string $sql): void
    {
        $this->count('queries');
        $this->written[] = ['sql' => $sql, 'shown' => wordwrap($sql, 100), 'at' => hrtime(true)]; // guilty
    }
}

function rows(int $count): Generator
{
    for ($i = 0; $i < $count; $i++) {
        yield [$i, ($i % 9 ? 'Screw' : 'screw') . " of type $i, galvanized", $i * 31 % 2000 / 100, $i * 17 % 51_000 / 1000];
    }
}

function mapped(iterable $rows): Generator
{
    foreach ($rows as [$article, $name, $euros, $kilos]) {
        yield ['article' => $article, 'name' => trim($name), 'cents' => (int) round($euros * 100), 'grams' => (int) ($kilos * 1000)];
    }
}

$checker = new Checker([new Priced(Severity::Error), new Named(Severity::Note), new Weighed(Severity::Warning)]);
$writer = new Writer(200);
foreach (mapped(rows(380_000)) as $row) {
    if ($checker->accept($row)) {
        $writer->write($row);
    }
}
$writer->flush();
printf("%d queries, %d without price, %d heavy\n", $writer->counted('queries'), $checker->counted(Priced::class), $checker->counted(Weighed::class));
