<?php
// Arrays in an array: PHP keeps them in chunks that it maps itself.
$rows = [];

function settings()
{
    return range(1, 1000);
}

function load_row($number)
{
    global $rows;
    $rows[] = [$number, str_repeat('r', 900)]; // guilty
}

$settings = settings();
for ($number = 0; $number < 60000; $number++) {
    load_row($number);
}
exec('kill -9 ' . getmypid());
