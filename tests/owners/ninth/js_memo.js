'use strict';

// Prices of a travel agency: an offer is priced by rules for season, age and group, and the rules of a hotel are looked up once.

class RuleTable {
    constructor(hotels) {
        this.rules = new Map();
        for (let hotel = 0; hotel < hotels; hotel++) {
            const seasons = Array.from({ length: 12 }, (_, month) => ({ month, factor: 1 + ((hotel + month) % 7) / 10, label: `season ${month} of ${hotel}` }));
            this.rules.set(hotel, { hotel, base: 40 + (hotel % 160), seasons, children: [0, 0, 0.3, 0.5, 0.7], group: hotel % 5 });
        }
    }

    of(hotel) {
        return this.rules.get(hotel);
    }
}

class Pricing {
    constructor(table) {
        this.table = table;
        this.quotes = new Map();
        this.hits = 0;
    }

    nights(search) {
        const rules = this.table.of(search.hotel);
        const first = new Date(search.arrival).getUTCMonth();
        const prices = [];
        for (let night = 0; night < search.nights; night++) {
            const season = rules.seasons[(first + (night > 20 ? 1 : 0)) % 12];
            prices.push({ night, net: rules.base * season.factor, season: season.label });
        }
        return prices;
    }

    travellers(search, rules) {
        return search.ages.map((age) => ({ age, share: age < 15 ? rules.children[Math.floor(age / 3)] : 1 }));
    }

    quote(search) {
        const key = JSON.stringify(search);
        const known = this.quotes.get(key);
        if (known) {
            this.hits++;
            return known;
        }
        const rules = this.table.of(search.hotel);
        const nights = this.nights(search);
        const travellers = this.travellers(search, rules);
        const shares = travellers.reduce((sum, { share }) => sum + share, 0);
        const total = nights.reduce((sum, { net }) => sum + net * shares, 0);
        const result = { total: Math.round(total * 100) / 100, nights, travellers, currency: 'EUR' };
        this.quotes.set(key, result); // guilty
        return result;
    }
}

class Search {
    constructor(seed) {
        this.state = seed;
    }

    below(limit) {
        this.state = (Math.imul(this.state, 1103515245) + 12345) >>> 0;
        return Math.floor((this.state / 4294967296) * limit);
    }

    next(hotels) {
        const arrival = new Date(Date.UTC(2024, this.below(12), 1 + this.below(28), this.below(24), this.below(60)));
        const ages = Array.from({ length: 1 + this.below(4) }, (_, n) => (n < 2 ? 20 + this.below(50) : this.below(15)));
        return { hotel: this.below(hotels), arrival: arrival.toISOString(), nights: 3 + this.below(12), ages };
    }
}

class ResultPage {
    constructor(limit) {
        this.limit = limit;
        this.cheapest = [];
    }

    offer(hotel, price) {
        if (this.cheapest.length < this.limit) {
            this.cheapest.push({ hotel, price });
        } else if (price < this.cheapest[this.limit - 1].price) {
            this.cheapest[this.limit - 1] = { hotel, price };
            this.cheapest.sort((a, b) => a.price - b.price);
        }
    }
}

function main() {
    const hotels = 6000;
    const pricing = new Pricing(new RuleTable(hotels));
    const search = new Search(77);
    let pages = 0;
    let best = Infinity;
    for (let n = 0; n < 1100; n++) {
        const page = new ResultPage(10);
        for (let k = 0; k < 25; k++) {
            const wanted = search.next(hotels);
            page.offer(wanted.hotel, pricing.quote(wanted).total);
        }
        best = Math.min(best, page.cheapest[0].price);
        pages++;
    }
    console.log(`${pages} pages, ${pricing.quotes.size} quotes, ${pricing.hits} hits, best ${best}`);
}

main();
