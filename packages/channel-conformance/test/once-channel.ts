import type { CallOptions, Channel, ChannelHost, MsgContext } from "@factotum/channel-contract";
import type { TestHost } from "../src/index.ts";
import { ReferenceChannel } from "./reference-channel.ts";
import type { ReferencePlatform } from "./reference-platform.ts";

/** Possible defects of an adapter for a platform that delivers each event once. */
export type OnceDefect = "drops-what-was-not-stored" | "overtakes-what-was-not-stored" | "hides-what-waits" | "forgets-at-stop";

/** The exact failures of each faulty adapter. */
export const WRONG_ONCE_ADAPTERS: Readonly<Record<OnceDefect, readonly string[]>> = {
  "drops-what-was-not-stored": ["once:retried", "once:order", "once:health", "once:stop"],
  "overtakes-what-was-not-stored": ["once:order", "once:stop"],
  "hides-what-waits": ["once:health", "health:not-stored"],
  "forgets-at-stop": ["once:stop"],
};

const RETRY_MS = 100;
/** How long the late adapter takes to look something up. */
const LOOKUP_MS = 20;

/** Passes messages on in order, again until they are stored. */
class Inbox {
  readonly #host: TestHost;
  readonly #defect: OnceDefect | undefined;
  readonly #queue: MsgContext[] = [];
  #isBusy = false;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(host: TestHost, defect: OnceDefect | undefined) {
    this.#host = host;
    this.#defect = defect;
  }

  get isWaiting(): boolean {
    return this.#hasFailed;
  }

  add(message: MsgContext): void {
    this.#queue.push(message);
    this.#pump();
  }

  async stop({ signal }: CallOptions): Promise<void> {
    const idle = new Promise<void>((resolve) => (this.#onIdle = resolve));
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#pump();
    if (!signal.aborted && this.#defect !== "forgets-at-stop") await Promise.race([idle, aborted]);
    clearTimeout(this.#timer);
  }

  #pump(): void {
    if (this.#isBusy) return;
    const message = this.#queue.shift();
    if (message === undefined) return this.#onIdle?.();
    this.#isBusy = true;
    void this.#host.receive(message).then(
      () => {
        this.#isBusy = false;
        this.#hasFailed = false;
        this.#pump();
      },
      () => this.#failed(message),
    );
  }

  #failed(message: MsgContext): void {
    this.#hasFailed = true;
    if (this.#defect === "drops-what-was-not-stored") {
      this.#isBusy = false;
      return;
    }
    if (this.#defect === "overtakes-what-was-not-stored") {
      this.#isBusy = false;
      this.#timer = setTimeout(() => this.add(message), RETRY_MS);
      return;
    }
    this.#queue.unshift(message);
    this.#timer = setTimeout(() => {
      this.#isBusy = false;
      this.#pump();
    }, RETRY_MS);
  }
}

/** The reference adapter, by connection, as if its platform delivered each event once. */
export function createOnceChannel(input: {
  readonly platform: ReferencePlatform;
  readonly host: ChannelHost;
  readonly credential: "right" | "wrong";
  readonly defect?: OnceDefect | undefined;
  /** Passes each event on some turns of the event loop after it was read. */
  readonly isLate?: boolean;
}): Channel {
  const { platform, credential, defect, isLate = false } = input;
  const host = input.host as TestHost;
  const inbox = new Inbox(host, defect);
  const { accountId, state, commands, webhookUrl, clock, logger, random } = host;
  const channel = new ReferenceChannel({
    platform,
    credential,
    host: {
      accountId,
      state,
      commands,
      webhookUrl,
      clock,
      logger,
      random,
      fetch: host.fetch,
      commit: (progress) => host.commit(progress),
      cursor: () => host.cursor(),
      admits: () => host.admits(),
      fetchPublic: (url, options) => host.fetchPublic(url, options),
      receive: (message) => {
        if (isLate) setTimeout(() => inbox.add(message), LOOKUP_MS);
        else inbox.add(message);
        return Promise.resolve("accepted");
      },
    },
    defect: undefined,
    isPlain: true,
  });
  return {
    capabilities: { ...channel.capabilities, inbound: { delivery: "once", transport: "connection" } },
    start: (options) => channel.start(options),
    handleWebhook: (request, options) => channel.handleWebhook(request, options),
    send: (target, outbound, options) => channel.send(target, outbound, options),
    act: (action, options) => channel.act(action, options),
    fetchAttachment: (ref, options) => channel.fetchAttachment(ref, options),
    fetchContext: (message, options) => channel.fetchContext(message, options),
    resolveTarget: (query) => channel.resolveTarget(query),
    health() {
      const health = channel.health();
      if (!inbox.isWaiting || defect === "hides-what-waits") return health;
      return { ...health, state: health.state === "connected" ? "degraded" : health.state, detail: "a message waits to be stored" };
    },
    async stop(options) {
      await channel.stop(options);
      await inbox.stop(options);
    },
  };
}
