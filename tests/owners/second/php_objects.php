<?php
// Objects of an application that a static list keeps.
class Event
{
    public array $fields = [];
    public function __construct(public int $number)
    {
        for ($i = 0; $i < 20; $i++)
            $this->fields["field$i"] = "value $i of $number";
    }
}

class Log
{
    private static array $events = [];
    public static function add(int $number): void
    {
        self::$events[] = new Event($number); // guilty
    }
}

function settings(): array
{
    return range(1, 1000);
}

ini_set('memory_limit', '-1');
$settings = settings();
for ($i = 0; $i < 20000; $i++)
    Log::add($i);
posix_kill(getmypid(), 9);
