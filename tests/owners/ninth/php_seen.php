<?php

declare(strict_types=1);

// Gathers news of many feeds: parses what is new in each, drops what another agency had already, and makes the front page.

final class Item
{
    public function __construct(
        public readonly string $guid,
        public readonly string $title,
        public readonly string $text,
        public readonly int $published,
    ) {
    }
}

final class Agency
{
    public function __construct(private string $name, private int $number)
    {
    }

    /** The feed as it is in this hour; some of it was there an hour before. */
    public function download(int $hour): string
    {
        $items = [];
        for ($n = $hour * 5; $n < $hour * 5 + 8; $n++) {
            $story = $this->number % 3 === 0 ? "shared-$n" : "{$this->number}-$n";
            $text = str_repeat("It was said on $story that talks go on. ", 9 + ($n + $this->number) % 14);
            $when = 1700000000 + $n * 720;
            $items[] = ['id' => $story, 'title' => "News of $story", 'content_text' => $text, 'date_published' => $when];
        }
        return json_encode(['version' => 'https://jsonfeed.org/version/1.1', 'title' => $this->name, 'items' => $items]);
    }
}

final class FeedParser
{
    /** @return iterable<Item> */
    public function parse(string $feed): iterable
    {
        $document = json_decode($feed, true, 8, JSON_THROW_ON_ERROR);
        foreach ($document['items'] as $item) {
            yield new Item($item['id'], $item['title'], $item['content_text'], $item['date_published']);
        }
    }
}

/** Knows what came before, by its words. */
final class Duplicates
{
    private array $seen = [];
    private int $dropped = 0;

    public function isNew(Item $item): bool
    {
        $key = $this->normalized($item->title . ' ' . $item->text);
        if (isset($this->seen[$key])) {
            $this->dropped++;
            return false;
        }
        $this->seen[$key] = $item->published; // guilty
        return true;
    }

    private function normalized(string $text): string
    {
        return trim(preg_replace('/[^a-z0-9]+/', ' ', strtolower($text)));
    }

    public function dropped(): int
    {
        return $this->dropped;
    }
}

final class FrontPage
{
    /** @var Item[] */
    private array $items = [];

    public function __construct(private int $limit)
    {
    }

    public function add(Item $item): void
    {
        $this->items[] = $item;
        if (count($this->items) > 2 * $this->limit) {
            usort($this->items, static fn (Item $a, Item $b): int => $b->published <=> $a->published);
            $this->items = array_slice($this->items, 0, $this->limit);
        }
    }

    public function render(): string
    {
        return implode("\n", array_map(static fn (Item $item): string => "<h2>{$item->title}</h2>", $this->items));
    }
}

final class Aggregator
{
    private array $agencies = [];

    public function __construct(private FeedParser $parser, private Duplicates $duplicates, private FrontPage $page)
    {
    }

    public function subscribe(Agency $agency): void
    {
        $this->agencies[] = $agency;
    }

    public function refresh(int $hour): int
    {
        $new = 0;
        foreach ($this->agencies as $agency) {
            foreach ($this->parser->parse($agency->download($hour)) as $item) {
                if ($this->duplicates->isNew($item)) {
                    $this->page->add($item);
                    $new++;
                }
            }
        }
        return $new;
    }
}

$duplicates = new Duplicates();
$page = new FrontPage(1500);
$aggregator = new Aggregator(new FeedParser(), $duplicates, $page);
for ($number = 0; $number < 60; $number++) {
    $aggregator->subscribe(new Agency("Agency $number", $number));
}
$new = 0;
for ($hour = 0; $hour < 170; $hour++) {
    $new += $aggregator->refresh($hour);
}
echo $new, ' new, ', $duplicates->dropped(), ' dropped, page of ', strlen($page->render()), " bytes\n";
