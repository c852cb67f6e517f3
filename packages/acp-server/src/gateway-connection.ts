import type { RpcEvents, RpcMethod, RpcMethods } from "@factotum/protocol";

/** What the gateway says without being asked, as far as editors are concerned. */
export type GatewayEvent =
  | { readonly name: "chat"; readonly payload: RpcEvents["chat"] }
  | { readonly name: "approvals-change"; readonly payload: RpcEvents["approvals-change"] };

/** A connection to the running gateway, with the owner's authority. */
export interface GatewayConnection extends Disposable {
  /** Rejects with an error whose message says what to do; its `code` is an `RpcErrorCode` if the gateway refused the request. */
  request<Method extends RpcMethod>(method: Method, params: RpcMethods[Method]["params"]): Promise<RpcMethods[Method]["result"]>;
  /** Keeps an image for one message, and resolves with its reference. Rejects as `request` does, also for bytes that are no image. */
  upload(image: Uint8Array): Promise<string>;
  /** Hears of events until the returned function is called. */
  follow(listener: (event: GatewayEvent) => void): () => void;
  /** Fires when the connection has ended, for whatever reason. */
  readonly closed: AbortSignal;
}
