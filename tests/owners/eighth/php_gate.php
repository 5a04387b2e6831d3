<?php

declare(strict_types=1);

// Says who may see which document, by rules that are asked one after the other, for the list of documents of each user.

namespace Access;

final class User
{
    public function __construct(public readonly int $id, public readonly array $groups, public readonly int $level)
    {
    }
}

final class Document
{
    public string $body;

    public function __construct(
        public readonly int $id,
        public readonly int $owner,
        public readonly string $group,
        public readonly int $level,
    ) {
        $this->body = str_repeat("Paragraph of document $id. ", 40);
    }

    public function title(): string
    {
        return 'Document ' . $this->id . ': ' . substr($this->body, 0, 20);
    }
}

final class Decision
{
    public function __construct(public readonly bool $allowed, public readonly array $reasons)
    {
    }
}

interface Rule
{
    public function votes(User $user, Document $document): ?bool;

    public function name(): string;
}

trait Named
{
    public function name(): string
    {
        return strtolower(substr(strrchr(static::class, '\\') ?: static::class, 1));
    }
}

final class OwnerMay implements Rule
{
    use Named;

    public function votes(User $user, Document $document): ?bool
    {
        return $user->id === $document->owner ? true : null;
    }
}

final class GroupMay implements Rule
{
    use Named;

    public function votes(User $user, Document $document): ?bool
    {
        return in_array($document->group, $user->groups, true) ? true : null;
    }
}

final class LevelForbids implements Rule
{
    use Named;

    public function votes(User $user, Document $document): ?bool
    {
        return $user->level < $document->level ? false : null;
    }
}

final class Gate
{
    /** @var array<string, Decision> */
    private static array $decided = [];
    private static int $asked = 0;

    /** @param Rule[] $rules */
    public function __construct(private array $rules)
    {
    }

    public function allows(User $user, Document $document): bool
    {
        self::$asked++;
        return $this->decide($user, $document)->allowed;
    }

    public function why(User $user, Document $document): array
    {
        return $this->decide($user, $document)->reasons;
    }

    public static function asked(): int
    {
        return self::$asked;
    }

    private function decide(User $user, Document $document): Decision
    {
        $key = "$user->id:$document->id";
        if (isset(self::$decided[$key])) {
            return self::$decided[$key];
        }
        $allowed = false;
        $reasons = [];
        foreach ($this->rules as $rule) {
            $vote = $rule->votes($user, $document);
            $reasons[] = $rule->name() . ' for user ' . $user->id . ': ' . var_export($vote, true); // guilty
            $allowed = $vote ?? $allowed;
        }
        return self::$decided[$key] = new Decision($allowed, $reasons);
    }
}

final class Library
{
    /** @var Document[] */
    private array $documents = [];

    public function load(int $count): void
    {
        $groups = ['sales', 'stock', 'staff', 'legal', 'press'];
        for ($id = 1; $id <= $count; $id++) {
            $this->documents[$id] = new Document($id, $id % 997, $groups[$id % 5], $id % 4);
        }
    }

    public function recent(int $day, int $count): iterable
    {
        for ($i = 0; $i < $count; $i++) {
            yield $this->documents[($day * 131 + $i * 17) % count($this->documents) + 1];
        }
    }
}

function listFor(User $user, Gate $gate, Library $library, int $day): array
{
    $titles = [];
    foreach ($library->recent($day, 40) as $document) {
        if ($gate->allows($user, $document)) {
            $titles[] = $document->title();
        }
    }
    return $titles;
}

function serve(Gate $gate, Library $library, int $requests): int
{
    $shown = 0;
    for ($request = 0; $request < $requests; $request++) {
        $user = new User($request % 1500, $request % 3 ? ['sales', 'press'] : ['legal'], $request % 5);
        $shown += count(listFor($user, $gate, $library, intdiv($request, 500)));
    }
    return $shown;
}

ini_set('memory_limit', '256M');
$library = new Library();
$library->load(4000);
$gate = new Gate([new GroupMay(), new LevelForbids(), new OwnerMay()]);
echo serve($gate, $library, 2300), ' shown, ', Gate::asked(), " asked\n";
