// Shows the orders of a restaurant in its kitchen: tickets, stations, cooking times, late dishes, and the end of the evening.
'use strict';

class Dice {
    constructor(seed) {
        this.seed = seed;
    }

    below(n) {
        this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
        return (this.seed >>> 10) % n;
    }
}

const MENU = [
    { dish: 'soup of the day', station: 'pot', minutes: 6 },
    { dish: 'trout with almonds', station: 'pan', minutes: 14 },
    { dish: 'risotto', station: 'pot', minutes: 18 },
    { dish: 'steak', station: 'grill', minutes: 12 },
    { dish: 'mushrooms on toast', station: 'pan', minutes: 8 },
    { dish: 'vegetables from the grill', station: 'grill', minutes: 9 },
    { dish: 'apple tart', station: 'cold', minutes: 4 },
    { dish: 'sorbet', station: 'cold', minutes: 2 },
];

class Station {
    constructor(name, places) {
        this.name = name;
        this.places = places;
        this.cooking = [];
        this.waiting = [];
        this.busy = 0;
    }

    enqueue(item) {
        this.waiting.push(item);
        this.waiting.sort((a, b) => a.due - b.due);
    }

    tick(minute) {
        const done = this.cooking.filter((item) => item.ready <= minute);
        this.cooking = this.cooking.filter((item) => item.ready > minute);
        while (this.cooking.length < this.places && this.waiting.length > 0) {
            const item = this.waiting.shift();
            item.started = minute;
            item.ready = minute + item.minutes;
            this.cooking.push(item);
        }
        this.busy += this.cooking.length;
        return done;
    }
}

class Waiter {
    constructor(dice) {
        this.dice = dice;
        this.number = 0;
    }

    order(minute) {
        const guests = 1 + this.dice.below(6);
        const items = [];
        for (let i = 0; i < guests * 2; i++) {
            const entry = MENU[this.dice.below(MENU.length)];
            const wish = this.dice.below(4) === 0 ? ['no salt', 'no nuts', 'well done'][this.dice.below(3)] : '';
            items.push({ ...entry, ticket: this.number + 1, seat: i % guests, wish, due: minute + entry.minutes + (i < guests ? 10 : 35), started: 0, ready: 0, done: 0 });
        }
        this.number++;
        return { number: this.number, table: 1 + this.dice.below(30), guests, minute, items, open: items.length };
    }
}

class Board {
    constructor() {
        this.tickets = new Map();
        this.shown = [];
        this.late = 0;
    }

    hang(ticket) {
        this.tickets.set(ticket.number, ticket); // guilty
        this.shown.push(ticket.number);
    }

    finish(number, item, minute) {
        const ticket = this.tickets.get(number);
        item.done = minute;
        if (minute > item.due) {
            this.late++;
        }
        ticket.open--;
        if (ticket.open === 0) {
            this.shown = this.shown.filter((n) => n !== number);
        }
        return ticket.open === 0;
    }

    screen(most) {
        return this.shown.slice(0, most).map((number) => {
            const ticket = this.tickets.get(number);
            const lines = ticket.items.filter((item) => item.done === 0).map((item) => `  ${item.seat}: ${item.dish} ${item.wish}`);
            return `table ${ticket.table}, ${ticket.guests} guests\n${lines.join('\n')}`;
        });
    }
}

class Kitchen {
    constructor(board) {
        this.board = board;
        this.stations = new Map([['pot', 6], ['pan', 8], ['grill', 8], ['cold', 3]].map(([name, places]) => [name, new Station(name, places)]));
        this.served = 0;
        this.drawn = 0;
    }

    accept(ticket) {
        this.board.hang(ticket);
        for (const item of ticket.items) {
            this.stations.get(item.station).enqueue(item);
        }
    }

    tick(minute) {
        for (const station of this.stations.values()) {
            for (const item of station.tick(minute)) {
                if (this.board.finish(item.ticket, item, minute)) {
                    this.served++;
                }
            }
        }
        if (minute % 4 === 0) {
            this.drawn += this.board.screen(8).join('\n\n').length;
        }
    }

    idle() {
        return [...this.stations.values()].every((station) => station.cooking.length + station.waiting.length === 0);
    }
}

function evening(kitchen, waiter, dice, first) {
    let minute = first;
    for (; minute < first + 300; minute++) {
        if (dice.below(10) < 3) {
            kitchen.accept(waiter.order(minute));
        }
        kitchen.tick(minute);
    }
    while (!kitchen.idle()) {
        kitchen.tick(minute++);
    }
    return minute - first - 300;
}

const dice = new Dice(6);
const board = new Board();
const kitchen = new Kitchen(board);
const waiter = new Waiter(dice);
let overtime = 0;
for (let day = 0; day < 100; day++) {
    overtime += evening(kitchen, waiter, dice, day * 1440);
}
const busiest = [...kitchen.stations.values()].reduce((a, b) => (a.busy > b.busy ? a : b));
console.log(`${kitchen.served} tables served, ${board.late} dishes late, ${overtime} minutes of overtime, busiest is the ${busiest.name}, ${kitchen.drawn} letters drawn`);
