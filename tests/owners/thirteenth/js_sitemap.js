// Checks the pages of a site: robots' rules, links by host, titles that come twice, weights, redirects, and a map of what was found.
'use strict';

class Random {
    constructor(seed) {
        this.seed = seed;
    }

    below(n) {
        this.seed ^= this.seed << 13;
        this.seed ^= this.seed >>> 17;
        this.seed ^= this.seed << 5;
        return (this.seed >>> 0) % n;
    }
}

/** The site as a server would answer; addresses have parameters that make them look new. */
class Server {
    constructor(pages) {
        this.pages = pages;
        this.random = new Random(77);
        this.requests = 0;
    }

    get(address) {
        this.requests++;
        const match = /^\/(shop|blog|help)\/(\d+)/.exec(address);
        if (!match) {
            return { status: address === '/' ? 200 : 404, headers: {}, body: this.page('start', 0) };
        }
        const number = Number(match[2]);
        if (number % 29 === 0) {
            return { status: 301, headers: { location: `/${match[1]}/${number + 1}` }, body: '' };
        }
        return { status: 200, headers: { 'content-type': 'text/html' }, body: this.page(match[1], number) };
    }

    page(section, number) {
        const parts = [`<html><head><title>${section} ${number % 400}</title></head><body>`];
        for (let i = 0; i < 10; i++) {
            const to = this.random.below(this.pages);
            const extra = this.random.below(3) === 0 ? `?from=${number}&pos=${i}` : '';
            parts.push(`<p>Paragraph ${i} of a page that says this and that about article ${to}.`);
            parts.push(`<a href="/${['shop', 'blog', 'help'][to % 3]}/${to}${extra}">more</a></p>`);
        }
        parts.push('</body></html>');
        return parts.join('\n');
    }
}

class Robots {
    constructor(rules) {
        this.rules = rules.map((rule) => rule.split(': '));
    }

    allows(address) {
        let allowed = true;
        for (const [verb, prefix] of this.rules) {
            if (address.startsWith(prefix)) {
                allowed = verb === 'Allow';
            }
        }
        return allowed;
    }
}

function parse(address, response) {
    const links = [];
    const pattern = /<a href="([^"]+)"/g;
    for (let match = pattern.exec(response.body); match; match = pattern.exec(response.body)) {
        links.push(match[1]);
    }
    const title = /<title>([^<]*)<\/title>/.exec(response.body);
    const words = response.body.replace(/<[^>]*>/g, ' ').split(/\s+/).filter((word) => word.length > 3);
    return { address, title: title ? title[1] : '', links, words, bytes: response.body.length };
}

class Frontier {
    constructor(robots) {
        this.robots = robots;
        this.queue = [];
        this.seen = new Set();
        this.refused = 0;
    }

    offer(link) {
        const [address] = link.split('?');
        if (this.seen.has(address)) {
            return;
        }
        this.seen.add(address);
        if (this.robots.allows(address)) {
            this.queue.push(address);
        } else {
            this.refused++;
        }
    }

    take() {
        return this.queue.shift();
    }
}

class Catalogue {
    constructor() {
        this.pages = [];
        this.titles = new Map();
        this.status = new Map();
    }

    add(page) {
        this.pages.push(page); // guilty
        this.titles.set(page.title, (this.titles.get(page.title) ?? 0) + 1);
    }

    note(status) {
        this.status.set(status, (this.status.get(status) ?? 0) + 1);
    }

    twice() {
        return [...this.titles].filter(([, count]) => count > 1).length;
    }

    heaviest(most) {
        return [...this.pages].sort((a, b) => b.bytes - a.bytes).slice(0, most).map((page) => page.address);
    }

    xml(most) {
        return this.pages.slice(0, most).map((page) => `<url><loc>${page.address}</loc><links>${page.links.length}</links></url>`).join('\n');
    }
}

class Crawler {
    constructor(server, frontier, catalogue) {
        this.server = server;
        this.frontier = frontier;
        this.catalogue = catalogue;
    }

    visit(address, redirects = 0) {
        const response = this.server.get(address);
        this.catalogue.note(response.status);
        if (response.status === 301 && redirects < 5) {
            this.visit(response.headers.location, redirects + 1);
            return;
        }
        if (response.status !== 200) {
            return;
        }
        const page = parse(address, response);
        this.catalogue.add(page);
        for (const link of page.links) {
            this.frontier.offer(link);
        }
    }

    run(limit) {
        this.frontier.offer('/');
        for (let n = 0; n < limit; n++) {
            const address = this.frontier.take();
            if (address === undefined) {
                break;
            }
            this.visit(address);
        }
    }
}

const catalogue = new Catalogue();
const frontier = new Frontier(new Robots(['Disallow: /help', 'Allow: /help/1']));
const crawler = new Crawler(new Server(40000), frontier, catalogue);
crawler.run(6500);
console.log(`${catalogue.pages.length} pages, ${catalogue.twice()} titles come twice, ${frontier.refused} refused`, Object.fromEntries(catalogue.status));
console.log(catalogue.heaviest(3).join(', '), catalogue.xml(2000).length);
