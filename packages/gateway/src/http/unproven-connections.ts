import type { Socket } from "node:net";

/** Connections that may be open without proof; more than a browser or a platform opens at once. */
const MAX_UNPROVEN = 256;

/**
 * Bounds the connections on which nobody has shown a token or a signature. A new one beyond the bound closes the oldest, so that a flood of idle or slow
 * connections keeps nobody else out. A connection is proven for one request: the next one has to prove itself again.
 */
export class UnprovenConnections {
  /** Oldest first. */
  readonly #sockets = new Set<Socket>();

  /** Call for each new connection. */
  add(socket: Socket): void {
    socket.once("close", () => this.#sockets.delete(socket));
    this.reset(socket);
  }

  /** Nothing is proven on the connection (any more): a request begins, or one was refused. */
  reset(socket: Socket): void {
    if (socket.destroyed || this.#sockets.has(socket)) return;
    const [oldest] = this.#sockets;
    if (oldest !== undefined && this.#sockets.size >= MAX_UNPROVEN) {
      this.#sockets.delete(oldest);
      oldest.destroy();
    }
    this.#sockets.add(socket);
  }

  /** Its request has shown a token or a signature, or another limit holds for it. */
  prove(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
