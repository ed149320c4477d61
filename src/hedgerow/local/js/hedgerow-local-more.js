/**
 * More protocols for Hedgerow's client: means of bounded numbers, and projective geometry response.
 *
 *   import "./hedgerow-local-more.js"; // then Metric.read knows them
 */
import { LARGEST, PROTOCOLS, SCALE, coin, domain, number, told } from "./hedgerow-local.js";

const window = [1, LARGEST];
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
	for (let i = 2; i * i <= n; i++) if (n % i === 0) return false;
	return true;
}

Object.assign(PROTOCOLS, {
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
			const others = field ** (dimension - 1), orthogonal = points(dimension - 1, field);
			const large = others * field > LARGEST, few = others + orthogonal < domain;
			return !prime(field) || large || few || truth * others <= (SCALE - truth) * orthogonal;
		},
		encode({ dimension, field, truth }, value, stream) {
			const honest = stream.coin(truth), length = dimension - 1;
			const found = honest ? vector(stream.below(points(length, field)), field) : digits(stream.below(field ** length), field, length);
			while (found.length < length) found.push(0);
			// Where the value's vector has its leading 1, the entry that makes the product 0, or 1, is put in.
			const own = vector(value, field).slice(0, -1), entry = own.reduce((rest, digit, i) => rest - digit * found[i], 1 - honest);
			found.splice(own.length, 0, ((entry % field) + field) % field);
			return number(pointOf(found, field), points(dimension, field));
		},
	},
});
