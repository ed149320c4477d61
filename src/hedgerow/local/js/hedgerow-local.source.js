/**
 * Hedgerow's client: a value is randomised here, and only the report leaves.
 *
 *   const metric = await Metric.read(document), client = new Client(metric, localStorage, 2);
 *   const body = batch(metric, [await client.report("example.org")]);
 *
 * The cap, here 2, counts different values, or reports if none is memoised. The storage keeps a secret and what was paid for;
 * deleted, it makes a new client: one more lifetime loss. Without one it is localStorage on a page, and elsewhere memory that is
 * gone when the process ends. Rules: encoder.py.
 */
const PLACE = "hedgerow-local";
const SCALE = 65536, LARGEST = 1 << 24;
const utf8 = new TextEncoder(), random = (size) => crypto.getRandomValues(new Uint8Array(size));

export class HedgerowError extends Error {}
const fail = (sentence) => { throw new HedgerowError(sentence); };
const whole = (n, name, low, high) =>
	Number.isSafeInteger(n) && n >= low && n <= high ? n : fail(`${name} must be a whole number between ${low} and ${high}.`);
const be32 = (n) => [n >>> 24, n >>> 16, n >>> 8, n]; // bytes keep the lowest 8 bits
const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...(typeof part === "string" ? utf8.encode(part) : part)]));
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const pair = (bytes, at) => bytes[at] * 256 + bytes[at + 1];
const unhex = (text) => Uint8Array.from(text.match(/../g), (byte) => "0x" + byte);
const hash = async (held) => new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(JSON.stringify(held))));

const keys = new WeakMap();
async function hmac(key, ...message) {
	if (!keys.has(key)) keys.set(key, crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]));
	return new Uint8Array(await crypto.subtle.sign("HMAC", await keys.get(key), join(...message)));
}

/** 16-bit numbers out of given bytes, or out of the system. */
export class Stream {
	#next = 0;
	constructor(data) { this.fresh = !data; this.data = data ?? []; }
	draw() {
		if (this.#next + 2 > this.data.length) {
			if (!this.fresh) fail("The stream ended.");
			this.data = random(1024);
			this.#next = 0;
		}
		return pair(this.data, (this.#next += 2) - 2);
	}
	coin(threshold) { return +(this.draw() < threshold); }
	below(bound) {
		const wide = bound > SCALE, size = wide ? SCALE ** 2 : SCALE;
		for (;;) {
			const number = wide ? this.draw() * SCALE + this.draw() : this.draw();
			if (number < size - (size % bound)) return number % bound;
		}
	}
}

export function pack(bits) {
	const bytes = new Uint8Array(Math.ceil(bits.length / 8));
	bits.forEach((bit, i) => { bytes[i >> 3] |= bit << (7 - (i & 7)); });
	return bytes;
}
const number = (n, bound) => Uint8Array.from(be32(n).slice(Math.clz32(bound - 1) >> 3));
/** k-ary randomised response. */
function told(value, domain, truth, stream) {
	const honest = stream.coin(truth), other = stream.below(domain);
	return honest ? value : other;
}

const narrow = ({ domain, truth, window }) => window > domain || truth * (domain - 1) <= (SCALE - truth) * window;

/** A number rounded up or down at random, so that its mean is kept, and told by randomised response. */
const rounded = (value, domain, truth, stream) => told(+(stream.below(domain - 1) < value), 2, truth, stream);

/** A place in the window, which begins at the value, or one outside. */
function placed(value, { domain, truth, window }, stream) {
	if (stream.coin(truth)) return value + stream.below(window);
	const other = stream.below(domain - 1);
	return other < value ? other : other + window;
}

/** How many points have vectors of that length. */
const points = (length, field) => (field ** length - 1) / (field - 1);
const digits = (n, field, length) => Array.from({ length }, (_, i) => Math.floor(n / field ** i) % field);

/** The vector of a point: its digits, the lowest first, up to the leading 1. */
function vector(point, field) {
	let length = 0;
	while (point >= field ** length) point -= field ** length++;
	return [...digits(point, field, length), 1];
}

/** The point of a vector, which it is up to a factor. */
function pointOf(found, field) {
	while (!found.at(-1)) found.pop();
	const lead = found.pop();
	let inverse = 1;
	while ((lead * inverse) % field !== 1) inverse++;
	return found.reduce((sum, digit, i) => sum + ((digit * inverse) % field) * field ** i, points(found.length, field));
}

function prime(n) {
	for (let i = 2; i * i <= n; i++) if (!(n % i)) return false;
	return true;
}

const coin = [1, SCALE - 1], domain = [2, LARGEST], window = [1, LARGEST];
/** Ranges of parameters; how a report is made, or the thresholds of bits 0 and 1 and how bits are memoised. */
const PROTOCOLS = {
	k_ary: {
		parameters: { domain, truth: coin },
		encode: ({ domain, truth }, value, stream) => number(told(value, domain, truth, stream), domain),
	},
	hadamard: {
		parameters: { domain, keep: [SCALE / 2 + 1, SCALE - 1] },
		encode({ domain, keep }, value, stream) {
			const order = 2 ** (32 - Math.clz32(domain - 1)), index = stream.below(order);
			let parity = 1 - stream.coin(keep);
			for (let both = index & value; both; both &= both - 1) parity ^= 1;
			return number(2 * index + parity, 2 * order);
		},
	},
	duchi: {
		parameters: { domain, truth: coin },
		encode: ({ domain, truth }, value, stream) => number(rounded(value, domain, truth, stream), 2),
	},
	piecewise: {
		parameters: { domain, truth: coin, window },
		wrong: narrow,
		encode: (given, value, stream) => number(placed(value, given, stream), given.domain - 1 + given.window),
	},
	hybrid: {
		parameters: { coin, domain, mix: [0, SCALE], truth: coin, window },
		wrong: narrow,
		encode(given, value, stream) {
			const { coin, domain, mix, window } = given, places = domain - 1 + window;
			return number(stream.coin(mix) ? placed(value, given, stream) : places + rounded(value, domain, coin, stream), places + 2);
		},
	},
	projective: {
		parameters: { dimension: [2, 24], domain, field: [2, 4096], truth: coin },
		wrong({ dimension, domain, field, truth }) {
			const others = field ** (dimension - 1), orthogonal = points(dimension - 1, field),
				large = others * field > LARGEST, few = others + orthogonal < domain;
			return !prime(field) || large || few || truth * others <= (SCALE - truth) * orthogonal;
		},
		encode({ dimension, field, truth }, value, stream) {
			const honest = stream.coin(truth), length = dimension - 1,
				found = honest ? vector(stream.below(points(length, field)), field) : digits(stream.below(field ** length), field, length);
			while (found.length < length) found.push(0);
			// Where the value's vector has its leading 1, the entry that makes the product 0, or 1, is put in.
			const own = vector(value, field).slice(0, -1), entry = own.reduce((rest, digit, i) => rest - digit * found[i], 1 - honest);
			found.splice(own.length, 0, ((entry % field) + field) % field);
			return number(pointOf(found, field), points(dimension, field));
		},
	},
	unary: { parameters: { domain, one: coin, zero: coin }, bits: ["zero", "one"] },
	longitudinal_unary: {
		parameters: { domain, one: coin, permanent_one: coin, permanent_zero: coin, zero: coin },
		bits: ["zero", "one"],
		wrong: (given) => given.permanent_one === given.permanent_zero,
		permanent: (given, u, bit) => +(u < given["permanent_" + (bit ? "one" : "zero")]),
	},
	rappor: {
		parameters: { f: [0, SCALE - 2], h: [1, 16], k: [2, 4096], m: [1, 32768], p: coin, q: coin },
		bits: ["p", "q"],
		wrong: ({ f, h, k, m }) => f % 2 || h > k || m & (m - 1) || m * k > LARGEST / 4,
		permanent: ({ f }, u, bit) => +(u < f / 2 || (u >= f && bit)),
	},
};

export class Metric {
	static async read(document) {
		if (typeof document === "string") document = JSON.parse(document);
		const { epoch, id, parameters, protocol, version, ...others } = document;
		if (!Object.hasOwn(PROTOCOLS, protocol)) fail(`protocol must be one of ${Object.keys(PROTOCOLS)}.`);
		const rule = PROTOCOLS[protocol], names = Object.keys(rule.parameters), given = {}, { bits } = rule;
		if (Object.keys(others).length || !id?.match?.(/^[a-z0-9._-]{1,64}$/) || id in {}) fail("This is not a metric.");
		for (const name of names) given[name] = whole(parameters[name], name, ...rule.parameters[name]);
		if (Object.keys(parameters).length > names.length || (bits && given[bits[0]] === given[bits[1]]) || rule.wrong?.(given))
			fail(`These are no parameters of ${protocol}.`);
		const kept = { id, parameters: given, protocol, version: whole(version, "version", 1, 1) }, lasting = await hash(kept),
			all = { epoch: whole(epoch, "epoch", 0, 2 ** 53 - 1), ...kept };
		return Object.freeze(Object.assign(new Metric(), all, { rule, hash: (await hash(all)).slice(0, 8), lasting }));
	}
	/** What stands for a value where it is hashed. */
	text(value) {
		if (this.parameters.domain) return utf8.encode(whole(value, "value", 0, this.parameters.domain - 1));
		const bytes = typeof value === "string" && !/\p{Cs}/u.test(value) ? utf8.encode(value) : ""; // not half a surrogate pair
		return bytes.length && bytes.length <= 4096 ? bytes : fail("value must be a text of 1 to 4096 bytes in UTF-8.");
	}
}

/** The Bloom filter of a text; the one bit of a code. */
export async function bloom(metric, cohort, value) {
	const { domain, h, k } = metric.parameters, bits = Array(domain ?? k).fill(0), text = metric.text(value);
	if (domain) bits[value] = 1;
	for (let i = cohort * h; i < (cohort + 1) * h; i++) bits[pair(await hmac(metric.lasting, be32(i >> 4), text), 2 * (i & 15)) % k] = 1;
	return bits;
}

/** The cohort of a client, 0 where there are none. Cohort 0 is a cohort like any other. */
export const cohort = async ({ parameters: { m }, lasting }, secret) => (m ? pair(await hmac(secret, lasting, "cohort"), 2) % m : 0);

export const tag = async (metric, secret, value) => hex(await hmac(secret, metric.lasting, "value", metric.text(value))).slice(0, 32);

/** The permanent bits of a value: always the same for one client. */
export async function permanent(metric, secret, value) {
	const { parameters, lasting, rule } = metric, text = metric.text(value), group = await cohort(metric, secret),
		bits = await bloom(metric, group, value), blocks = [];
	if (!rule.permanent) return bits;
	for (let i = 0; i * 16 < bits.length; i++) blocks.push(hmac(secret, lasting, "permanent", be32(group), text, be32(i)));
	const noise = new Stream(join(...(await Promise.all(blocks))));
	return bits.map((bit) => rule.permanent(parameters, noise.draw(), bit));
}

export async function encode(metric, value, stream, secret) {
	const { parameters, rule } = metric;
	metric.text(value);
	if (rule.encode) return rule.encode(parameters, value, stream);
	const bits = (await permanent(metric, secret, value)).map((bit) => stream.coin(parameters[rule.bits[bit]]));
	return join(parameters.m ? number(await cohort(metric, secret), SCALE) : [], pack(bits));
}

/** Records as the collector takes them. */
export const batch = (metric, records) => join(metric.hash, number(whole(records[0].length, "record", 1, 65535), SCALE), ...records);

let queue = Promise.resolve(); // one report at a time over all tabs; not over processes of Node
function alone(work) {
	const locks = globalThis.navigator?.locks, next = queue.then(() => (locks ? locks.request(PLACE, work) : work()));
	queue = next.catch(() => {});
	return next;
}

const each = (held, check) => held.constructor === Object && Object.values(held).every(check);
function sound({ version, secret, tags, reports, ...others }) {
	return version === 1 && secret.match(/^[0-9a-f]{64}$/) && !Object.keys(others).length &&
		each(tags, (tags) => Array.isArray(tags) && tags.every((tag) => typeof tag === "string")) &&
		each(reports, (count) => Number.isSafeInteger(count) && count >= 0);
}

const memory = new Map();
memory.getItem = memory.get;
memory.setItem = memory.set;

export class Client {
	#secret;
	constructor(metric, storage, cap = 1) {
		storage ??= globalThis.document ? localStorage : memory;
		if (!metric?.rule || !storage.setItem) fail("A client takes what Metric.read returns, and a storage like localStorage.");
		Object.assign(this, { metric, storage, cap: whole(cap, "cap", 1, 1e6) });
	}
	/** One record. Past the cap a HedgerowError, and nothing was drawn. */
	async report(value) {
		const { metric, storage, cap } = this, { id, rule } = metric;
		metric.text(value);
		return alone(async () => {
			const state = await this.#read(), secret = this.#secret;
			const known = (state.tags[id] ??= []), mark = rule.permanent && (await tag(metric, secret, value));
			if (!known.includes(mark)) {
				const reports = state.reports[id] ?? 0;
				if (known.length + reports >= cap)
					fail(`The metric '${id}' has used its cap of ${cap} ${mark ? "different values, and this one is new" : "reports"}.`);
				if (mark) known.push(mark);
				else state.reports[id] = reports + 1;
				await storage.setItem(PLACE, JSON.stringify(state)); // paid before the report exists
			}
			return encode(metric, value, new Stream(), secret);
		});
	}

	async #read() {
		const held = await this.storage.getItem(PLACE);
		let state = { version: 1, secret: hex(random(32)), tags: {}, reports: {} };
		try {
			if (held != null && !sound((state = JSON.parse(held)))) fail();
		} catch { fail("The client's memory cannot be read. Restore it: a new client costs one more lifetime loss."); }
		this.#secret ??= unhex(state.secret);
		return hex(this.#secret) === state.secret ? state : fail("The client's memory was deleted. Make a new one.");
	}
}
