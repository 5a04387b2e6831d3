<?php
// Reads the hours of a company from its terminals, applies the rules of the tariff, and writes pay slips.
declare(strict_types=1);

final class Dice
{
    public function __construct(private int $seed)
    {
    }

    public function below(int $n): int
    {
        $this->seed = ($this->seed * 1103515245 + 12345) & 0x7fffffff;
        return ($this->seed >> 12) % $n;
    }
}

final class Shift
{
    public string $remark = '';

    public function __construct(public int $person, public string $day, public int $from, public int $to, public int $break)
    {
    }

    public function minutes(): int
    {
        return $this->to - $this->from - $this->break;
    }
}

final class Terminal
{
    public function __construct(private Dice $dice)
    {
    }

    /** The stamps of one day, as lines of text. */
    public function export(DateTimeImmutable $day, int $people): string
    {
        $lines = [];
        for ($person = 1; $person <= $people; $person++) {
            if ($this->dice->below(9) === 0) {
                continue;
            }
            $from = 6 * 60 + $this->dice->below(240);
            $to = $from + 300 + $this->dice->below(320);
            $lines[] = implode(';', [$person, $day->format('Y-m-d'), $from, $to, 30 + $this->dice->below(4) * 5]);
        }
        return implode("\n", $lines);
    }
}

final class Tariff
{
    private array $rates = ['basic' => 1850, 'late' => 2100, 'sunday' => 2800];

    public function cents(Shift $shift): int
    {
        $kind = 'basic';
        if ($shift->to > 18 * 60) {
            $kind = 'late';
        }
        if (date('N', strtotime($shift->day)) === '7') {
            $kind = 'sunday';
        }
        return intdiv($this->rates[$kind] * $shift->minutes(), 60);
    }
}

final class Accounts
{
    private array $balance = [];
    private array $shifts = [];
    public int $booked = 0;

    public function book(Shift $shift, int $cents): void
    {
        $this->balance[$shift->person] = ($this->balance[$shift->person] ?? 0) + $cents;
        $shift->remark = sprintf('%d.%02d on %s', intdiv($cents, 100), $cents % 100, $shift->day);
        $this->shifts[$shift->person][] = $shift; // guilty
        $this->booked++;
    }

    public function settle(int $person): int
    {
        $due = $this->balance[$person] ?? 0;
        $this->balance[$person] = 0;
        return $due;
    }

    /** The shifts that a slip shows. */
    public function latest(int $person, int $n): array
    {
        return array_slice($this->shifts[$person] ?? [], -$n);
    }
}

final class Payroll
{
    private array $slips = [];
    public int $paid = 0;

    public function __construct(private Accounts $accounts, private Tariff $tariff)
    {
    }

    public function import(string $text): int
    {
        $long = 0;
        foreach (explode("\n", $text) as $line) {
            $fields = array_map('trim', explode(';', $line));
            if (count($fields) !== 5) {
                continue;
            }
            $shift = new Shift((int) $fields[0], $fields[1], (int) $fields[2], (int) $fields[3], (int) $fields[4]);
            if ($shift->minutes() > 570) {
                $long++;
            }
            $this->accounts->book($shift, $this->tariff->cents($shift));
        }
        return $long;
    }

    public function pay(int $people): void
    {
        $this->slips = [];
        for ($person = 1; $person <= $people; $person++) {
            $due = $this->accounts->settle($person);
            $rows = [];
            foreach ($this->accounts->latest($person, 20) as $shift) {
                $rows[] = $shift->remark;
            }
            $this->slips[$person] = implode("\n", $rows) . "\ntotal " . $due;
            $this->paid += $due;
        }
    }

    public function letters(): int
    {
        return array_sum(array_map('strlen', $this->slips));
    }
}

$people = 260;
$terminal = new Terminal(new Dice(40));
$accounts = new Accounts();
$payroll = new Payroll($accounts, new Tariff());
$day = new DateTimeImmutable('2025-01-01');
$long = 0;
for ($i = 0; $i < 540; $i++) {
    $long += $payroll->import($terminal->export($day, $people));
    $next = $day->modify('+1 day');
    if ($next->format('m') !== $day->format('m')) {
        $payroll->pay($people);
    }
    $day = $next;
}
printf("%d shifts, %d too long, %d cents paid, %d letters\n", $accounts->booked, $long, $payroll->paid, $payroll->letters());
