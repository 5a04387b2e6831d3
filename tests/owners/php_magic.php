<?php
// Templates with magic: properties are set by __set, pages are made by closures, and all pages stay for a map of the site.

class Template
{
    private array $values = [];

    public function __set(string $name, mixed $value): void
    {
        $this->values[$name] = $value;
    }

    public function render(): string
    {
        $text = '';
        foreach ($this->values as $name => $value) {
            $text .= "<p class=\"$name\">" . str_repeat($value, 12) . '</p>';
        }
        return $text;
    }
}

class Site implements ArrayAccess
{
    private array $pages = [];

    public function offsetExists(mixed $path): bool
    {
        return isset($this->pages[$path]);
    }

    public function offsetGet(mixed $path): mixed
    {
        return $this->pages[$path];
    }

    public function offsetSet(mixed $path, mixed $page): void
    {
        $this->pages[$path] = $page; // guilty
    }

    public function offsetUnset(mixed $path): void
    {
        unset($this->pages[$path]);
    }
}

$site = new Site();
$make = function (int $number): string {
    $template = new Template();
    $template->title = "page $number ";
    $template->body = "text of page $number ";
    return $template->render();
};
$letters = 0;
for ($number = 0; $number < 70000; $number++) {
    $site["/page/$number"] = $make($number);
    $letters += strlen($site["/page/$number"]);
}
echo "$letters letters\n";
