<?php
// pricewatch - long running worker that compares supplier price lists and reports changes.
declare(strict_types=1);

final class Supplier
{
    public function __construct(private int $id, private int $articles) {}

    public function name(): string { return "supplier-{$this->id}"; }

    /** One price list in the supplier's CSV format. */
    public function download(int $round): string
    {
        $rows = ["sku;price;stock;text"];
        for ($i = 0; $i < $this->articles; $i++) {
            $cents = 1000 + ($i * 37 + $round * ($i % 11)) % 9000;
            $rows[] = sprintf('%02d-%05d;%d.%02d;%d;"Article no. %d"', $this->id, $i, intdiv($cents, 100), $cents % 100, ($i + $round) % 50, $i);
        }
        return implode("\n", $rows);
    }
}

final class PriceList
{
    /** @return iterable<array{sku: string, cents: int, stock: int, text: string}> */
    public static function parse(string $csv): iterable
    {
        foreach (array_slice(explode("\n", $csv), 1) as $line) {
            [$sku, $price, $stock, $text] = str_getcsv($line, ';');
            yield ['sku' => $sku, 'cents' => (int) round((float) $price * 100), 'stock' => (int) $stock, 'text' => $text];
        }
    }
}

final class Trend
{
    private array $points = [];

    public function note(string $sku, int $cents, int $round): void
    {
        $series = &$this->points[$sku];
        $series[] = ['round' => $round, 'cents' => $cents]; // guilty
    }

    public function change(string $sku): int
    {
        $p = $this->points[$sku] ?? [];
        $n = count($p);
        return $n < 2 ? 0 : $p[$n - 1]['cents'] - $p[$n - 2]['cents'];
    }
}

final class Report
{
    private array $lines = [];
    public int $written = 0;

    public function add(string $line): void
    {
        $this->lines[] = $line;
        if (count($this->lines) >= 100) {
            $this->flush();
        }
    }

    public function flush(): void
    {
        $this->written += strlen(implode("\n", $this->lines));
        $this->lines = [];
    }
}

final class Watcher
{
    private array $stock = [];

    public function __construct(private Trend $trend, private Report $report) {}

    public function compare(Supplier $s, int $round): int
    {
        $changed = 0;
        foreach (PriceList::parse($s->download($round)) as $row) {
            $this->trend->note($row['sku'], $row['cents'], $round);
            $delta = $this->trend->change($row['sku']);
            if ($delta !== 0 && abs($delta) > 3) {
                $changed++;
                $this->report->add("{$s->name()} {$row['sku']} {$row['text']} changed by $delta");
            }
            $this->checkStock($row);
        }
        return $changed;
    }

    private function checkStock(array $row): void
    {
        $before = $this->stock[$row['sku']] ?? 0;
        $this->stock[$row['sku']] = $row['stock'];
        if ($before > 0 && $row['stock'] === 0) {
            $this->report->add("sold out: {$row['sku']}");
        }
    }
}

$suppliers = [];
for ($i = 1; $i <= 6; $i++) {
    $suppliers[] = new Supplier($i, 300);
}
$report = new Report();
$watcher = new Watcher(new Trend(), $report);
$changes = 0;
for ($round = 0; $round < 110; $round++) {
    foreach ($suppliers as $s) {
        $changes += $watcher->compare($s, $round);
    }
    usleep(18000);
}
$report->flush();
echo "$changes changes, {$report->written} bytes reported\n";
