<?php

declare(strict_types=1);

// Exports a shop's products for price comparison: one line for each product, with the way through the categories that leads to it.
namespace Export;

final class Category
{
    /** @var Category[] */
    public array $children = [];

    public function __construct(public int $id, public string $name, public ?Category $parent)
    {
        if ($parent !== null) {
            $parent->children[] = $this;
        }
    }
}

final class CategoryTree
{
    /** @var array<int, Category> */
    private array $byId = [];

    public function load(int $count): void
    {
        for ($id = 1; $id <= $count; $id++) {
            $parent = $id === 1 ? null : $this->byId[intdiv($id + 4, 6)];
            $this->byId[$id] = new Category($id, "Category $id", $parent);
        }
    }

    public function get(int $id): Category
    {
        return $this->byId[$id];
    }
}

final class Crumb
{
    public function __construct(public string $title, public string $url)
    {
    }
}

/** The way to a product, as the page shows it above the picture. */
final class Breadcrumbs
{
    private static array $trails = [];

    public function __construct(private CategoryTree $tree, private string $host)
    {
    }

    /** @return Crumb[] */
    public function trail(Product $product): array
    {
        $key = $product->number . ':' . $product->category;
        if (isset(self::$trails[$key])) {
            return self::$trails[$key];
        }
        $crumbs = [new Crumb($product->title, "https://{$this->host}/p/{$product->number}")];
        for ($category = $this->tree->get($product->category); $category !== null; $category = $category->parent) {
            $crumbs[] = $this->crumb($category); // guilty
        }
        return self::$trails[$key] = array_reverse($crumbs);
    }

    private function crumb(Category $category): Crumb
    {
        return new Crumb($category->name, "https://{$this->host}/c/{$category->id}-" . strtolower(strtr($category->name, ' ', '-')));
    }
}

final class Product
{
    public function __construct(public string $number, public string $title, public int $category, public int $cents)
    {
    }
}

final class Products
{
    /** @return \Generator<Product> */
    public function all(int $count): \Generator
    {
        for ($n = 0; $n < $count; $n++) {
            yield new Product(sprintf('P%07d', $n), "Product $n in red, large", 2 + $n * 7 % 2400, 199 + $n % 9000);
        }
    }
}

final class CsvExport
{
    private array $buffer = [];
    private int $bytes = 0;
    private string $tail = '';

    public function line(array $fields): void
    {
        $this->buffer[] = implode(';', array_map(static fn ($field): string => '"' . strtr((string) $field, ['"' => '""']) . '"', $fields));
        if (count($this->buffer) === 12000) {
            $this->flush();
        }
    }

    public function flush(): void
    {
        $text = implode("\n", $this->buffer);
        $this->bytes += strlen($text);
        $this->tail = substr($text, -60);
        $this->buffer = [];
    }

    public function bytes(): int
    {
        return $this->bytes;
    }
}

function export(Products $products, Breadcrumbs $breadcrumbs, CsvExport $file, int $count): void
{
    foreach ($products->all($count) as $product) {
        $way = implode(' > ', array_map(static fn (Crumb $crumb): string => $crumb->title, $breadcrumbs->trail($product)));
        $file->line([$product->number, $product->title, $way, number_format($product->cents / 100, 2), 'in stock']);
    }
    $file->flush();
}

$tree = new CategoryTree();
$tree->load(2500);
$file = new CsvExport();
export(new Products(), new Breadcrumbs($tree, 'shop.example.org'), $file, 36000);
echo $file->bytes(), " bytes\n";
