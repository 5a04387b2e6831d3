<?php
// An encyclopaedia of plants: articles in a simple markup, terms that become links, and summaries for lists.
declare(strict_types=1);

namespace Flora;

class Terms
{
    private array $terms = [];

    public function __construct(int $n)
    {
        $stems = ['petal', 'stamen', 'rhizome', 'bract', 'sepal', 'tuber', 'node', 'umbel'];
        for ($i = 0; $i < $n; $i++) {
            $this->terms[$stems[$i % 8] . ($i >= 8 ? '-' . intdiv($i, 8) : '')] = '/term/' . $i;
        }
    }

    public function find(string $word): ?string
    {
        return $this->terms[rtrim(strtolower($word), '.,s')] ?? null;
    }

    public function names(): array
    {
        return array_keys($this->terms);
    }
}

class Node
{
    public array $children = [];

    public function __construct(public string $kind, public string $text = '', public ?string $target = null)
    {
    }

    public function html(): string
    {
        $inner = htmlspecialchars($this->text);
        foreach ($this->children as $child) {
            $inner .= $child->html();
        }
        return match ($this->kind) {
            'paragraph' => "<p>$inner</p>\n",
            'heading' => "<h2>$inner</h2>\n",
            'link' => "<a href=\"{$this->target}\">$inner</a>",
            'strong' => "<b>$inner</b>",
            default => $inner,
        };
    }
}

class MarkupParser
{
    public int $links = 0;

    public function __construct(private Terms $terms)
    {
    }

    public function parse(string $source): Node
    {
        $root = new Node('article');
        foreach (explode("\n\n", $source) as $block) {
            if (str_starts_with($block, '= ')) {
                $root->children[] = new Node('heading', substr($block, 2));
                continue;
            }
            $paragraph = new Node('paragraph');
            $plain = '';
            foreach (explode(' ', $block) as $word) {
                $target = $this->terms->find($word);
                if ($target === null && !str_starts_with($word, '*')) {
                    $plain .= $word . ' ';
                    continue;
                }
                $paragraph->children[] = new Node('text', $plain);
                $paragraph->children[] = $target === null ? new Node('strong', trim($word, '*')) : new Node('link', $word, $target);
                $this->links += $target === null ? 0 : 1;
                $plain = ' ';
            }
            $paragraph->children[] = new Node('text', $plain);
            $root->children[] = $paragraph;
        }
        return $root;
    }
}

class Articles
{
    private array $trees = [];
    private array $sources = [];
    public int $parsed = 0;

    public function __construct(private MarkupParser $parser)
    {
    }

    public function save(int $number, string $source): void
    {
        $this->sources[$number % 100] = $source;
    }

    public function tree(int $number): Node
    {
        $source = $this->sources[$number % 100];
        $key = sha1($source);
        if (!isset($this->trees[$key])) {
            $this->parsed++;
            $this->trees[$key] = $this->parser->parse($source); // guilty
        }
        return $this->trees[$key];
    }
}

class Site
{
    private array $pages = [];
    public int $bytes = 0;

    public function __construct(private Articles $articles)
    {
    }

    public function show(int $number): void
    {
        $html = $this->articles->tree($number)->html();
        $this->bytes += strlen($html);
        $this->pages[$number % 50] = $html;
    }

    public function summary(int $number): string
    {
        $first = $this->articles->tree($number)->children[1] ?? new Node('paragraph');
        return substr(strip_tags($first->html()), 0, 80);
    }
}

class Author
{
    private int $seed = 12;

    public function __construct(private array $terms)
    {
    }

    private function below(int $n): int
    {
        $this->seed = ($this->seed * 69069 + 5) & 0x7fffffff;
        return ($this->seed >> 10) % $n;
    }

    public function write(int $number): string
    {
        $words = ['the', 'flower', 'in', 'shade', 'has', 'five', 'often', '*rare*', 'yellow', 'and', 'grows'];
        $blocks = ["= Species $number"];
        for ($p = 0, $n = 3 + $this->below(4); $p < $n; $p++) {
            $text = [];
            for ($i = 0, $m = 40 + $this->below(40); $i < $m; $i++) {
                $text[] = $this->below(5) === 0 ? $this->terms[$this->below(count($this->terms))] : $words[$this->below(11)];
            }
            $blocks[] = implode(' ', $text) . '.';
        }
        return implode("\n\n", $blocks);
    }
}

$terms = new Terms(120);
$parser = new MarkupParser($terms);
$articles = new Articles($parser);
$site = new Site($articles);
$author = new Author($terms->names());
$letters = 0;
for ($edit = 0; $edit < 2300; $edit++) {
    $articles->save($edit * 7, $author->write($edit % 400));
    $site->show($edit * 7);
    $letters += strlen($site->summary($edit * 7));
}
printf("%d parsed, %d links, %d bytes sent, %d letters\n", $articles->parsed, $parser->links, $site->bytes, $letters);
