import { messageId } from "@factotum/channel-contract";
import type { Origin, Outbound } from "@factotum/channel-contract";
import type { OutboxRecord, OutboxState, TurnRecord } from "@factotum/store";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/manual-clock.ts";
import { TestPlatform } from "../../../test/gateway-harness.ts";
import { PreviewStream } from "./preview-stream.ts";
import type { PreviewStreamOptions } from "./preview-stream.ts";

const INTERVAL_MS = 1_000;
const ORIGIN: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };
const ACCEPTED: OutboxState = { type: "accepted", messageIds: [messageId("p1")] };

/** The preview of a resumed turn, whose message an earlier process left in `state`. */
class Scene {
  readonly clock = createManualClock();
  readonly sent: Outbound[] = [];
  readonly stream: PreviewStream;
  state: OutboxState;

  constructor(state: OutboxState) {
    this.state = state;
    const row = async (): Promise<OutboxRecord> =>
      ({ id: "o1", state: this.state, outbound: { type: "text", text: "Hello" }, covers: { answer: 0, start: 0, end: 5 } }) as OutboxRecord;
    const platform = new TestPlatform("platform", { edit: true, streaming: "edit" });
    const { channel } = platform;
    this.stream = new PreviewStream({
      turn: { id: "t1", sessionKey: "agent:main:main", origin: ORIGIN } as TurnRecord,
      channel: {
        ...channel,
        send: async (_target: Origin, outbound: Outbound) => {
          this.sent.push(outbound);
          return { type: "accepted", messageIds: [messageId("p1")] } as const;
        },
      },
      mode: "partial",
      limits: { maxLength: 4_000 },
      replyToMode: "first",
      isKnownMessage: async () => true,
      answersBefore: 0,
      isResumed: true,
      sentTexts: () => [],
      signal: new AbortController().signal,
      parts: {
        clock: this.clock,
        store: { findOutbound: row, readOutbound: row },
        dispatcher: { holds: () => true, isBusy: () => false, mayAlsoSend: () => true, hasMoved: () => false },
        logger: { warn: () => undefined },
        hideSecrets: (text: string) => text,
      } as unknown as PreviewStreamOptions["parts"],
    });
  }

  async write(text: string): Promise<void> {
    await this.stream.push({ type: "text-delta", text } as Parameters<PreviewStream["push"]>[0]);
  }

  /** Runs the preview until it waits for its next interval. */
  async tick(): Promise<void> {
    await this.clock.scheduled(INTERVAL_MS);
    this.clock.run(INTERVAL_MS);
  }
}

test.each<OutboxState["type"]>(["waiting", "sending"])(
  "a preview whose message is %s after a restart grows once the message is there",
  async (type) => {
    const scene = new Scene({ type } as OutboxState);
    await scene.write("Hello there");
    await scene.tick();
    await scene.tick();
    await scene.clock.scheduled(INTERVAL_MS);
    expect(scene.sent).toEqual([]);
    scene.state = ACCEPTED;
    await scene.tick();
    expect(await scene.stream.finish()).toEqual({ type: "preview", shown: 11, rowId: "o1" });
    expect(scene.sent).toEqual([{ type: "edit", targetId: "p1", text: "Hello there" }]);
  },
);

test("a preview whose message was never shown is given up after a restart", async () => {
  const scene = new Scene({ type: "replaced", reason: "it came too late" });
  await scene.write("Hello there");
  await scene.tick();
  expect(await scene.stream.finish()).toMatchObject({ type: "preview", rowId: "o1" });
  await scene.write(" and more");
  expect(scene.sent).toEqual([]);
});
