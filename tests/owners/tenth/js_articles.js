'use strict';

// A tool of a newspaper: reads articles, finds where they are alike (by shingles), and tells editors what was written before.

class Tokens {
    static words(text) {
        return text.toLowerCase().split(/[^a-z0-9]+/).filter((word) => word.length > 1);
    }

    static shingles(text, size) {
        const words = Tokens.words(text);
        const shingles = [];
        for (let i = 0; i + size <= words.length; i++) {
            shingles.push(words.slice(i, i + size).join(' '));
        }
        return shingles;
    }
}

class Similarity {
    constructor(size) {
        this.size = size;
        this.articles = new Map();
    }

    add(article) {
        const shingles = Tokens.shingles(article.text, this.size);
        this.articles.set(article.id, { title: article.title, shingles: new Set(shingles) }); // guilty
    }

    compare(first, second) {
        const a = this.articles.get(first).shingles;
        const b = this.articles.get(second).shingles;
        let common = 0;
        for (const shingle of a) {
            if (b.has(shingle)) {
                common++;
            }
        }
        return common / (a.size + b.size - common || 1);
    }

    alike(id, candidates, least) {
        return candidates
            .filter((other) => other !== id && this.articles.has(other))
            .map((other) => ({ id: other, score: this.compare(id, other), title: this.articles.get(other).title }))
            .filter((found) => found.score >= least)
            .sort((x, y) => y.score - x.score);
    }
}

class Desk {
    constructor(names) {
        this.names = names;
        this.byTopic = new Map();
    }

    file(article) {
        const topic = article.topic;
        if (!this.byTopic.has(topic)) {
            this.byTopic.set(topic, []);
        }
        this.byTopic.get(topic).push(article.id);
    }

    recent(topic, count) {
        return (this.byTopic.get(topic) || []).slice(-count);
    }
}

class Agency {
    constructor() {
        this.seed = 21;
    }

    random(limit) {
        this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
        return (this.seed >>> 8) % limit;
    }

    article(id) {
        const sentences = [];
        const topic = id % 45;
        for (let i = 0; i < 8; i++) {
            const who = this.random(30);
            sentences.push(`The council of town ${topic} said on day ${this.random(6)} that plan ${who} would cost ${this.random(400)} millions.`);
        }
        return { id: `a${id}`, topic, title: `Town ${topic} plans again (${id})`, text: sentences.join(' ') };
    }
}

class Newsletter {
    constructor() {
        this.lines = [];
        this.sent = 0;
    }

    add(article, alike) {
        this.lines.push(`${article.title}: see ${alike.map((found) => found.title).join(', ')}`);
        if (this.lines.length >= 100) {
            this.sent += this.lines.join('\n').length;
            this.lines = [];
        }
    }
}

function main() {
    const agency = new Agency();
    const similarity = new Similarity(4);
    const desk = new Desk(['politics', 'city']);
    const newsletter = new Newsletter();
    for (let id = 0; id < 6500; id++) {
        const article = agency.article(id);
        similarity.add(article);
        const alike = similarity.alike(article.id, desk.recent(article.topic, 6), 0.12);
        desk.file(article);
        if (alike.length > 0) {
            newsletter.add(article, alike);
        }
    }
    console.log(`${similarity.articles.size} articles, newsletter of ${newsletter.sent}, heap ${process.memoryUsage().heapUsed >> 20} MiB`);
}

main();
