import type { Random, Clock } from "@factotum/agent-contract";
import type { SessionStore, TranscriptStore } from "@factotum/store";
import type { WebchatDelivery, WebchatInput, WebchatSocket } from "@factotum/protocol";
import type { SessionEvents } from "../events/session-events.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import { publishEntry } from "../delivery/publish-entry.ts";

interface WebchatHubOptions {
  readonly store: SessionStore & TranscriptStore;
  readonly running: RunningConfig;
  readonly media: MediaStage;
  readonly events: SessionEvents;
  readonly clock: Clock;
  readonly random: Random;
}

/** The gateway's side of the WebChat channel: inputs of the socket go in, deliveries become entries of the conversation. */
export class WebchatHub implements WebchatSocket {
  #handler: ((input: WebchatInput) => Promise<"accepted" | "duplicate">) | undefined;
  #options: WebchatHubOptions | undefined;

  /** Attaches the store and the events; before that nothing can be delivered. */
  connect(options: WebchatHubOptions): void {
    this.#options = options;
  }

  listen(handler: (input: WebchatInput) => Promise<"accepted" | "duplicate">): Disposable {
    this.#handler = handler;
    return {
      [Symbol.dispose]: () => {
        if (this.#handler === handler) this.#handler = undefined;
      },
    };
  }

  /** Passes an input to the channel; `undefined` if it is not running. */
  async submit(input: WebchatInput): Promise<"accepted" | "duplicate" | undefined> {
    return this.#handler?.(input);
  }

  async readUpload(ref: string): Promise<Uint8Array | undefined> {
    return this.#options?.media.uploads.read(ref);
  }

  async deliver(delivery: WebchatDelivery): Promise<{ readonly entryId: string }> {
    const options = this.#options;
    if (options === undefined) throw new Error("the gateway has not started");
    const { store, clock, random } = options;
    const { config } = options.running;
    const earlier = await store.findNotice(delivery.idempotencyKey);
    if (earlier !== undefined) return { entryId: earlier.id };
    const agentId = parseAgentSessionKey(delivery.sessionKey)?.agentId ?? config.defaultAgentId;
    const session =
      (await store.readSession(delivery.sessionKey)) ??
      (await store.createSession(
        { key: delivery.sessionKey, sessionId: random.uuid(), agentId, isPrivate: true, displayName: "webchat" },
        { nowMs: clock.now() },
      ));
    const entry = await store.appendEntry(
      session.sessionId,
      {
        type: "notice",
        level: "info",
        text: delivery.text,
        // The gateway's own words have no rows here: this is what a model sends.
        blocks: [{ type: "quote", text: delivery.text }],
        key: delivery.idempotencyKey,
      },
      { timestampMs: clock.now() },
    );
    publishEntry(options, delivery.sessionKey, entry, undefined);
    return { entryId: entry.id };
  }
}
