<?php
// Prices of a shop: products, discounts, and what is shown to each customer.
declare(strict_types=1);

namespace Shop;

final class Product
{
    public function __construct(
        public readonly int $id,
        public readonly string $name,
        public readonly int $cents,
        public array $tags = [],
    ) {
    }

    public function withPrice(int $cents): self
    {
        return new self($this->id, $this->name, $cents, $this->tags);
    }
}

trait Cached
{
    private array $cache = [];

    protected function cached(string $key, callable $make): mixed
    {
        return $this->cache[$key] ??= $make();
    }

    public function cacheSize(): int
    {
        return count($this->cache);
    }
}

interface Discount
{
    public function apply(Product $product, int $customer): Product;
}

final class Seasonal implements Discount
{
    public function apply(Product $product, int $customer): Product
    {
        return $product->id % 3 === 0 ? $product->withPrice(intdiv($product->cents * 9, 10)) : $product;
    }
}

final class Loyal implements Discount
{
    public function apply(Product $product, int $customer): Product
    {
        return $customer % 2 === 0 ? $product->withPrice($product->cents - 5) : $product;
    }
}

final class Catalog
{
    use Cached;

    /** @var Product[] */
    private array $products = [];

    public function load(int $count): void
    {
        for ($i = 0; $i < $count; $i++) {
            $this->products[$i] = new Product($i, "Product number $i", 100 + $i * 7 % 900, ['new', "group" . $i % 9]);
        }
    }

    public function byTag(string $tag): array
    {
        return $this->cached($tag, fn () => array_filter($this->products, fn (Product $p) => in_array($tag, $p->tags, true)));
    }
}

final class Prices
{
    use Cached;

    /** @param Discount[] $discounts */
    public function __construct(private Catalog $catalog, private array $discounts)
    {
    }

    // For each customer, though customers differ in one bit only.
    public function listFor(int $customer, string $tag): array
    {
        return $this->cached("$customer/$tag", function () use ($customer, $tag) {
            $list = [];
            foreach ($this->catalog->byTag($tag) as $product) {
                foreach ($this->discounts as $discount) {
                    $product = $discount->apply($product, $customer);
                }
                $list[] = ['id' => $product->id, 'name' => $product->name, 'price' => sprintf('%.2f', $product->cents / 100)]; // guilty
            }
            return $list;
        });
    }
}

function render(array $list): string
{
    $html = '';
    foreach ($list as $row) {
        $html .= "<tr><td>{$row['id']}</td><td>{$row['name']}</td><td>{$row['price']}</td></tr>\n";
    }
    return "<table>$html</table>";
}

$catalog = new Catalog();
$catalog->load(900);
$prices = new Prices($catalog, [new Seasonal(), new Loyal()]);
$bytes = 0;
for ($request = 0; $request < 1200; $request++) {
    $bytes += strlen(render($prices->listFor($request % 450, 'group' . $request % 9)));
}
echo "$bytes bytes, ", $catalog->cacheSize(), " tags, ", $prices->cacheSize(), " lists\n";
