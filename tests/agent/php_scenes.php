<?php
// Allocates at known stacks of PHP, and prints what debug_backtrace says of each: one JSON list a line, of the size of the
// block and the frames as [function, file, line], innermost first. Usage: php_scenes.php FOLDER [SCENE...]
// For sizes that malloc sees: USE_ZEND_ALLOC=0; "mapped" is for PHP's own allocator.

namespace {

$kept = [];
$told = [];
$size = 200000;

/** What debug_backtrace says; $line is that of the function that asks, which is the trace's first. */
function frames_of(array $trace, string $file, int $line): array
{
    $frames = [];
    foreach ($trace as $call) {
        $name = in_array($call['function'], ['include', 'require', 'eval']) ? '<main>' : $call['function'];
        $class = explode("\0", $call['class'] ?? '')[0];
        if ($line) {
            $frames[] = [$class ? "$class::$name" : $name, $file, $line];
        }
        [$file, $line] = [$call['file'] ?? '', $call['line'] ?? 0]; // none: a native function called it
    }
    if ($line) {
        $frames[] = ['<main>', $file, $line];
    }
    return $frames;
}

function both()
{
    global $kept, $told, $size;
    $size += 8;
    $kept[] = str_repeat('x', $size - 32); $told[] = [$size, frames_of(debug_backtrace(), __FILE__, __LINE__)];
}

function recurse(int $depth)
{
    $depth ? recurse($depth - 1) : both();
}

function plain_calls()
{
    both();
    foreach ([1, 7, 90, 700] as $depth) {
        recurse($depth);
    }
    (function () {
        both();
    })();
    (fn() => both())();
    $called = both(...);
    $called();
    call_user_func('both');
    call_user_func_array('recurse', [3]);
}

trait Loud
{
    public function shout()
    {
        both();
    }
}

class Thing implements IteratorAggregate, JsonSerializable, ArrayAccess, Countable
{
    use Loud;

    public function __construct()
    {
        both();
    }

    public function __destruct()
    {
        both();
    }

    public function __get($name)
    {
        both();
        return 1;
    }

    public function __toString()
    {
        both();
        return 'thing';
    }

    public function __invoke()
    {
        both();
    }

    public static function make()
    {
        both();
        return new static();
    }

    public function getIterator(): Iterator
    {
        both();
        return new ArrayIterator([1, 2]);
    }

    public function jsonSerialize(): mixed
    {
        both();
        return [];
    }

    public function offsetExists($offset): bool
    {
        both();
        return true;
    }

    public function offsetGet($offset): mixed
    {
        both();
        return 1;
    }

    public function offsetSet($offset, $value): void
    {
        both();
    }

    public function offsetUnset($offset): void
    {
        both();
    }

    public function count(): int
    {
        both();
        return 1;
    }
}

class Derived extends Thing
{
    public function __construct()
    {
        parent::__construct();
    }
}

function objects()
{
    $thing = Thing::make();
    $derived = Derived::make();
    $thing->shout();
    $thing->anything;
    "$thing";
    $thing();
    foreach ($thing as $n) {
        both();
    }
    json_encode($thing);
    $thing['a'];
    $thing['a'] = 1;
    isset($thing['a']);
    unset($thing['a']);
    count($thing);
    $anonymous = new class extends Thing {
        public function own()
        {
            both();
        }
    };
    $anonymous->own();
    unset($thing, $derived);
    both();
}

function native_code()
{
    array_map(function ($n) {
        both();
    }, [1, 2]);
    $numbers = [3, 1, 2];
    usort($numbers, function ($a, $b) {
        both();
        return $a - $b;
    });
    preg_replace_callback('/a/', fn($m) => both() ?? 'b', 'aa');
    array_reduce([1, 2], fn($a, $b) => array_map(fn($n) => both(), [1]));
    array_walk($numbers, ['Thing', 'make']);
    iterator_to_array(new CallbackFilterIterator(new ArrayIterator([1, 2]), function () {
        both();
        return true;
    }));
    spl_autoload_register($load = function ($class) {
        both();
    });
    class_exists('Missing');
    spl_autoload_unregister($load);
    ob_start(function ($text) {
        both();
        return '';
    });
    ob_end_clean();
    (new ReflectionFunction('both'))->invoke();
}

function counting(int $limit)
{
    for ($i = 0; $i < $limit; $i++) {
        both();
        yield $i;
    }
    both();
}

function generators()
{
    foreach (counting(3) as $n) {
        both();
    }
    $one = counting(2);
    $one->current();
    $one->next();
    array_map(null, iterator_to_array(counting(2)));
}

function raising(int $depth)
{
    try {
        if ($depth) {
            raising($depth - 1);
        }
        throw new Exception('x');
    } catch (Exception $e) {
        both();
        if ($depth > 2) {
            throw $e;
        }
    } finally {
        both();
    }
}

function holding()
{
    $thing = new Thing(); // its destructor runs while the exception leaves
    throw new Exception('x');
}

function exceptions()
{
    try {
        raising(5);
    } catch (Exception $e) {
        both();
    }
    try {
        holding();
    } catch (Exception $e) {
        both();
    }
}

/** Warnings come from parts of the executor that lie elsewhere. */
function errors()
{
    set_error_handler(function () {
        both();
        return true;
    });
    $a = $missing + 1;
    $b = [];
    $b['none'];
    $c = "$missing";
    $d = (string) [];
    trigger_error('x');
    restore_error_handler();
    both();
}

function code()
{
    global $argv;
    file_put_contents("$argv[1]/included.php", "<?php\nboth();\nreturn function () {\n    both();\n};\n");
    $made = include "$argv[1]/included.php";
    $made();
    eval("\nboth();\nfunction evaluated() { both(); }");
    evaluated();
    foreach (range(1, 100) as $n) { // code that dies, and other code in its place
        $names[] = eval(str_repeat("\n", $n % 7) . "return function () { both(); };");
        end($names)();
        if ($n % 3) {
            array_pop($names);
        }
    }
}

function words()
{
    größe();
    \Été\Ici\here();
    (new \Été\Ici\Maison())->entrer();
}

function größe()
{
    both();
}

function fibers()
{
    $fiber = new Fiber(function () {
        both();
        Fiber::suspend(1);
        recurse(3);
    });
    $fiber->start();
    both();
    $fiber->resume();
    both();
}

/** A piece that PHP maps for it alone. */
function mapped()
{
    global $kept, $told;
    $bytes = 6 << 20;
    $kept[] = str_repeat('x', $bytes - 4096); $told[] = [$bytes, frames_of(debug_backtrace(), __FILE__, __LINE__)];
}

$scenes = array_slice($argv, 2) ?: ['plain_calls', 'objects', 'native_code', 'generators', 'exceptions', 'errors', 'code', 'words'];
foreach ($scenes as $scene) {
    $scene();
}
foreach ($told as $one) {
    echo json_encode($one), "\n";
}
posix_kill(getmypid(), SIGKILL);

}

namespace Été\Ici {

function here()
{
    \both();
    (fn() => \both())();
}

class Maison
{
    public function entrer()
    {
        here();
    }
}

}
