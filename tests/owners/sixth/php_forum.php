<?php
// Shows threads of a forum: texts are marked up by filters, which are found by name.
declare(strict_types=1);

namespace Forum;

interface Filter
{
    public function apply(string $text): string;
}

final class Links implements Filter
{
    public function apply(string $text): string
    {
        return preg_replace_callback('~https?://\S+~', static fn (array $m): string => "<a href=\"{$m[0]}\">{$m[0]}</a>", $text);
    }
}

final class Smileys implements Filter
{
    private array $images = [':-)' => '<img src="smile.png">', ':-(' => '<img src="sad.png">'];

    public function apply(string $text): string
    {
        return strtr($text, $this->images);
    }
}

final class Quotes implements Filter
{
    public function apply(string $text): string
    {
        $out = [];
        foreach (explode("\n", $text) as $line) {
            $out[] = str_starts_with($line, '>') ? "<blockquote>$line</blockquote>" : $line;
        }
        return implode("<br>\n", $out);
    }
}

abstract class Repository
{
    protected array $loaded = [];

    abstract protected function load(int $id): array;

    public function find(int $id): array
    {
        if (count($this->loaded) > 300) {
            $this->loaded = [];
        }
        return $this->loaded[$id] ??= $this->load($id);
    }
}

final class Posts extends Repository
{
    protected function load(int $id): array
    {
        $lines = [];
        for ($i = 0; $i < 8; $i++) {
            $lines[] = ($i % 4 === 0 ? '> ' : '') . "Post $id says in line $i that it is so :-) see https://example.org/$id";
        }
        return ['id' => $id, 'author' => $id % 40, 'text' => implode("\n", $lines)];
    }
}

final class Users extends Repository
{
    protected function load(int $id): array
    {
        return ['id' => $id, 'name' => "user$id", 'signature' => str_repeat("-$id-", 10)];
    }
}

final class View
{
    /** @var Filter[] */
    private array $filters;
    private array $fragments = [];

    public function __construct(private Posts $posts, private Users $users, Filter ...$filters)
    {
        $this->filters = $filters;
    }

    private function markedUp(array $post): string
    {
        return array_reduce($this->filters, static fn (string $text, Filter $f): string => $f->apply($text), $post['text']);
    }

    public function fragment(int $id, string $theme): string
    {
        $key = "$theme:$id";
        if (!isset($this->fragments[$key])) {
            $post = $this->posts->find($id);
            $user = $this->users->find($post['author']);
            $this->fragments[$key] = "<div class=\"$theme\"><b>{$user['name']}</b>" . $this->markedUp($post) . $user['signature'] . '</div>'; // guilty
        }
        return $this->fragments[$key];
    }

    public function thread(int $first, int $count, string $theme): string
    {
        $html = '';
        for ($i = 0; $i < $count; $i++) {
            $html .= $this->fragment($first + $i, $theme);
        }
        return $html;
    }

    public function preview(int $id): string
    {
        return substr(strip_tags($this->fragment($id, 'plain')), 0, 80);
    }
}

$view = new View(new Posts(), new Users(), new Links(), new Smileys(), new Quotes());
$bytes = 0;
for ($request = 0; $request < 1500; $request++) {
    $bytes += strlen($view->thread($request * 12, 20, $request % 2 ? 'dark' : 'light'));
    $bytes += strlen($view->preview($request * 12));
}
echo $bytes, " bytes\n";
