/** A map that is bounded in entries and in their size; what was set longest ago goes first. What alone is too large is not kept. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly size: number }>();
  readonly #limits: { readonly maxEntries: number; readonly maxSize: number };
  #size = 0;

  /** `maxSize` is in the unit of the sizes that `set` is given. */
  constructor(limits: { readonly maxEntries: number; readonly maxSize: number }) {
    this.#limits = limits;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Value, size: number): void {
    this.delete(key);
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.maxEntries && this.#size <= this.#limits.maxSize) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
