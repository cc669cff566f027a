/** An expected outcome as a value: success with its value, or failure with its error. Exceptions are for bugs. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** A successful {@link Result}. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** A failed {@link Result}. */
export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** Makes a switch exhaustive: a new member of the union that is not handled no longer compiles. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}

type IsAbsent<V> = undefined extends V ? true : null extends V ? true : false;

type Present<T> = { [K in keyof T as IsAbsent<T[K]> extends true ? never : K]: T[K] } & {
  [K in keyof T as IsAbsent<T[K]> extends true ? K : never]?: NonNullable<T[K]>;
};

/**
 * The fields that have a value, without those that are undefined: that is not the same as absent, or as null in a
 * database.
 */
export function present<T extends object>(fields: T): Present<T> {
  const found: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined && fields[name] !== null) found[name] = fields[name];
  return found as unknown as Present<T>;
}

/** A record with the same keys and another value for each. */
export function mapRecord<K extends string, A, B>(
  record: Readonly<Record<K, A>>,
  map: (key: K, value: A) => B,
): Readonly<Record<K, B>> {
  const entries = Object.entries(record) as [K, A][];
  return Object.fromEntries(entries.map(([key, value]) => [key, map(key, value)])) as Record<K, B>;
}

/** Groups items, or what `valueOf` takes from them, by a key that several of them share, in the order of the items. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]>;
export function groupBy<T, K, V>(
  items: readonly T[],
  keyOf: (item: T) => K,
  valueOf: (item: T) => V,
): ReadonlyMap<K, readonly V[]>;
export function groupBy<T, K>(
  items: readonly T[],
  keyOf: (item: T) => K,
  valueOf: (item: T) => unknown = (item) => item,
): ReadonlyMap<K, readonly unknown[]> {
  const groups = new Map<K, unknown[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [valueOf(item)]);
    else group.push(valueOf(item));
  }
  return groups;
}

/** Gives out items by their keys: each of them once, in their order; undefined if none with this key is left. */
export function takeBy<T, K>(items: readonly T[], keyOf: (item: T) => K): (key: K) => T | undefined {
  const groups = new Map([...groupBy(items, keyOf)].map(([key, group]) => [key, group.values()]));
  return (key) => groups.get(key)?.next().value;
}

/** Collects items that come one by one into a list: Node 20 has no `Array.fromAsync`. */
export async function listOf<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
