<?php

declare(strict_types=1);

// Imports the products of suppliers into a shop: reads their rows, finds categories, validates, and writes in batches.

final class Product
{
    public array $errors = [];

    public function __construct(
        public string $sku,
        public string $name,
        public string $description,
        public int $cents,
        public ?string $category = null,
    ) {
    }
}

final class SupplierFeed
{
    public function __construct(private string $supplier, private int $count)
    {
    }

    /** @return iterable<array<string, string>> */
    public function rows(): iterable
    {
        for ($n = 0; $n < $this->count; $n++) {
            yield [
                'sku' => "{$this->supplier}-$n",
                'name' => $n % 37 === 0 ? '' : "Lamp of series $n",
                'description' => str_repeat("Lights rooms of {$n} square metres with {$this->supplier}'s care. ", 3 + $n % 4),
                'price' => sprintf('%d,%02d', 5 + $n % 300, $n % 100),
                'group' => 'G' . $n % 90,
            ];
        }
    }
}

final class CategoryMap
{
    private array $map = [];

    public function __construct()
    {
        for ($n = 0; $n < 85; $n++) {
            $this->map["G$n"] = "Home / Light / Group $n";
        }
    }

    public function find(string $group): ?string
    {
        return $this->map[$group] ?? null;
    }
}

final class Validator
{
    public function validate(Product $product): bool
    {
        if ($product->name === '') {
            $product->errors[] = 'name is missing';
        }
        if ($product->category === null) {
            $product->errors[] = 'group is not known';
        }
        return $product->errors === [];
    }
}

/** Watches over what was loaded, and writes it when asked to; as entities may be changed later, it knows all of them. */
final class UnitOfWork
{
    /** @var array<string, Product> */
    private array $identityMap = [];
    /** @var Product[] */
    private array $new = [];

    public function __construct(private Database $database)
    {
    }

    public function persist(Product $product): void
    {
        $this->identityMap[$product->sku] = $product; // guilty
        $this->new[] = $product;
    }

    public function flush(): void
    {
        foreach ($this->new as $product) {
            $this->database->insert('product', [$product->sku, $product->name, $product->cents, $product->category]);
        }
        $this->new = [];
    }

    public function managed(): int
    {
        return count($this->identityMap);
    }
}

final class Database
{
    private int $rows = 0;
    private int $bytes = 0;

    public function insert(string $table, array $values): void
    {
        $sql = "INSERT INTO $table VALUES (" . implode(', ', array_map(static fn ($value): string => "'$value'", $values)) . ')';
        $this->rows++;
        $this->bytes += strlen($sql);
    }

    public function summary(): string
    {
        return "{$this->rows} rows, {$this->bytes} bytes";
    }
}

final class Importer
{
    private array $rejected = [];

    public function __construct(private UnitOfWork $work, private CategoryMap $categories, private Validator $validator)
    {
    }

    public function import(SupplierFeed $feed): void
    {
        $count = 0;
        foreach ($feed->rows() as $row) {
            $product = new Product($row['sku'], $row['name'], $row['description'], $this->cents($row['price']), $this->categories->find($row['group']));
            if (!$this->validator->validate($product)) {
                $this->rejected[$product->sku] = implode(', ', $product->errors);
                continue;
            }
            $this->work->persist($product);
            if (++$count % 200 === 0) {
                $this->work->flush();
            }
        }
        $this->work->flush();
    }

    private function cents(string $price): int
    {
        return (int) round((float) str_replace(',', '.', $price) * 100);
    }

    public function rejected(): int
    {
        return count($this->rejected);
    }
}

ini_set('memory_limit', '256M');
$database = new Database();
$work = new UnitOfWork($database);
$importer = new Importer($work, new CategoryMap(), new Validator());
foreach (['lumen', 'nordlys', 'candela', 'helios'] as $supplier) {
    $importer->import(new SupplierFeed($supplier, 17000));
}
echo $database->summary(), ', ', $work->managed(), ' managed, ', $importer->rejected(), " rejected\n";
