import type { IncomingMessage } from "node:http";
import type { ClientServer, ClientUpgrade } from "./client-server.ts";
import type { ClientServices } from "./client-services.ts";

/**
 * Loads `ClientServer`, with its WebSocket library and the parsers of every method, for the first client: a start and a gateway without clients take less time
 * and memory.
 */
export class ClientSockets {
  readonly #options: ClientServices;
  #server: Promise<ClientServer> | undefined;
  #isClosed = false;

  constructor(options: ClientServices) {
    this.#options = options;
  }

  /** Takes over a socket whose address and origin have been checked. */
  handleUpgrade(request: IncomingMessage, upgrade: ClientUpgrade): void {
    if (this.#isClosed && this.#server === undefined) {
      upgrade.socket.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    // A connection that breaks while the server loads must not end the process.
    upgrade.socket.on("error", () => upgrade.socket.destroy());
    this.#server ??= openServer(this.#options);
    this.#server
      .then((server) => server.handleUpgrade(request, upgrade))
      .catch((error: unknown) => {
        this.#options.logger.error("A client could not be served", { error });
        upgrade.socket.destroy();
      });
  }

  /** Sends the reason to every client, and closes. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    (await this.#server)?.close(reason);
  }
}

async function openServer(options: ClientServices): Promise<ClientServer> {
  const { ClientServer: Server } = await import("./client-server.ts");
  return new Server(options);
}
