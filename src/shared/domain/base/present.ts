/** The fields of an object that have a value: not those that are undefined, or null as in a database. */
export type Present<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/**
 * An object's fields that have a value, for what says by the absence of a field that there is nothing.
 * @example { id, ...present({ note, finishedAt }) }
 */
export function present<T extends object>(fields: T): Present<T> {
  const found: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && value !== null) found[name] = value;
  }
  return found;
}
