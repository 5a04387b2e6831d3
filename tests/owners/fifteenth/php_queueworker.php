<?php
// Long-running queue worker: takes jobs, runs "queries", renders mails.
declare(strict_types=1);

ini_set('memory_limit', '512M');
mt_srand(11);

final class QueryLogger
{
    /** @var array<int, array<string, mixed>> */
    private array $queries = [];
    private int $n = 0;

    public function logQuery(string $sql, array $params, float $ms): void
    {
        $this->queries[++$this->n] = [ // guilty
            'sql' => preg_replace('/\s+/', ' ', $sql),
            'params' => array_map(static fn ($p) => is_int($p) ? $p : '"' . $p . '"', $params),
            'ms' => $ms,
            'memory' => memory_get_usage(),
        ];
    }

    public function slowest(): float
    {
        $max = 0.0;
        foreach ($this->queries as $q) {
            $max = max($max, $q['ms']);
        }
        return $max;
    }
}

final class Connection
{
    public function __construct(private QueryLogger $logger)
    {
    }

    public function select(string $table, array $where): array
    {
        $sql = "SELECT *\n  FROM $table\n WHERE " . implode(' AND ', array_map(static fn ($k) => "$k = ?", array_keys($where)));
        $start = microtime(true);
        $rows = [];
        for ($i = 0; $i < 8; $i++) {
            $rows[] = ['id' => mt_rand(1, 9999), 'table' => $table, 'text' => str_repeat('x', 40 + $i)];
        }
        $this->logger->logQuery($sql, array_values($where), (microtime(true) - $start) * 1000);
        return $rows;
    }
}

final class TemplateCache
{
    private array $items = [];

    public function fetch(string $name): string
    {
        if (!isset($this->items[$name])) {
            if (count($this->items) >= 200) {
                array_shift($this->items);
            }
            $this->items[$name] = str_repeat("Dear {name}, about $name: {rows}\n", 250);
        }
        return $this->items[$name];
    }
}

interface JobHandler
{
    public function handle(array $job): int;
}

final class MailJob implements JobHandler
{
    public function __construct(private Connection $db, private TemplateCache $templates)
    {
    }

    public function handle(array $job): int
    {
        $rows = $this->db->select('orders', ['customer_email' => $job['email'], 'status' => 'open', 'token' => bin2hex(random_bytes(24))]);
        $body = strtr(substr($this->templates->fetch('mail' . $job['id'] % 320), 0, 1200), [
            '{name}' => $job['email'],
            '{rows}' => (string) count($rows),
        ]);
        return strlen($body);
    }
}

final class StockJob implements JobHandler
{
    public function __construct(private Connection $db)
    {
    }

    public function handle(array $job): int
    {
        $sum = 0;
        foreach ($this->db->select('stock', ['sku' => 'SKU-' . $job['id'], 'warehouse' => $job['id'] % 9]) as $row) {
            $sum += $row['id'];
        }
        return $sum % 1000;
    }
}

$logger = new QueryLogger();
$db = new Connection($logger);
$handlers = ['mail' => new MailJob($db, new TemplateCache()), 'stock' => new StockJob($db)];
$done = 0;
$checksum = 0;
for ($tick = 0; $tick < 400; $tick++) {
    $batch = [];
    for ($i = 0; $i < 140; $i++) {
        $id = $tick * 140 + $i;
        $batch[] = ['id' => $id, 'type' => $id % 2 ? 'mail' : 'stock', 'email' => "user$id@example.org"];
    }
    foreach ($batch as $job) {
        $checksum += $handlers[$job['type']]->handle($job);
        $done++;
    }
    usleep(6000);
}
printf("jobs %d checksum %d slowest %.3f ms\n", $done, $checksum, $logger->slowest());
exit(0);
