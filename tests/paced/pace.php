<?php
// As pace.h, for programs in PHP.
$pace = ['begin' => microtime(true) + (float) getenv('PACE_HEALTHY_S'), 'calls' => 0, 'answers' => []];

function answer_requests()
{
    global $pace;
    for ($number = 0; $number < 20; $number++) {
        $pace['answers'][] = str_repeat('a', 500 + $number * 200);
    }
    if (count($pace['answers']) > 4000) {
        $pace['answers'] = array_slice($pace['answers'], -2000);
    }
}

function served()
{
    global $pace;
    while (($now = microtime(true)) < $pace['begin'] + (float) getenv('PACE_LEAKING_S')) {
        if ($now > $pace['begin'] && $pace['calls'] < ($now - $pace['begin']) * (float) getenv('PACE_RATE')) {
            if ($pace['calls'] === 0) {
                file_put_contents('onset', "$now\n");
            }
            return ++$pace['calls'];
        }
        answer_requests();
        usleep(10000);
    }
    return 0;
}
