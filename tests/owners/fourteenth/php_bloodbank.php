<?php
// Runs a blood bank: donations, tests, a fridge with shelf lives, requests of hospitals, events recorded by a trait, and a daily report.
declare(strict_types=1);

namespace BloodBank;

trait RecordsEvents
{
    private array $events = [];
    private int $sent = 0;

    protected function record(string $what, array $details): void
    {
        $this->events[] = ['what' => $what, 'at' => Clock::now(), 'details' => $details, 'text' => $what . ': ' . implode(', ', $details)]; // guilty
    }

    public function unsent(): iterable
    {
        for (; $this->sent < count($this->events); $this->sent++) {
            yield $this->events[$this->sent]['text'];
        }
    }
}

final class Clock
{
    private static int $hour = 0;

    public static function now(): int
    {
        return self::$hour;
    }

    public static function tick(): int
    {
        return ++self::$hour;
    }
}

final class Unit
{
    public function __construct(public readonly int $number, public readonly string $group, public readonly int $donated, public readonly int $millilitres)
    {
    }

    public function old(): bool
    {
        return Clock::now() - $this->donated > 42 * 4;
    }
}

final class Fridge
{
    use RecordsEvents;

    /** @var array<string, \SplQueue<Unit>> */
    private array $shelves = [];

    public function put(Unit $unit): void
    {
        $this->shelves[$unit->group] ??= new \SplQueue();
        $this->shelves[$unit->group]->enqueue($unit);
        $this->record('stored', ['unit ' . $unit->number, $unit->group, $unit->millilitres . ' ml']);
    }

    public function take(array $groups): ?Unit
    {
        foreach ($groups as $group) {
            $shelf = $this->shelves[$group] ?? null;
            if ($shelf && !$shelf->isEmpty()) {
                $unit = $shelf->dequeue();
                $this->record('taken', ['unit ' . $unit->number, $group, 'after ' . (Clock::now() - $unit->donated)]);
                return $unit;
            }
        }
        return null;
    }

    public function clear(): int
    {
        $thrown = 0;
        foreach ($this->shelves as $shelf) {
            for (; !$shelf->isEmpty() && $shelf->bottom()->old(); $thrown++) {
                $unit = $shelf->dequeue();
                $this->record('thrown away', ['unit ' . $unit->number]);
            }
        }
        return $thrown;
    }
}

final class Hospital
{
    use RecordsEvents;

    private const SUITS = ['0' => ['0'], 'A' => ['A', '0'], 'B' => ['B', '0'], 'AB' => ['AB', 'A', 'B', '0']];

    public int $served = 0;
    public int $refused = 0;

    public function __construct(private string $name, private Fridge $fridge)
    {
    }

    public function request(string $group, int $units, string $ward): void
    {
        for ($i = 0; $i < $units; $i++) {
            $unit = $this->fridge->take(self::SUITS[$group]);
            if (!$unit) {
                $this->refused++;
                $this->record('refused', [$this->name, $ward, 'group ' . $group]);
                return;
            }
            $this->served++;
        }
        $this->record('delivered', [$this->name, $ward, "$units of group $group"]);
    }
}

final class Laboratory
{
    public int $rejected = 0;

    public function accepts(Unit $unit): bool
    {
        $sample = hash('crc32b', $unit->group . $unit->number);
        $bad = hexdec(substr($sample, 0, 4)) % 60 === 0;
        $this->rejected += (int) $bad;
        return !$bad;
    }
}

mt_srand(21);
$fridge = new Fridge();
$laboratory = new Laboratory();
$hospitals = array_map(fn (string $name) => new Hospital($name, $fridge), ['North', 'Saint Anne', 'Harbour']);
$groups = ['0', '0', '0', '0', 'A', 'A', 'A', 'A', 'B', 'AB'];
$number = $thrown = $bytes = 0;
while (Clock::tick() < 1500) {
    for ($i = 0; $i < 14; $i++) {
        $unit = new Unit(++$number, $groups[mt_rand(0, 9)], Clock::now(), mt_rand(430, 500));
        if ($laboratory->accepts($unit)) {
            $fridge->put($unit);
        }
    }
    foreach ($hospitals as $hospital) {
        for ($i = mt_rand(0, 4); $i > 0; $i--) {
            $hospital->request($groups[mt_rand(0, 9)], mt_rand(1, 3), 'ward ' . mt_rand(1, 12));
        }
    }
    if (Clock::now() % 24 === 0) {
        $thrown += $fridge->clear();
        foreach ([$fridge, ...$hospitals] as $source) {
            foreach ($source->unsent() as $text) {
                $bytes += strlen($text);
            }
        }
    }
}
printf("%d units, %d rejected, %d thrown away, %d bytes of events\n", $number, $laboratory->rejected, $thrown, $bytes);
foreach ($hospitals as $hospital) {
    printf("%d served, %d refused\n", $hospital->served, $hospital->refused);
}
