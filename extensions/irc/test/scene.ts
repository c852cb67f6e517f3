import { TestHost } from "@factotum/channel-conformance";
import type { Channel, Origin, SendReceipt } from "@factotum/channel-contract";
import { FakeIrc, ManualClock } from "@factotum/testing-channels";
import type { FakeIrcOptions } from "@factotum/testing-channels";
import { IrcConfigSchema, createIrcChannel } from "../src/index.ts";

/** A channel on a fake network, with a clock that the test advances. */
export class Scene implements AsyncDisposable {
  readonly irc: FakeIrc;
  readonly clock: ManualClock = new ManualClock();
  readonly host: TestHost;
  readonly channel: Channel;
  #sends = 0;

  private constructor(irc: FakeIrc, config: Readonly<Record<string, unknown>>) {
    this.irc = irc;
    this.host = new TestHost({ clock: this.clock });
    const flood = { burst: 100, intervalMs: 0 };
    this.channel = createIrcChannel(
      IrcConfigSchema.parse({ host: "127.0.0.1", port: irc.port, tls: false, nick: "factotum", flood, ...config }),
      this.host,
    );
  }

  static async create(config: Readonly<Record<string, unknown>> = {}, options: FakeIrcOptions = {}): Promise<Scene> {
    return new Scene(await FakeIrc.start({ flood: { penaltyMs: 0, maxMs: 1 }, ...options }), config);
  }

  static async start(config: Readonly<Record<string, unknown>> = {}, options: FakeIrcOptions = {}): Promise<Scene> {
    const scene = await Scene.create(config, options);
    await scene.channel.start({ signal: AbortSignal.timeout(60_000) });
    return scene;
  }

  /** Sends a text to a person (`account:…`, `nick:…`) or a channel. */
  send(id: string, text: string): Promise<SendReceipt> {
    this.#sends += 1;
    const conversation: Origin["conversation"] = { kind: id.startsWith("#") ? "channel" : "direct", id };
    return this.channel.send(
      { channel: "irc", accountId: this.host.accountId, conversation },
      { type: "text", text },
      { signal: AbortSignal.timeout(60_000), idempotencyKey: `send-${this.#sends}` },
    );
  }

  /** Lets time pass in steps, in which the server answers what it is asked. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 10_000) {
      this.clock.advance(Math.min(left, 10_000));
      await this.irc.answered();
    }
  }

  /** Advances to the next timer, such as a reconnection. */
  advanceToNext(): void {
    this.clock.advance(this.clock.pending[0] ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.irc.release();
    await this.channel.stop({ signal: AbortSignal.abort() });
    await this.irc[Symbol.asyncDispose]();
  }
}
