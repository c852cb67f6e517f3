import type { AgentMessage, RunKind } from "@factotum/agent-contract";
import type { SessionRecord, Store, TranscriptEntry } from "@factotum/store";
import { expect, test } from "vitest";
import { unansweredTexts } from "./unanswered-texts.ts";

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };

/** The run that a message begins, and its answer. */
function turn(run: RunKind, answer: string, ackMaxChars?: number): readonly AgentMessage[] {
  const parts = { body: "", run, systemEvents: [], ...(ackMaxChars === undefined ? {} : { ackMaxChars }) };
  return [
    { role: "user", content: [{ type: "text", text: "Well?" }], timestamp: 1, parts },
    {
      role: "assistant",
      content: [{ type: "text", text: answer }],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "m",
      usage: USAGE,
      stopReason: "stop",
      timestamp: 2,
    },
  ];
}

async function notesAfter(...turns: readonly (readonly AgentMessage[])[]): ReturnType<typeof unansweredTexts> {
  const items = turns
    .flat()
    .map((message, index): TranscriptEntry => ({ type: "message", id: String(index), sessionId: "s1", timestampMs: index, message }));
  const store: Pick<Store, "readTranscript" | "readRecentContext"> = {
    readTranscript: async () => ({ items }),
    readRecentContext: async () => ({ entries: items, omitted: 0 }),
  };
  return unansweredTexts({ sessionId: "s1" } as SessionRecord, store);
}

const textsAfter = async (...turns: readonly (readonly AgentMessage[])[]): Promise<readonly string[]> =>
  (await notesAfter(...turns)).map(({ text }) => text);

test("texts of runs that no person began are listed once each; answers to a person and silent runs are not", async () => {
  const said = [
    turn("user", "Hello."),
    turn("heartbeat", "Tea."),
    turn("heartbeat", "Tea."),
    turn("a2a", "NO_REPLY"),
    turn("memory", "Noted."),
  ];
  expect(await textsAfter(...said)).toEqual(['You sent this here before this conversation began: "Tea."']);
});

test("people are shown the words of the model apart from those of the gateway", async () => {
  expect(await notesAfter(turn("heartbeat", "Tea."))).toMatchObject([
    {
      blocks: [
        { type: "text", text: "You sent this here before this conversation began:" },
        { type: "quote", text: "Tea." },
      ],
    },
  ]);
});

test("a heartbeat was silent or sent by the limit in its own message", async () => {
  const answer = `HEARTBEAT_OK ${"x".repeat(50)}`;
  expect(await textsAfter(turn("heartbeat", answer))).toEqual([]);
  expect(await textsAfter(turn("heartbeat", answer, 10), turn("heartbeat", `HEARTBEAT_OK ${"y".repeat(400)}`, 1000))).toEqual([
    expect.stringContaining("x".repeat(50)),
  ]);
});
