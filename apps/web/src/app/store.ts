/** One immutable value and those who watch it. */
export class Store<State extends object> {
  #state: State;
  #announced = true;
  readonly #listeners = new Set<() => void>();
  readonly #scheduleNotice: (notify: () => void) => void;

  /** `scheduleNotice` decides when listeners hear of changes, so that a burst of them is drawn once. */
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
