<?php

declare(strict_types=1);

namespace Bank;

// Statements of accounts: reads the messages of a bank (in the manner of MT940), matches payments with bills, and prints a page.

final class Entry
{
    public function __construct(
        public readonly string $account,
        public readonly string $date,
        public readonly int $cents,
        public readonly string $purpose,
        public readonly array $details,
    ) {
    }
}

final class Tokenizer
{
    /** @return iterable<array{string, string}> */
    public function fields(string $message): iterable
    {
        foreach (preg_split('/^:(?=\d\d[A-Z]?:)/m', $message, -1, PREG_SPLIT_NO_EMPTY) as $field) {
            [$tag, $value] = explode(':', $field, 2);
            yield [$tag, trim($value)];
        }
    }
}

final class StatementReader
{
    public function __construct(private Tokenizer $tokenizer)
    {
    }

    /** @return Entry[] */
    public function read(string $message): array
    {
        $entries = [];
        $account = '';
        $amount = ['', 0];
        foreach ($this->tokenizer->fields($message) as [$tag, $value]) {
            if ($tag === '25') {
                $account = $value;
            } elseif ($tag === '61') {
                $amount = [substr($value, 0, 6), (int) substr($value, 7)];
            } elseif ($tag === '86') {
                $entries[] = new Entry($account, $amount[0], $amount[1], $this->purpose($value), $this->details($value));
            }
        }
        return $entries;
    }

    private function purpose(string $value): string
    {
        return preg_match('/SVWZ\+([^?]*)/', $value, $match) ? $match[1] : '';
    }

    private function details(string $value): array
    {
        $details = [];
        foreach (explode('?', $value) as $part) {
            if (str_contains($part, '+')) {
                [$key, $text] = explode('+', $part, 2);
                $details[$key] = $text;
            }
        }
        return $details;
    }
}

final class Matcher
{
    /** @var array<string, int> */
    private array $bills = [];
    /** @var array<string, Entry[]> payments for which there is no bill (yet) */
    private array $unmatched = [];
    private int $paid = 0;

    public function bill(string $number, int $cents): void
    {
        $this->bills[$number] = $cents;
    }

    public function match(Entry $entry): void
    {
        if (preg_match('/R-\d+/', $entry->purpose, $found) && isset($this->bills[$found[0]])) {
            unset($this->bills[$found[0]]);
            $this->paid++;
            return;
        }
        $this->unmatched[$entry->account][] = $entry; // guilty
    }

    public function report(): string
    {
        return sprintf('%d paid, %d open, %d accounts with others', $this->paid, count($this->bills), count($this->unmatched));
    }
}

final class Bank
{
    private int $number = 0;

    public function message(int $day): string
    {
        $text = sprintf(":20:STARTUMS\n:25:10020030/%07d\n", $day % 60);
        for ($n = 0; $n < 40; $n++) {
            $this->number++;
            $purpose = $this->number % 4 === 0 ? 'Bill R-' . intdiv($this->number, 4) : "Donation for the animals, thank you {$this->number}";
            $text .= sprintf(":61:2403%02dC%d\n", 1 + $day % 28, 500 + $this->number % 9000);
            $text .= ":86:166?SVWZ+$purpose?EREF+NOTPROVIDED-{$this->number}?IBAN+DE02100200300{$this->number}?NAME+Donor {$this->number}\n";
        }
        return $text;
    }
}

function main(): void
{
    $matcher = new Matcher();
    for ($n = 1; $n <= 9000; $n++) {
        $matcher->bill("R-$n", 500 + $n % 9000);
    }
    $reader = new StatementReader(new Tokenizer());
    $bank = new Bank();
    for ($day = 0; $day < 1000; $day++) {
        foreach ($reader->read($bank->message($day)) as $entry) {
            $matcher->match($entry);
        }
    }
    echo $matcher->report(), "\n";
}

ini_set('memory_limit', '256M');
main();
