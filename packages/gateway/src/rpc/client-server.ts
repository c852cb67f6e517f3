import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { CLOSE_CODES, MAX_FRAME_BYTES } from "@factotum/protocol";
import type { ChannelStatus, RpcEvent, RpcEvents } from "@factotum/protocol";
import { WebSocketServer } from "ws";
import { ClientBacklogs } from "./client-backlogs.ts";
import { ClientConnection } from "./client-connection.ts";
import type { ClientServices } from "./client-services.ts";
import type { ClientAddress } from "../access/client-address.ts";
import { ChangeWatch } from "./change-watch.ts";

/** Maximum connected clients. */
const MAX_CONNECTIONS = 256;
/** Maximum sockets without a valid token. The oldest is closed for a new one, so that none of them blocks a client. */
const MAX_WAITING = 64;

/** Between two looks at the warnings. */
const WARNINGS_MS = 5_000;
/** Between two looks at the health of channels: what the page shows is at most a second old. */
const CHANNELS_MS = 1_000;
/** Newer signs of an account are announced at this interval at most. */
const SIGN_MS = 10_000;

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
  readonly #changes: readonly Disposable[];
  readonly #watches: readonly Pick<ChangeWatch<object>, "begin" | typeof Symbol.dispose>[];

  constructor(options: ClientServices) {
    this.#options = options;
    this.#server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
    this.#changes = [
      options.events.onSessionsChange((key) => {
        for (const connection of this.#connections) connection.notifySessionChange(key);
      }),
      options.approvals.onWaitingChange(() => this.#notify("approvals-change", {})),
      options.configControl.onChange((result) => this.#notify("config-change", result)),
      options.jobs.onChange(() => this.#notify("jobs-change", {})),
      options.notes.onChange((agentId) => options.files.announce({ agentId, kind: "notes" })),
      options.files.onChange(({ agentId, kind }) => {
        if (kind === "notes") this.#notify("memory-change", { agentId });
        else this.#notify("files-change", { agentId, kind });
      }),
      options.deadLetters.onChange(() => this.#notify("deadletters-change", {})),
    ];
    const { clock } = options;
    this.#watches = [
      new ChangeWatch({
        read: options.warnings,
        notify: (warnings) => (warnings === undefined ? this.#connections.size > 0 : this.#notify("warnings-change", { warnings })),
        everyMs: WARNINGS_MS,
        clock,
      }),
      new ChangeWatch({
        read: () => [...options.channels().map(withoutOftenChanging), ...options.pairingCodes()],
        notify: (changed) => (changed === undefined ? this.#connections.size > 0 : this.#notify("channels-change", {})),
        everyMs: CHANNELS_MS,
        clock,
      }),
    ];
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
          for (const watch of this.#watches) watch.begin();
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
    for (const end of [...this.#watches, ...this.#changes]) ends.use(end);
    for (const connection of [...this.#waiting, ...this.#connections]) ends.defer(() => connection.close(CLOSE_CODES.shutdown, reason));
  }

  /** Sends an event to every client; false without any. */
  #notify<Event extends RpcEvent>(event: Event, payload: RpcEvents[Event]): boolean {
    for (const connection of this.#connections) connection.notify(event, payload);
    return this.#connections.size > 0;
  }
}

/** A busy account has a newer sign at every look. */
function withoutOftenChanging({ evidenceAtMs = 0, lastInboundAtMs = 0, ...status }: ChannelStatus): ChannelStatus {
  const rounded = (atMs: number): number => Math.floor(atMs / SIGN_MS);
  return { ...status, evidenceAtMs: rounded(evidenceAtMs), lastInboundAtMs: rounded(lastInboundAtMs) };
}
