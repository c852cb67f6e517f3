import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";
import type { Timers } from "../gateway-client/timers.ts";
import type { AppState } from "./app-state.ts";
import type { Store } from "./store.ts";

/** Events within this time cause one request. */
const COLLECT_MS = 150;
/** Dead letters that are counted. */
const MAX_LETTERS = 100;

/** Events that may have changed what waits for the owner. */
const CHANGES: ReadonlySet<string> = new Set(["approvals-change", "deadletters-change"]);

type CountedClient = Pick<GatewayClient, "request" | "state" | "onEvent" | "onStateChange">;

/** Keeps the calls that wait and the number of dead letters, for the badge and the conversation. The page of the inbox lists them. */
export class InboxController {
  readonly #client: CountedClient;
  readonly #store: Pick<Store<AppState>, "update">;
  readonly #timers: Pick<Timers, "schedule">;
  #cancel: () => void = () => undefined;
  #isCollecting = false;
  #serial = 0;

  constructor(client: CountedClient, store: Pick<Store<AppState>, "update">, timers: Pick<Timers, "schedule">) {
    this.#client = client;
    this.#store = store;
    this.#timers = timers;
    client.onStateChange(({ type }) => {
      if (type === "connected") this.refresh();
      else this.#stopCollecting();
    });
    client.onEvent(({ type }) => {
      if (!CHANGES.has(type) || this.#isCollecting) return;
      this.#isCollecting = true;
      this.#cancel = this.#timers.schedule(COLLECT_MS, () => this.refresh());
    });
  }

  /** Counts now, because something was decided. */
  refresh(): void {
    this.#stopCollecting();
    if (this.#client.state.type === "connected") void this.#count();
  }

  #stopCollecting(): void {
    this.#cancel();
    this.#isCollecting = false;
  }

  /** A number that cannot be asked stays as it was: the page of the inbox says why. */
  async #count(): Promise<void> {
    this.#serial += 1;
    const serial = this.#serial;
    try {
      const [{ waiting }, { letters }] = await Promise.all([
        this.#client.request("approvals.list", {}),
        this.#client.request("deadletters.list", { limit: MAX_LETTERS }),
      ]);
      if (serial !== this.#serial) return;
      this.#store.update({ inbox: { approvals: waiting.length, deadLetters: letters.length }, waitingCalls: waiting });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
}
