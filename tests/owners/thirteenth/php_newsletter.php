<?php
// Sends the newsletter of a museum: subscribers, sections by interest, a merge of texts, batches to the mail server, bounces.
declare(strict_types=1);

namespace Museum;

final class Subscriber
{
    public int $bounces = 0;

    public function __construct(public readonly string $mail, public readonly string $name, public readonly array $interests)
    {
    }
}

final class Issue
{
    /** @param array<string, string> $sections */
    public function __construct(public readonly int $number, public readonly string $title, public readonly array $sections)
    {
    }
}

final class Editor
{
    private const WORDS = ['exhibition', 'opens', 'guided', 'tour', 'ancient', 'glass', 'on', 'sunday', 'children', 'free', 'with', 'curator', 'new', 'hall', 'the', 'of'];
    private int $seed = 19;

    public function below(int $n): int
    {
        $this->seed = ($this->seed * 69069 + 1) & 0xffffffff;
        return ($this->seed >> 10) % $n;
    }

    public function issue(int $number): Issue
    {
        $sections = [];
        foreach (['painting', 'sculpture', 'archaeology', 'photography', 'families'] as $interest) {
            $text = '';
            for ($i = 0; $i < 35; $i++) {
                $text .= self::WORDS[$this->below(count(self::WORDS))] . ($i % 9 === 8 ? ".\n" : ' ');
            }
            $sections[$interest] = ucfirst($text);
        }
        return new Issue($number, "News from the museum, no. $number", $sections);
    }
}

final class Letter
{
    public string $state = 'new';

    public function __construct(public readonly string $to, public readonly string $subject, public readonly string $body)
    {
    }
}

final class Composer
{
    private const TEMPLATE = "Dear {name},\n\n{sections}\nYour museum\n\nYou get this letter as {mail}.\n";

    public function compose(Issue $issue, Subscriber $subscriber): Letter
    {
        $sections = '';
        foreach ($subscriber->interests as $interest) {
            $sections .= strtoupper($interest) . "\n" . $issue->sections[$interest] . "\n";
        }
        $body = strtr(self::TEMPLATE, ['{name}' => $subscriber->name, '{sections}' => $sections, '{mail}' => $subscriber->mail]);
        return new Letter($subscriber->mail, $issue->title, wordwrap($body, 72));
    }
}

final class MailServer
{
    private int $accepted = 0;
    private int $bytes = 0;

    public function send(Letter $letter): bool
    {
        if (crc32($letter->to . $letter->subject) % 37 === 0) {
            return false;
        }
        $this->accepted++;
        $this->bytes += strlen($letter->body);
        return true;
    }

    public function summary(): string
    {
        return "$this->accepted letters of $this->bytes bytes";
    }
}

final class Outbox
{
    /** @var Letter[] */
    private array $letters = [];
    private int $next = 0;
    private array $failed = [];

    public function add(Letter $letter): void
    {
        $this->letters[] = $letter; // guilty
    }

    public function flush(MailServer $server, int $most): int
    {
        $sent = 0;
        for (; $this->next < count($this->letters) && $sent < $most; $this->next++, $sent++) {
            $letter = $this->letters[$this->next];
            $letter->state = $server->send($letter) ? 'sent' : 'bounced';
            if ($letter->state === 'bounced') {
                $this->failed[$letter->to] = ($this->failed[$letter->to] ?? 0) + 1;
            }
        }
        return $sent;
    }

    public function waiting(): int
    {
        return count($this->letters) - $this->next;
    }

    public function failures(): array
    {
        $failed = $this->failed;
        $this->failed = [];
        return $failed;
    }
}

final class Subscribers
{
    /** @var array<string, Subscriber> */
    private array $byMail = [];
    private int $removed = 0;

    public function subscribe(Subscriber $subscriber): void
    {
        $this->byMail[$subscriber->mail] = $subscriber;
    }

    public function bounced(array $failures): void
    {
        foreach ($failures as $mail => $times) {
            $this->byMail[$mail]->bounces += $times;
            if ($this->byMail[$mail]->bounces >= 3) {
                unset($this->byMail[$mail]);
                $this->removed++;
            }
        }
    }

    public function each(): iterable
    {
        yield from $this->byMail;
    }

    public function count(): string
    {
        return count($this->byMail) . " subscribers, $this->removed removed";
    }
}

function import(Editor $editor, int $count): Subscribers
{
    $subscribers = new Subscribers();
    $all = ['painting', 'sculpture', 'archaeology', 'photography', 'families'];
    for ($i = 0; $i < $count; $i++) {
        $interests = array_values(array_filter($all, fn (string $interest) => $editor->below(2) === 0)) ?: ['families'];
        $name = ['Mrs.', 'Mr.', 'Dr.'][$i % 3] . ' ' . ['Aalto', 'Brandt', 'Costa', 'Dubois'][$editor->below(4)];
        $subscribers->subscribe(new Subscriber("reader$i@example.net", $name, $interests));
    }
    return $subscribers;
}

$editor = new Editor();
$subscribers = import($editor, 1100);
$composer = new Composer();
$server = new MailServer();
$outbox = new Outbox();
for ($number = 1; $number <= 36; $number++) {
    $issue = $editor->issue($number);
    foreach ($subscribers->each() as $subscriber) {
        $outbox->add($composer->compose($issue, $subscriber));
        if ($outbox->waiting() >= 50) {
            $outbox->flush($server, 50);
        }
    }
    while ($outbox->flush($server, 50) > 0);
    $subscribers->bounced($outbox->failures());
}
echo $server->summary(), ', ', $subscribers->count(), "\n";
