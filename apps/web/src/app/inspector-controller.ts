import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";
import type { AppState } from "./app-state.ts";
import type { InspectorState } from "./inspector-state.ts";
import type { Store } from "./store.ts";

const PAGE_SIZE = 50;

/** The person's actions in the context view. Failures are shown there; nothing here rejects. */
export class InspectorController {
  readonly #client: GatewayClient;
  readonly #store: Store<AppState>;
  /** Number of requests; answers to superseded ones are dropped. */
  #question = 0;

  constructor(client: GatewayClient, store: Store<AppState>) {
    this.#client = client;
    this.#store = store;
  }

  /** Opens the view of a session without a request; `refresh` sends it once there is a connection. */
  open(sessionKey: string): void {
    if (this.#state?.sessionKey === sessionKey) return;
    this.#store.update({ inspector: { sessionKey, list: { type: "loading" }, report: { type: "loading" } } });
  }

  close(): void {
    this.#question += 1;
    if (this.#state !== undefined) this.#store.update({ inspector: undefined });
  }

  /** Requests the newest requests again, and the report unless an older request was chosen. */
  async refresh(): Promise<void> {
    const sessionKey = this.#state?.sessionKey;
    if (sessionKey === undefined) return;
    const isCurrent = this.#ask();
    try {
      const page = await this.#client.request("context.list", { sessionKey, limit: PAGE_SIZE });
      if (!isCurrent()) return;
      this.#update({ list: { type: "ready", value: page } });
      const chosen = this.#state?.requestId;
      if (chosen !== undefined && this.#state?.report.type === "ready") return;
      const id = chosen ?? page.requests[0]?.id;
      if (id !== undefined) await this.#load(id);
    } catch (error) {
      if (isCurrent()) this.#update({ list: { type: "failed", message: messageOf(error) } });
    }
  }

  /** Shows one of the requests. */
  async choose(requestId: string): Promise<void> {
    this.#update({ requestId, report: { type: "loading" } });
    await this.#load(requestId);
  }

  async loadOlder(): Promise<void> {
    const state = this.#state;
    if (state?.list.type !== "ready" || state.list.value.before === undefined) return;
    const { value } = state.list;
    const isCurrent = this.#ask();
    try {
      const page = await this.#client.request("context.list", {
        sessionKey: state.sessionKey,
        limit: PAGE_SIZE,
        ...(value.before !== undefined && { before: value.before }),
      });
      if (isCurrent())
        this.#update({ list: { type: "ready", value: { requests: [...value.requests, ...page.requests], before: page.before } } });
    } catch (error) {
      if (isCurrent()) this.#update({ list: { type: "failed", message: messageOf(error) } });
    }
  }

  async #load(id: string): Promise<void> {
    const sessionKey = this.#state?.sessionKey;
    if (sessionKey === undefined) return;
    const isCurrent = this.#ask();
    try {
      const report = await this.#client.request("context.report", { sessionKey, id, diff: "previous", texts: true });
      if (isCurrent()) this.#update({ report: { type: "ready", value: report } });
    } catch (error) {
      if (isCurrent()) this.#update({ report: { type: "failed", message: messageOf(error) } });
    }
  }

  get #state(): InspectorState | undefined {
    return this.#store.get().inspector;
  }

  #ask(): () => boolean {
    this.#question += 1;
    const question = this.#question;
    return () => question === this.#question;
  }

  #update(change: Partial<InspectorState>): void {
    const state = this.#state;
    if (state !== undefined) this.#store.update({ inspector: { ...state, ...change } });
  }
}

function messageOf(error: unknown): string {
  if (error instanceof RpcError) return error.message;
  throw error;
}
