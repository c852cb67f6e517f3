import { RpcError } from "../gateway-client/rpc-error.ts";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import type { AppState } from "./app-state.ts";
import type { Outbox } from "./outbox.ts";
import type { Store } from "./store.ts";

/** Dependencies of the branch controller. */
export interface BranchControllerOptions {
  readonly client: Pick<GatewayClient, "request">;
  readonly store: Store<AppState>;
  readonly outbox: Outbox;
}

/** Other versions of messages: branches of the conversation. */
export class BranchController {
  readonly #options: BranchControllerOptions;

  constructor(options: BranchControllerOptions) {
    this.#options = options;
  }

  /** Puts a message of the open session into the message field, to be sent as another version of it; an aside, as a new message. */
  edit({ id, text, isAside }: { readonly id: string; readonly text: string; readonly isAside?: true }): void {
    const { edit, sessionKey } = this.#options.store.get();
    const of = sessionKey === undefined || isAside === true ? undefined : { sessionKey, entryId: id };
    this.#options.store.update({ edit: { text, serial: (edit?.serial ?? 0) + 1, of } });
  }

  /** What is in the message field is a message of its own again. */
  endEdit(): void {
    const { edit } = this.#options.store.get();
    if (edit?.of !== undefined) this.#options.store.update({ edit: { ...edit, of: undefined } });
  }

  sendEdited(of: { readonly sessionKey: string; readonly entryId: string }, text: string): void {
    this.#options.outbox.sendVersion(of.sessionKey, text, { type: "edit", entryId: of.entryId });
    this.endEdit();
  }

  /** Asks for another answer to a message of the open session. */
  regenerate({ id, text }: { readonly id: string; readonly text: string }): void {
    const { sessionKey } = this.#options.store.get();
    if (sessionKey !== undefined) this.#options.outbox.sendVersion(sessionKey, text, { type: "regenerate", entryId: id });
  }

  /** Continues the branch of an entry. */
  async show(entryId: string): Promise<void> {
    const { sessionKey } = this.#options.store.get();
    if (sessionKey === undefined) return;
    await this.#guard(async () => void (await this.#options.client.request("chat.branch", { sessionKey, entryId })));
  }

  async #guard(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.code !== "disconnected") this.#options.store.update({ alert: error.message });
    }
  }
}
