<?php
class Entity { public array $data = []; public bool $dirty = false; }
class Mapper {
    public function hydrate(array $row): Entity { $e = new Entity(); foreach ($row as $k => $v) { $e->data[$k] = $v . ' (from the base)'; } return $e; }
}
class UnitOfWork {
    private array $identity = [];
    private Mapper $mapper;
    public function __construct() { $this->mapper = new Mapper(); }
    public function find(int $id): Entity {
        return $this->identity[$id] ??= $this->load($id); // guilty
    }
    private function load(int $id): Entity { return $this->mapper->hydrate(['id' => $id, 'name' => "person $id", 'street' => "street $id", 'town' => 'town']); }
    public function preview(int $id): string { return $this->load($id)->data['name']; }
}
function report(UnitOfWork $u, int $from): int { $n = 0; for ($i = $from; $i < $from + 100; $i++) { $n += count($u->find($i)->data); $n += strlen($u->preview($i)); } return $n; }
$u = new UnitOfWork();
$n = 0;
for ($page = 0; $page < 500; $page++) { $n += report($u, $page * 80); }
echo $n, "\n";
