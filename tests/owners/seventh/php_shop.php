<?php
// A shop's front: a container makes services once, middlewares wrap the handlers, and events tell of what happened.
declare(strict_types=1);

namespace Shop;

final class Request
{
    private array $attributes = [];

    public function __construct(public readonly string $method, public readonly string $path, public readonly array $query = [])
    {
    }

    public function with(string $name, mixed $value): static
    {
        $other = clone $this;
        $other->attributes[$name] = $value;
        return $other;
    }

    public function attribute(string $name): mixed
    {
        return $this->attributes[$name] ?? null;
    }
}

final class Response
{
    public function __construct(public readonly int $status, public readonly string $body)
    {
    }
}

final class Container
{
    private array $made = [];

    /** @param array<string, callable> $makers */
    public function __construct(private array $makers)
    {
    }

    public function get(string $name): object
    {
        return $this->made[$name] ??= ($this->makers[$name])($this);
    }
}

interface Middleware
{
    public function process(Request $request, callable $next): Response;
}

final class Sessions implements Middleware
{
    private array $open = [];

    public function process(Request $request, callable $next): Response
    {
        $id = $request->query['session'] ?? 0;
        $this->open[$id % 100] = ($this->open[$id % 100] ?? 0) + 1;
        return $next($request->with('session', $id));
    }
}

final class Compression implements Middleware
{
    public function process(Request $request, callable $next): Response
    {
        $response = $next($request);
        return strlen($response->body) > 2000 ? new Response($response->status, gzcompress($response->body, 1)) : $response;
    }
}

final class Events
{
    private array $listeners = [];

    public function on(string $name, callable $listener): void
    {
        $this->listeners[$name][] = $listener;
    }

    public function emit(string $name, mixed ...$details): void
    {
        foreach ($this->listeners[$name] ?? [] as $listener) {
            $listener(...$details);
        }
    }
}

final class Baskets
{
    private array $after = [];

    public function __construct(private Events $events)
    {
    }

    public function add(int $session, int $article): array
    {
        $basket = ['session' => $session, 'lines' => []];
        for ($i = 0; $i < 4 + $article % 3; $i++) {
            $basket['lines'][] = ['article' => $article + $i, 'name' => "Article $article with option $i", 'cents' => 199 * ($i + 1)];
        }
        // The mails are to go out when the process ends, so that nobody waits for them.
        $this->after[] = function () use ($basket): int { // guilty
            return array_sum(array_column($basket['lines'], 'cents'));
        };
        $this->events->emit('added', $session, count($basket['lines']));
        return $basket;
    }

    public function finish(): int
    {
        return array_sum(array_map(static fn (callable $job): int => $job(), $this->after));
    }
}

final class Front
{
    public int $errors = 0;

    /** @param Middleware[] $middlewares */
    public function __construct(private Container $services, private array $middlewares)
    {
    }

    private function dispatch(Request $request): Response
    {
        if (preg_match('~^/basket/add/(\d+)$~', $request->path, $m)) {
            $basket = $this->services->get('baskets')->add((int) $request->attribute('session'), (int) $m[1]);
            return new Response(200, json_encode($basket));
        }
        if (preg_match('~^/article/(\d+)$~', $request->path, $m)) {
            return new Response(200, str_repeat("<p>Article {$m[1]} is good.</p>\n", 90));
        }
        $this->errors++;
        return new Response(404, 'not here');
    }

    public function handle(Request $request): Response
    {
        $next = array_reduce(
            array_reverse($this->middlewares),
            static fn (callable $next, Middleware $m): callable => static fn (Request $r): Response => $m->process($r, $next),
            fn (Request $r): Response => $this->dispatch($r),
        );
        return $next($request);
    }
}

$services = new Container([
    'events' => static fn (): Events => new Events(),
    'baskets' => static fn (Container $c): Baskets => new Baskets($c->get('events')),
]);
$lines = 0;
$services->get('events')->on('added', static function (int $session, int $count) use (&$lines): void {
    $lines += $count;
});
$front = new Front($services, [new Sessions(), new Compression()]);
$bytes = 0;
for ($i = 0; $i < 45000; $i++) {
    $path = match (true) {
        $i % 3 === 0 => "/basket/add/$i",
        $i % 50 === 7 => '/old/page',
        default => '/article/' . $i % 700,
    };
    $bytes += strlen($front->handle(new Request('GET', $path, ['session' => $i * 7 % 4000]))->body);
}
echo "$lines lines, {$front->errors} errors, $bytes bytes, ", $services->get('baskets')->finish(), " cents\n";
