import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import {
  connectionHealth,
  createConnectionSupervisor,
  createReceiveQueue,
  createUnreadableEvents,
  openWebSocket,
} from "@factotum/channel-kit";
import type { SocketControl, WebSocketConnection } from "@factotum/channel-kit";
import type { SampleChatApi } from "../api/sample-chat-api.ts";
import type { SampleChatConfig } from "../config.ts";
import { withChannelErrors } from "../errors.ts";
import { readMessage } from "../inbound/accept-event.ts";
import { readFrame } from "./read-frame.ts";

const HEARTBEAT_MS = 30_000;

/** The receiving half of a channel; the members are those of `Channel`. */
export interface Transport {
  start(options: CallOptions): Promise<void>;
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  health(): ChannelHealth;
  stop(options: CallOptions): Promise<void>;
}

/** Dependencies of the transport. */
export interface TransportParts {
  readonly api: SampleChatApi;
  readonly host: ChannelHost;
  readonly config: SampleChatConfig;
}

/**
 * Makes the transport that keeps a connection open. The platform sends each event once: the receive queue passes it on again until it is stored. For a platform
 * that acknowledges or resumes, call `acceptEvent` and confirm what it resolves with.
 */
export function createTransport({ api, host, config }: TransportParts): Transport {
  const received = createReceiveQueue(host);
  const unreadable = createUnreadableEvents(host);
  let evidenceAtMs: number | undefined;
  let botId = "";

  const onMessage = (data: string | Uint8Array, socket: SocketControl): void => {
    const frame = readFrame(data);
    if (frame.type === "malformed") return unreadable.record("a frame is no event");
    evidenceAtMs = host.clock.now();
    if (frame.type === "hello") return socket.ready();
    if (frame.type !== "event") return;
    const read = readMessage(frame.payload, { accountId: host.accountId, botId });
    if (read.type === "message") received.add(read.message);
    if (read.type === "unreadable") unreadable.record(read.reason);
  };
  const supervisor = createConnectionSupervisor<WebSocketConnection>({
    async open({ signal }) {
      botId = await api.me({ signal });
      return openWebSocket({
        url: `${config.baseUrl.replace(/^http/, "ws").replace(/\/$/, "")}/v1/events`,
        platform: "Sample Chat",
        clock: host.clock,
        signal,
        awaitsReady: true,
        onOpen: (socket) => socket.send(JSON.stringify({ type: "login", token: config.token })),
        onMessage,
        heartbeat: { intervalMs: HEARTBEAT_MS, ping: () => JSON.stringify({ type: "ping" }) },
        closeCodes: { 4001: "unauthorized" },
      });
    },
    onRetry: (failure, delayMs) => host.logger.warn("sample-chat connection lost", { delayMs, error: failure.message }),
    clock: host.clock,
    random: host.random,
  });
  return {
    start: (options) => withChannelErrors(supervisor.start(options)),
    handleWebhook: () => Promise.resolve(new Response(undefined, { status: 404 })),
    health: () => received.addTo(unreadable.addTo(connectionHealth(supervisor, { evidenceAtMs }))),
    async stop(options) {
      await supervisor.stop(options);
      await received.stop(options);
    },
  };
}
