/** Creates a map of at most `maxEntries`: with one more, the entry that was set longest ago is removed. */
export function createBoundedMap<Key, Value>(maxEntries: number): Map<Key, Value> {
  return new BoundedMap<Key, Value>(maxEntries);
}

class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#maxEntries) break;
      this.delete(oldest);
    }
    return this;
  }
}
