<?php
// Invoices of a month: templates, a mailer, and an archive that was to write to disk.
declare(strict_types=1);

namespace Billing;

final class Line
{
    public function __construct(public readonly string $article, public readonly int $count, public readonly float $price)
    {
    }
}

final class Invoice
{
    /** @var Line[] */
    public array $lines = [];

    public function __construct(public readonly int $number, public readonly string $customer)
    {
    }

    public function total(): float
    {
        return array_sum(array_map(fn(Line $l) => $l->count * $l->price, $this->lines));
    }
}

final class Template
{
    private array $cache = [];

    public function render(string $name, array $values): string
    {
        $this->cache[$name] ??= str_repeat("<p class='{$name}'>{{title}} for {{customer}}: {{total}}</p>\n", 12);
        return strtr($this->cache[$name], $values);
    }
}

interface Sink
{
    public function put(Invoice $invoice, string $text): void;
}

final class Archive implements Sink
{
    private array $pages = [];

    /** Was to be flushed at the end of the day; there is no such end here. */
    public function put(Invoice $invoice, string $text): void
    {
        $this->pages[$invoice->number] = "%PDF-1.4\n" . str_replace("\n", "\r\n", $text) . "\n%%EOF"; // guilty
    }

    public function size(): int
    {
        return count($this->pages);
    }
}

final class Mailer implements Sink
{
    private array $sent = [];

    public function put(Invoice $invoice, string $text): void
    {
        $this->sent[] = md5($text);
    }
}

function invoice(int $number): Invoice
{
    $invoice = new Invoice($number, "Customer " . $number % 500);
    for ($i = 0; $i < 6; $i++) {
        $invoice->lines[] = new Line("Article $i", $i + 1, 9.99);
    }
    return $invoice;
}

$template = new Template();
$archive = new Archive();
$sinks = [$archive, new Mailer()];
for ($number = 1; $number <= 26000; $number++) {
    $invoice = invoice($number);
    $text = $template->render("page", [
        "{{title}}" => "Invoice $number",
        "{{customer}}" => $invoice->customer,
        "{{total}}" => sprintf("%.2f EUR, to be paid within thirty days", $invoice->total()),
    ]);
    foreach ($sinks as $sink) {
        $sink->put($invoice, $text);
    }
}
printf("%d pages, %d MiB\n", $archive->size(), memory_get_usage() >> 20);
