<?php

declare(strict_types=1);

// Copies customers and their orders from one database into another, by a mapper of objects as frameworks have.

namespace Orm;

final class Customer
{
    /** @var Order[] */
    public array $orders = [];

    public function __construct(public int $id, public string $name, public string $city)
    {
    }
}

final class Order
{
    public function __construct(public int $id, public int $customer, public string $article, public int $cents)
    {
    }
}

/** How a class lies in its table. */
final class Metadata
{
    private array $notes = [];

    public function __construct(public readonly string $class, public readonly string $table, public readonly array $columns)
    {
        foreach ($columns as $column) {
            for ($i = 0; $i < 4000; $i++) {
                $this->notes[] = "translation $i of column $column";
            }
        }
    }

    public function values(object $entity): array
    {
        $values = [];
        foreach ($this->columns as $column) {
            $values[$column] = $entity->$column;
        }
        return $values;
    }

    public function hydrate(array $row): object
    {
        $ordered = array_map(fn (string $column) => $row[$column], $this->columns);
        return new $this->class(...$ordered);
    }
}

interface Rows
{
    public function after(int $id, int $count): array;
}

final class CustomerRows implements Rows
{
    public function after(int $id, int $count): array
    {
        $rows = [];
        for ($i = $id + 1; $i <= $id + $count; $i++) {
            $rows[] = ['id' => $i, 'name' => "Customer number $i", 'city' => 'City ' . $i % 300];
        }
        return $rows;
    }
}

final class OrderRows implements Rows
{
    public function after(int $id, int $count): array
    {
        $rows = [];
        for ($i = $id + 1; $i <= $id + $count; $i++) {
            $rows[] = ['id' => $i, 'customer' => intdiv($i, 4) + 1, 'article' => 'article ' . $i * 37 % 5003, 'cents' => $i % 9999];
        }
        return $rows;
    }
}

final class UnitOfWork
{
    private array $originals = [];
    private array $dirty = [];
    public int $written = 0;

    /** Remembers how an entity was when it was read, so that only what has changed is written. */
    public function register(Metadata $meta, object $entity): object
    {
        $this->originals[$meta->table . '#' . $entity->id] = $meta->values($entity) + ['_class' => $meta->class]; // guilty
        return $entity;
    }

    public function touch(Metadata $meta, object $entity): void
    {
        $this->dirty[] = [$meta, $entity];
    }

    public function flush(): void
    {
        foreach ($this->dirty as [$meta, $entity]) {
            $before = $this->originals[$meta->table . '#' . $entity->id];
            $this->written += count(array_diff_assoc($meta->values($entity), $before));
        }
        $this->dirty = [];
    }
}

final class Manager
{
    public readonly UnitOfWork $unit;

    public function __construct(private array $metadata, private array $sources)
    {
        $this->unit = new UnitOfWork();
    }

    public function page(string $class, int $after, int $count): \Generator
    {
        $meta = $this->metadata[$class];
        foreach ($this->sources[$class]->after($after, $count) as $row) {
            yield $this->unit->register($meta, $meta->hydrate($row));
        }
    }

    public function save(object $entity): void
    {
        $this->unit->touch($this->metadata[$entity::class], $entity);
    }
}

function tidy(object $entity): object
{
    if ($entity instanceof Customer) {
        $entity->city = strtoupper($entity->city);
    } elseif ($entity->cents === 0) {
        $entity->cents = 1;
    }
    return $entity;
}

function copyAll(Manager $manager, string $class, int $total): int
{
    $seen = 0;
    for ($after = 0; $after < $total; $after += 500) {
        foreach ($manager->page($class, $after, 500) as $entity) {
            $manager->save(tidy($entity));
            $seen++;
        }
        $manager->unit->flush();
    }
    return $seen;
}

ini_set('memory_limit', '256M');
$manager = new Manager(
    [
        Customer::class => new Metadata(Customer::class, 'customers', ['id', 'name', 'city']),
        Order::class => new Metadata(Order::class, 'orders', ['id', 'customer', 'article', 'cents']),
    ],
    [Customer::class => new CustomerRows(), Order::class => new OrderRows()],
);
echo copyAll($manager, Customer::class, 15000), ' ', copyAll($manager, Order::class, 60000), ' ', $manager->unit->written, "\n";
