/** An immutable value with subscribers. */
export class Store<State extends object> {
  #state: State;
  #announced = true;
  readonly #listeners = new Set<() => void>();
  readonly #scheduleNotice: (notify: () => void) => void;

  /** `scheduleNotice` decides when listeners are notified, so that a burst of changes is rendered once. */
  constructor(initial: State, scheduleNotice: (notify: () => void) => void) {
    this.#state = initial;
    this.#scheduleNotice = scheduleNotice;
  }

  readonly get = (): State => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  update(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    if (!this.#announced) return;
    this.#announced = false;
    this.#scheduleNotice(() => {
      this.#announced = true;
      for (const listener of this.#listeners) listener();
    });
  }
}
