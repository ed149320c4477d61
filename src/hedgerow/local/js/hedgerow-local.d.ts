/** What a client refuses, and why. */
export class HedgerowError extends Error {}

/** A metric, as its document says. */
export class Metric {
  /** Read a document; a HedgerowError if it is not a metric. */
  static read(document: string | object): Promise<Metric>;
  private constructor();
  readonly id: string;
  readonly epoch: number;
  readonly protocol: string;
  readonly version: 1;
  readonly parameters: Readonly<Record<string, number>>;
  /** The first 8 bytes of the document's hash, which every batch carries. */
  readonly hash: Uint8Array;
  /** The hash without the epoch, on which permanent answers depend. */
  readonly lasting: Uint8Array;
}

/** Where a client keeps its secret and what was paid for; localStorage is one. */
export interface ClientStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, text: string): unknown;
}

/** A client with its cap: different values, or reports if none is memoised. */
export class Client {
  /** Without a storage, localStorage on a page, and memory of the process elsewhere. */
  constructor(metric: Metric, storage?: ClientStorage | null, cap?: number);
  readonly metric: Metric;
  readonly cap: number;
  /** Draw one record. Past the cap a HedgerowError, and nothing was drawn. */
  report(value: string | number): Promise<Uint8Array>;
}

/** Records as the collector takes them. */
export function batch(metric: Metric, records: Uint8Array[]): Uint8Array;

/** 16-bit numbers out of given bytes, or out of the system. */
export class Stream {
  constructor(data?: ArrayLike<number>);
  draw(): number;
  coin(threshold: number): 0 | 1;
  below(bound: number): number;
}

/** The steps of a report, as the test vectors name them. */
export function bloom(metric: Metric, cohort: number, value: string | number): Promise<number[]>;
export function cohort(metric: Metric, secret: Uint8Array): Promise<number>;
export function encode(
  metric: Metric,
  value: string | number,
  stream: Stream,
  secret?: Uint8Array,
): Promise<Uint8Array>;
export function hex(bytes: Iterable<number>): string;
export function pack(bits: number[]): Uint8Array;
export function permanent(
  metric: Metric,
  secret: Uint8Array,
  value: string | number,
): Promise<number[]>;
export function tag(metric: Metric, secret: Uint8Array, value: string | number): Promise<string>;
