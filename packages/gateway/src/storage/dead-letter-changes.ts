import { EventEmitter } from "node:events";
import type { Store } from "@factotum/store";

/** Tells when the list of dead letters has changed. */
export class DeadLetterChanges {
  readonly #events = new EventEmitter<{ change: [] }>();

  /** Calls the listener after each change, once it is on disk. */
  onChange(listener: () => void): Disposable {
    this.#events.on("change", listener);
    return { [Symbol.dispose]: () => void this.#events.off("change", listener) };
  }

  /** The store, with every write that adds or removes a dead letter announced. */
  watch(store: Store): Store {
    const after = async <Result>(work: Promise<Result>, isChange: (result: Result) => boolean): Promise<Result> => {
      const result = await work;
      if (isChange(result)) this.#events.emit("change");
      return result;
    };
    const always = (): boolean => true;
    return {
      ...store,
      settleInputs: async (ids, state, answer) => after(store.settleInputs(ids, state, answer), () => state.type === "dead"),
      endTurn: async (end) => after(store.endTurn(end), () => end.inputState.type === "dead"),
      settleOutbound: async (id, transition, options) =>
        after(store.settleOutbound(id, transition, options), ({ state }) => state.type === "dead" || state.type === "ambiguous"),
      reviveInput: async (id) => after(store.reviveInput(id), always),
      reviveOutbound: async (id, options) => after(store.reviveOutbound(id, options), always),
      purgeDeadLetters: async (which, options) => after(store.purgeDeadLetters(which, options), (count) => count > 0),
    };
  }
}
