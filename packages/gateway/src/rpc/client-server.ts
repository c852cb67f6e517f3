import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { CLOSE_CODES, MAX_FRAME_BYTES } from "@factotum/protocol";
import { WebSocketServer } from "ws";
import { ClientBacklogs } from "./client-backlogs.ts";
import { ClientConnection } from "./client-connection.ts";
import type { ClientServices } from "./client-services.ts";
import type { ClientAddress } from "../access/client-address.ts";
import { WarningWatch } from "./warning-watch.ts";

/** Maximum connected clients. */
const MAX_CONNECTIONS = 256;
/** Maximum sockets without a valid token. The oldest is closed for a new one, so that none of them blocks a client. */
const MAX_WAITING = 64;

/** A handshake whose address and origin have been checked. */
export interface ClientUpgrade {
  readonly socket: Duplex;
  /** What came behind the request. */
  readonly head: Buffer;
  readonly client: ClientAddress;
}

/** The WebSocket side of the port: one `ClientConnection` for every client. */
export class ClientServer {
  readonly #options: ClientServices;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<ClientConnection>();
  /** Unauthenticated ones, oldest first. */
  readonly #waiting = new Set<ClientConnection>();
  readonly #backlogs = new ClientBacklogs();
  readonly #changes: Disposable;
  readonly #approvals: Disposable;
  readonly #config: Disposable;
  readonly #warnings: WarningWatch;

  constructor(options: ClientServices) {
    this.#options = options;
    this.#server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
    this.#changes = options.events.onSessionsChange((key) => {
      for (const connection of this.#connections) connection.notifySessionChange(key);
    });
    this.#approvals = options.approvals.onWaitingChange(() => {
      for (const connection of this.#connections) connection.notify("approvals-change", {});
    });
    this.#config = options.configControl.onChange((result) => {
      for (const connection of this.#connections) connection.notify("config-change", result);
    });
    this.#warnings = new WarningWatch({
      read: options.warnings,
      notify: (warnings) => {
        if (warnings !== undefined) for (const connection of this.#connections) connection.notify("warnings-change", { warnings });
        return this.#connections.size > 0;
      },
      clock: options.clock,
    });
  }

  /** Takes over a socket whose address and origin have been checked. */
  handleUpgrade(request: IncomingMessage, { socket, head, client }: ClientUpgrade): void {
    if (this.#connections.size >= MAX_CONNECTIONS) {
      socket.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const connection: ClientConnection = new ClientConnection(webSocket, {
        ...this.#options,
        backlogs: this.#backlogs,
        client,
        onConnect: () => {
          this.#waiting.delete(connection);
          this.#connections.add(connection);
          this.#warnings.begin();
        },
        onClose: () => {
          this.#waiting.delete(connection);
          this.#connections.delete(connection);
        },
      });
      const [oldest] = this.#waiting;
      if (oldest !== undefined && this.#waiting.size >= MAX_WAITING) {
        this.#waiting.delete(oldest);
        oldest.terminate();
      }
      this.#waiting.add(connection);
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Sends the reason to every client, and closes; a failure does not stop the rest. */
  close(reason: string): void {
    using ends = new DisposableStack();
    ends.defer(() => this.#server.close());
    ends.use(this.#warnings);
    ends.use(this.#changes);
    ends.use(this.#approvals);
    ends.use(this.#config);
    for (const connection of [...this.#waiting, ...this.#connections]) ends.defer(() => connection.close(CLOSE_CODES.shutdown, reason));
  }
}
