import type { RpcEvents, RpcMethod, RpcMethods } from "@factotum/protocol";

/** Events of the gateway that matter to editors. */
export type GatewayEvent =
  | { readonly name: "chat"; readonly payload: RpcEvents["chat"] }
  | { readonly name: "sessions-change"; readonly payload: RpcEvents["sessions-change"] }
  | { readonly name: "approvals-change"; readonly payload: RpcEvents["approvals-change"] }
  | { readonly name: "editor-request"; readonly payload: RpcEvents["editor-request"] }
  | { readonly name: "editor-note"; readonly payload: RpcEvents["editor-note"] };

/** A connection to the running gateway, with the owner's authority. */
export interface GatewayConnection extends Disposable {
  /** Rejects with an error whose message says what to do; its `code` is an `RpcErrorCode` if the gateway refused the request. */
  request<Method extends RpcMethod>(method: Method, params: RpcMethods[Method]["params"]): Promise<RpcMethods[Method]["result"]>;
  /** Keeps an image for one message, and resolves with its reference. Rejects as `request` does, also for bytes that are no image. */
  upload(image: Uint8Array): Promise<string>;
  /** Calls the listener for each event until the returned function is called. */
  follow(listener: (event: GatewayEvent) => void): () => void;
  /** Fires when the connection ends, for any reason. */
  readonly closed: AbortSignal;
}
