<?php
// Takes bookings of a hotel: rooms, rates by season, availability by night, cancellations, and bills.
declare(strict_types=1);

final class Chance
{
    public function __construct(private int $state)
    {
    }

    public function below(int $n): int
    {
        $this->state = ($this->state * 1103515245 + 12345) & 0x7fffffff;
        return ($this->state >> 8) % $n;
    }
}

final class Room
{
    public function __construct(public readonly int $number, public readonly string $kind, public readonly int $beds)
    {
    }
}

final class Booking
{
    public string $status = 'open';

    public function __construct(
        public readonly int $number, public readonly string $guest, public readonly string $mail,
        public readonly int $arrival, public readonly int $length, public readonly array $nights,
    ) {
    }
}

final class Rates
{
    private const BASE = ['single' => 6900, 'double' => 9900, 'suite' => 17900];

    public function night(Room $room, int $day): array
    {
        $season = 1 + 0.35 * sin(2 * M_PI * ($day - 80) / 365);
        $weekend = $day % 7 >= 5 ? 1.15 : 1.0;
        $cents = (int) (self::BASE[$room->kind] * $season * $weekend);
        return ['day' => $day, 'room' => $room->number, 'cents' => $cents, 'text' => sprintf('night of day %d, room %d (%s)', $day, $room->number, $room->kind)];
    }
}

final class Calendar
{
    /** @var array<int, array<int, int>> room and day to the number of the booking */
    private array $taken = [];

    public function free(Room $room, int $from, int $length): bool
    {
        for ($day = $from; $day < $from + $length; $day++) {
            if (isset($this->taken[$room->number][$day])) {
                return false;
            }
        }
        return true;
    }

    public function take(Room $room, Booking $booking): void
    {
        for ($day = $booking->arrival; $day < $booking->arrival + $booking->length; $day++) {
            $this->taken[$room->number][$day] = $booking->number;
        }
    }

    public function release(int $room, Booking $booking): void
    {
        for ($day = $booking->arrival; $day < $booking->arrival + $booking->length; $day++) {
            unset($this->taken[$room][$day]);
        }
    }

    public function forget(int $day): void
    {
        foreach ($this->taken as &$days) {
            unset($days[$day - 1]);
        }
    }
}

final class Book
{
    /** @var Booking[] */
    private array $bookings = [];
    private int $next = 1;

    public function open(string $guest, string $mail, int $arrival, array $nights): Booking
    {
        $booking = new Booking($this->next++, $guest, $mail, $arrival, count($nights), $nights);
        $this->bookings[$booking->number] = $booking; // guilty
        return $booking;
    }

    public function find(int $number): ?Booking
    {
        return $this->bookings[$number] ?? null;
    }

    public function arrivals(int $day): array
    {
        $found = [];
        for ($number = max(1, $this->next - 1500); $number < $this->next; $number++) {
            $booking = $this->bookings[$number];
            if ($booking->arrival === $day && $booking->status === 'open') {
                $found[] = $booking;
            }
        }
        return $found;
    }
}

final class Hotel
{
    /** @var Room[] */
    private array $rooms = [];
    private Calendar $calendar;
    private Book $book;
    private Rates $rates;
    private int $turnedAway = 0;
    private int $cancelled = 0;
    private int $cents = 0;
    private int $letters = 0;

    public function __construct(int $rooms)
    {
        for ($i = 0; $i < $rooms; $i++) {
            $this->rooms[] = new Room(100 + $i, ['single', 'double', 'double', 'suite'][$i % 4], [1, 2, 2, 4][$i % 4]);
        }
        $this->calendar = new Calendar();
        $this->book = new Book();
        $this->rates = new Rates();
    }

    public function request(string $guest, string $mail, int $arrival, int $length, int $persons): ?Booking
    {
        foreach ($this->rooms as $room) {
            if ($room->beds < $persons || !$this->calendar->free($room, $arrival, $length)) {
                continue;
            }
            $nights = [];
            for ($day = $arrival; $day < $arrival + $length; $day++) {
                $nights[] = $this->rates->night($room, $day);
            }
            $booking = $this->book->open($guest, $mail, $arrival, $nights);
            $this->calendar->take($room, $booking);
            return $booking;
        }
        $this->turnedAway++;
        return null;
    }

    public function cancel(int $number): void
    {
        $booking = $this->book->find($number);
        if ($booking?->status === 'open') {
            $booking->status = 'cancelled';
            $this->calendar->release($booking->nights[0]['room'], $booking);
            $this->cancelled++;
        }
    }

    public function morning(int $day): void
    {
        foreach ($this->book->arrivals($day) as $booking) {
            $booking->status = 'stayed';
            $this->cents += array_sum(array_column($booking->nights, 'cents'));
            $lines = array_map(fn (array $night) => $night['text'] . ' ' . number_format($night['cents'] / 100, 2), $booking->nights);
            $this->letters += strlen($booking->guest . "\n" . implode("\n", $lines));
        }
        $this->calendar->forget($day);
    }

    public function report(): void
    {
        printf("%d euros, %d bytes of bills, %d cancelled, %d turned away\n", intdiv($this->cents, 100), $this->letters, $this->cancelled, $this->turnedAway);
    }
}

$chance = new Chance(71);
$hotel = new Hotel(170);
$last = 0;
for ($day = 0; $day < 330; $day++) {
    $hotel->morning($day);
    for ($i = 0; $i < 60; $i++) {
        $name = ['Moreau', 'Keller', 'Silva', 'Novak'][$chance->below(4)] . ' ' . $chance->below(9000);
        $mail = strtolower(strtr($name, ' ', '.')) . '@example.org';
        $booking = $hotel->request($name, $mail, $day + 1 + $chance->below(20), 1 + $chance->below(6), 1 + $chance->below(3));
        $last = $booking?->number ?? $last;
        if ($chance->below(9) === 0) {
            $hotel->cancel($last - $chance->below(40));
        }
    }
}
$hotel->report();
