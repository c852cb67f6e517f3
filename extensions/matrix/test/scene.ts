import { TestHost } from "@factotum/channel-conformance";
import type { Channel, Conversation, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { FakeMatrix } from "@factotum/testing-channels";
import type { MatrixContent, MatrixStoredEvent } from "@factotum/testing-channels";
import { createMatrixChannel } from "../src/index.ts";

export const ALICE = "@alice:fake.example";
export const BOB = "@bob:fake.example";
export const DIRECT = "!direct:fake.example";
export const GROUP = "!group:fake.example";

/** A homeserver with a direct chat with Alice, and a group with Alice and Bob. */
export async function startFakeMatrix(now?: () => number): Promise<FakeMatrix> {
  const matrix = await FakeMatrix.start(now === undefined ? {} : { now });
  const { bot } = matrix.app;
  matrix.store.createRoom({ creator: ALICE, members: [bot.id], isDirect: true }, DIRECT);
  const group = matrix.store.createRoom({ creator: ALICE, members: [bot.id, BOB], name: "Family" }, GROUP);
  const levels = { users: { [ALICE]: 100, [bot.id]: 50 }, users_default: 0, state_default: 50, redact: 50 };
  matrix.store.append({ roomId: group.id, type: "m.room.power_levels", sender: ALICE, content: levels, stateKey: "" });
  matrix.setDirect(bot.id, { [ALICE]: [DIRECT] });
  return matrix;
}

/** A fake platform, a gateway and the channel of one account, not started. */
export interface MatrixScene extends AsyncDisposable {
  readonly matrix: FakeMatrix;
  readonly host: TestHost;
  readonly channel: Channel;
  /** Another channel of the same account. */
  another(): Channel;
  /** Starts the channel, and waits until it has a position. */
  start(): Promise<void>;
  /** A person writes; resolves once the channel has asked for later events. */
  write(
    content: MatrixContent,
    more?: { readonly roomId?: string; readonly sender?: string; readonly type?: string },
  ): Promise<MatrixStoredEvent>;
  send(outbound: Outbound, conversation?: Conversation): Promise<SendReceipt>;
}

/** Starts the platform. */
export async function startScene(host: TestHost = new TestHost()): Promise<MatrixScene> {
  const matrix = await startFakeMatrix();
  const channels: Channel[] = [];
  const another = (): Channel => {
    const { bot } = matrix.app;
    const channel = createMatrixChannel({ homeserver: matrix.baseUrl, userId: bot.id, accessToken: bot.token }, host);
    channels.push(channel);
    return channel;
  };
  const channel = another();
  let sends = 0;
  return {
    matrix,
    host,
    channel,
    another,
    async start() {
      await channel.start({ signal: AbortSignal.timeout(60_000) });
      await matrix.syncs.positioned();
    },
    async write(content, { roomId = DIRECT, sender = ALICE, type = "m.room.message" } = {}) {
      let event: MatrixStoredEvent | undefined;
      await matrix.syncs.deliver(() => {
        event = matrix.store.append({ roomId, type, sender, content });
        return matrix.store.position;
      });
      if (event === undefined) throw new Error("nothing was written");
      return event;
    },
    async send(outbound, conversation = { kind: "direct", id: DIRECT }) {
      sends += 1;
      const target: Origin = { channel: "matrix", accountId: host.accountId, conversation };
      return channel.send(target, outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: `k${sends}` });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(channels.map(async (one) => one.stop({ signal: AbortSignal.abort() })));
      await matrix[Symbol.asyncDispose]();
    },
  };
}
