import type { Socket } from "node:net";

/** Maximum open connections without proof; more than a browser or a platform opens at once. */
const MAX_UNPROVEN = 256;

/**
 * Bounds connections that have sent neither a token nor a signature. A new one over the limit closes the oldest, so that a flood of idle or slow connections
 * does not block others. A connection is proven for one request: the next one must prove itself again.
 */
export class UnprovenConnections {
  /** Oldest first. */
  readonly #sockets = new Set<Socket>();

  /** Call for each new connection. */
  add(socket: Socket): void {
    socket.once("close", () => this.#sockets.delete(socket));
    this.reset(socket);
  }

  /** The connection is not proven (any more): a request starts, or one was refused. */
  reset(socket: Socket): void {
    if (socket.destroyed || this.#sockets.has(socket)) return;
    const [oldest] = this.#sockets;
    if (oldest !== undefined && this.#sockets.size >= MAX_UNPROVEN) {
      this.#sockets.delete(oldest);
      oldest.destroy();
    }
    this.#sockets.add(socket);
  }

  /** Its request has a valid token or signature, or another limit applies to it. */
  prove(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
