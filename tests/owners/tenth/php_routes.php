<?php

declare(strict_types=1);

// A bicycle courier service: plans tours through a city, prices them, and answers the app of the couriers in a long-running worker.

final class Street
{
    public function __construct(public readonly int $to, public readonly float $minutes)
    {
    }
}

final class City
{
    /** @var array<int, Street[]> */
    private array $streets = [];

    public function __construct(private int $width, int $height)
    {
        for ($node = 0; $node < $width * $height; $node++) {
            if ($node % $width < $width - 1) {
                $this->connect($node, $node + 1, 1 + $node * 7 % 5);
            }
            if ($node + $width < $width * $height) {
                $this->connect($node, $node + $width, 1 + $node * 11 % 4);
            }
        }
    }

    private function connect(int $a, int $b, float $minutes): void
    {
        $this->streets[$a][] = new Street($b, $minutes);
        $this->streets[$b][] = new Street($a, $minutes);
    }

    /** @return Street[] */
    public function from(int $node): array
    {
        return $this->streets[$node];
    }
}

final class Navigator
{
    /** @var array<int, array<int, float>> */
    private array $distances = [];

    public function __construct(private City $city)
    {
    }

    public function minutes(int $from, int $to): float
    {
        if (!isset($this->distances[$from])) {
            $this->distances[$from] = $this->explore($from); // guilty
        }
        return $this->distances[$from][$to];
    }

    /** @return array<int, float> */
    private function explore(int $from): array
    {
        $best = [$from => 0.0];
        $queue = new SplPriorityQueue();
        $queue->insert([$from, 0.0], 0);
        while (!$queue->isEmpty()) {
            [$node, $minutes] = $queue->extract();
            if ($minutes > $best[$node]) {
                continue;
            }
            foreach ($this->city->from($node) as $street) {
                $then = $minutes + $street->minutes;
                if (!isset($best[$street->to]) || $then < $best[$street->to]) {
                    $best[$street->to] = $then;
                    $queue->insert([$street->to, $then], -$then);
                }
            }
        }
        return $best;
    }

    public function known(): int
    {
        return count($this->distances);
    }
}

final class Tour
{
    /** @var int[] */
    public array $stops = [];
    public float $minutes = 0;
}

final class Dispatcher
{
    private array $recent = [];

    public function __construct(private Navigator $navigator)
    {
    }

    /** @param int[] $stops */
    public function plan(int $start, array $stops): Tour
    {
        $tour = new Tour();
        $at = $start;
        while ($stops !== []) {
            usort($stops, fn (int $a, int $b): int => $this->navigator->minutes($at, $a) <=> $this->navigator->minutes($at, $b));
            $next = array_shift($stops);
            $tour->minutes += $this->navigator->minutes($at, $next);
            $tour->stops[] = $at = $next;
        }
        $this->remember($tour);
        return $tour;
    }

    private function remember(Tour $tour): void
    {
        $this->recent[] = $tour;
        if (count($this->recent) > 50) {
            array_shift($this->recent);
        }
    }
}

final class Prices
{
    public function cents(Tour $tour): int
    {
        return 350 * count($tour->stops) + (int) (18 * $tour->minutes);
    }
}

ini_set('memory_limit', '256M');
mt_srand(5);
$navigator = new Navigator(new City(44, 44));
$dispatcher = new Dispatcher($navigator);
$prices = new Prices();
$earned = 0;
for ($order = 0; $order < 70; $order++) {
    $stops = array_map(static fn (): int => mt_rand(0, 1935), range(1, 3 + $order % 4));
    $earned += $prices->cents($dispatcher->plan(mt_rand(0, 1935), $stops));
}
echo $earned, ' cents, ', $navigator->known(), " places known\n";
