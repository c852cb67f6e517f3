import type { ChatEvent, RpcEvent, RpcEvents, RpcMethod, RpcMethods } from "@factotum/protocol";

/** What a method may do with its calling connection. */
export interface RpcConnection {
  readonly clientName: string;
  /** It comes from this machine, and not through a proxy. */
  readonly isLocal: boolean;
  /** Fires when the connection closes. */
  readonly signal: AbortSignal;
  /** Subscribes this connection to the session's events, replacing an earlier subscription. */
  subscribe(sessionKey: string, open: (listener: (event: ChatEvent) => void) => Promise<Disposable>): Promise<void>;
  unsubscribe(sessionKey: string): boolean;
  /** Sends an event to this connection only. */
  notify<Event extends RpcEvent>(event: Event, payload: RpcEvents[Event]): void;
}

/** One handler for each of the methods. Parameters are validated before. Handlers reject with `RpcError` for errors of the caller. */
export type RpcHandlersOf<Method extends RpcMethod> = {
  readonly [Name in Method]: (params: RpcMethods[Name]["params"], connection: RpcConnection) => Promise<RpcMethods[Name]["result"]>;
};
