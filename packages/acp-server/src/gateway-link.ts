import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import type { GatewayConnection } from "./gateway-connection.ts";

/** The connection to the gateway, made when it is needed and again after it broke: a gateway may be restarted while an editor stays open. */
export class GatewayLink implements Disposable {
  readonly #connect: () => Promise<GatewayConnection>;
  #connection: Promise<GatewayConnection> | undefined;

  constructor(connect: () => Promise<GatewayConnection>) {
    this.#connect = connect;
  }

  /** The live connection, or a new one. Rejects with the reason if it cannot connect; the next call tries again. */
  async connection(): Promise<GatewayConnection> {
    const known = this.#connection ?? this.#open();
    const connection = await known;
    if (!connection.closed.aborted) return connection;
    if (this.#connection === known) this.#connection = undefined;
    return this.connection();
  }

  async request<Method extends RpcMethod>(method: Method, params: RpcMethods[Method]["params"]): Promise<RpcMethods[Method]["result"]> {
    return (await this.connection()).request(method, params);
  }

  [Symbol.dispose](): void {
    const known = this.#connection;
    this.#connection = undefined;
    // A connection that was never made needs no close.
    known?.then((connection) => connection[Symbol.dispose]()).catch(() => undefined);
  }

  async #open(): Promise<GatewayConnection> {
    const opening = this.#connect();
    this.#connection = opening;
    try {
      return await opening;
    } catch (error) {
      if (this.#connection === opening) this.#connection = undefined;
      throw error;
    }
  }
}
