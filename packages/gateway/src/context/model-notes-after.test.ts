import type { SystemEvent } from "@factotum/agent-core";
import type { TranscriptEntry } from "@factotum/store";
import { expect, test } from "vitest";
import { modelNotesAfter } from "./model-notes-after.ts";

const before: readonly SystemEvent[] = [{ timestampMs: 1, text: "a.png was not sent." }];
const base = { id: "e2", sessionId: "s1", timestampMs: 2 };
const notice = (tellsModel: boolean): TranscriptEntry => ({
  ...base,
  type: "notice",
  level: "warning",
  text: "b.png was not sent.",
  ...(tellsModel ? { tellsModel } : {}),
});

test("a notice for the model is added to the earlier ones, another notice is not", () => {
  expect(modelNotesAfter(before, notice(true))).toEqual([...before, { timestampMs: 2, text: "b.png was not sent." }]);
  expect(modelNotesAfter(before, notice(false))).toEqual(before);
});

test("a message of a person clears the notes; an answer and a tool result do not", () => {
  const said = { role: "user", content: [{ type: "text", text: "And?" }], timestamp: 2 } as const;
  const result = { role: "toolResult", toolCallId: "c1", toolName: "ls", content: [], isError: false, timestamp: 2 } as const;
  expect(modelNotesAfter(before, { ...base, type: "message", message: said })).toEqual([]);
  expect(modelNotesAfter(before, { ...base, type: "message", message: result })).toEqual(before);
});
