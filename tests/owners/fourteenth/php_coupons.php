<?php
// Applies coupons to baskets of a shop: rules from a small language, a parser by precedence, compiled closures, and discounts by campaign.
declare(strict_types=1);

const FIELDS = ['total', 'items', 'visits', 'hour', 'weight'];

function tokens(string $rule): array
{
    preg_match_all('/\d+|[a-z]+|[<>]=?|[()&|]/', $rule, $found);
    return $found[0];
}

/** A rule as a tree: [operator, left, right], or a leaf. */
function parse_or(array &$tokens): array
{
    $left = parse_and($tokens);
    while (($tokens[0] ?? '') === '|') {
        array_shift($tokens);
        $left = ['|', $left, parse_and($tokens)];
    }
    return $left;
}

function parse_and(array &$tokens): array
{
    $left = parse_comparison($tokens);
    while (($tokens[0] ?? '') === '&') {
        array_shift($tokens);
        $left = ['&', $left, parse_comparison($tokens)];
    }
    return $left;
}

function parse_comparison(array &$tokens): array
{
    if ($tokens[0] === '(') {
        array_shift($tokens);
        $inner = parse_or($tokens);
        array_shift($tokens);
        return $inner;
    }
    [$field, $operator, $number] = array_splice($tokens, 0, 3);
    if (!in_array($field, FIELDS, true)) {
        throw new InvalidArgumentException("$field is no field");
    }
    return [$operator, $field, (int) $number];
}

function compile(array $tree): Closure
{
    [$operator, $left, $right] = $tree;
    if ($operator === '&' || $operator === '|') {
        $a = compile($left);
        $b = compile($right);
        return $operator === '&' ? fn (array $basket) => $a($basket) && $b($basket) : fn (array $basket) => $a($basket) || $b($basket);
    }
    return match ($operator) {
        '<' => fn (array $basket) => $basket[$left] < $right,
        '<=' => fn (array $basket) => $basket[$left] <= $right,
        '>' => fn (array $basket) => $basket[$left] > $right,
        '>=' => fn (array $basket) => $basket[$left] >= $right,
    };
}

/** The condition of a coupon as something that can be called. */
function condition(string $rule): Closure
{
    static $compiled = [];
    if (!isset($compiled[$rule])) {
        $tokens = tokens($rule);
        $compiled[$rule] = compile(parse_or($tokens)); // guilty
    }
    return $compiled[$rule];
}

/** Campaigns with a rule that is made for each customer from a pattern. */
function campaigns(): array
{
    $campaigns = [];
    for ($i = 0; $i < 12; $i++) {
        $campaigns["campaign $i"] = ['percent' => 3 + $i, 'used' => 0, 'pattern' => $i % 2
            ? '(total > %1$d & items >= ' . ($i + 1) . ') | (visits > %2$d & hour < ' . (8 + $i) . ')'
            : 'total >= %1$d & (weight < ' . (900 + 100 * $i) . ' | visits < %2$d) & hour > ' . $i];
    }
    return $campaigns;
}

function baskets(int $count): Generator
{
    for ($i = 0; $i < $count; $i++) {
        $items = mt_rand(1, 15);
        yield "customer " . mt_rand(1, 4000) => [
            'total' => $items * mt_rand(200, 4000), 'items' => $items, 'visits' => mt_rand(0, 50), 'hour' => mt_rand(0, 23), 'weight' => $items * mt_rand(50, 900),
        ];
    }
}

function best_coupon(array &$campaigns, array $basket, int $limit, int $loyal): int
{
    $best = null;
    foreach ($campaigns as $name => $campaign) {
        $rule = sprintf($campaign['pattern'], $limit, $loyal);
        if (condition($rule)($basket) && (!$best || $campaign['percent'] > $campaigns[$best]['percent'])) {
            $best = $name;
        }
    }
    if (!$best) {
        return 0;
    }
    $campaigns[$best]['used']++;
    return intdiv($basket['total'] * $campaigns[$best]['percent'], 100);
}

mt_srand(3);
$campaigns = campaigns();
$discount = 0;
$last = [];
foreach (baskets(1000) as $customer => $basket) {
    $limit = 500 * mt_rand(2, 400);
    $cents = best_coupon($campaigns, $basket, $limit, mt_rand(2, 40));
    $discount += $cents;
    $last[] = "$customer saves $cents";
    if (count($last) > 100) {
        array_shift($last);
    }
}
printf("%.2f saved\n", $discount / 100);
foreach (array_filter($campaigns, fn (array $c) => $c['used'] > 100) as $name => $campaign) {
    printf("%s: %d times\n", $name, $campaign['used']);
}
echo end($last), "\n";
