<?php
// Queue worker: takes jobs, reads and writes rows, prints totals.

class Row
{
    public function __construct(public int $id, public array $fields)
    {
    }
}

class Database
{
    private array $log = [];
    private int $seed = 42;
    public float $spent = 0.0;

    public function query(string $sql, array $bind = []): array
    {
        $start = microtime(true);
        $rows = $this->execute($sql, $bind);
        $took = microtime(true) - $start;
        $this->spent += $took;
        $this->log[] = ['sql' => $this->render($sql, $bind), 'bind' => $bind, 'took' => $took]; // guilty
        return $rows;
    }

    private function execute(string $sql, array $bind): array
    {
        $rows = [];
        if (str_starts_with($sql, 'SELECT')) {
            for ($i = 0; $i < 5; $i++) {
                $this->seed = ($this->seed * 1103515245 + 12345) & 0x7fffffff;
                $rows[] = new Row($this->seed, ['qty' => $this->seed % 9, 'ref' => md5((string) $this->seed)]);
            }
        }
        return $rows;
    }

    private function render(string $sql, array $bind): string
    {
        foreach ($bind as $k => $v) {
            $sql = str_replace(':' . $k, "'" . $v . "'", $sql);
        }
        return $sql;
    }
}

class StockJob
{
    public function __construct(private int $order)
    {
    }

    public function run(Database $db): int
    {
        $sum = 0;
        $rows = $db->query('SELECT id, qty, ref FROM lines WHERE order_id = :order AND state = :state',
            ['order' => $this->order, 'state' => 'open']);
        foreach ($rows as $row) {
            $sum += $row->fields['qty'];
            $db->query('UPDATE stock SET qty = qty - :qty, last_ref = :ref, changed_by = :who WHERE id = :id',
                ['qty' => $row->fields['qty'], 'ref' => $row->fields['ref'], 'who' => 'worker', 'id' => $row->id]);
        }
        return $sum;
    }
}

class Worker
{
    private int $total = 0;

    public function __construct(private Database $db)
    {
    }

    public function loop(int $jobs): int
    {
        for ($i = 1; $i <= $jobs; $i++) {
            $job = new StockJob(500000 + $i);
            $this->total += $job->run($this->db);
            if ($i % 100 === 0) {
                usleep(14000);
            }
        }
        return $this->total;
    }
}

$db = new Database();
$worker = new Worker($db);
printf("moved %d, db time %.3f\n", $worker->loop(13500), $db->spent);
usleep(200000);
