<?php
declare(strict_types=1);
final class Request { public function __construct(public string $path, public array $body) {} }
interface Middleware { public function handle(Request $r, callable $next): string; }
final class Timing implements Middleware {
    private float $sum = 0;
    public function handle(Request $r, callable $next): string { $t = hrtime(true); $out = $next($r); $this->sum += hrtime(true) - $t; return $out; }
}
final class Profiler implements Middleware {
    private array $requests = [];
    public function handle(Request $r, callable $next): string {
        $out = $next($r);
        $this->requests[] = [$r, strlen($out)]; // guilty
        return $out;
    }
    public function slowest(): int { return max(array_column($this->requests, 1)); }
}
final class App {
    private array $stack = [];
    public function add(Middleware $m): self { $this->stack[] = $m; return $this; }
    public function run(Request $r): string {
        $core = fn(Request $r): string => 'hello ' . implode(',', $r->body);
        foreach (array_reverse($this->stack) as $m) { $next = $core; $core = fn(Request $r): string => $m->handle($r, $next); }
        return $core($r);
    }
}
function incoming(int $n): Request { $body = []; for ($i = 0; $i < 20; $i++) { $body["field$i"] = "value $i of $n"; } return new Request("/page/$n", $body); }
$app = (new App())->add(new Timing())->add($profiler = new Profiler());
$bytes = 0;
for ($n = 0; $n < 20000; $n++) { $bytes += strlen($app->run(incoming($n))); }
echo $bytes, ' ', $profiler->slowest(), "\n";
