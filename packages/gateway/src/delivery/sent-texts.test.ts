import type { JsonObject, ToolResultMessage } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { sentText } from "./sent-texts.ts";

const ORIGIN: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };
const SENT: JsonObject = { channel: "test", target: "dm-1" };

function sent(
  call: { readonly name?: string; readonly arguments?: JsonObject },
  result: Partial<Pick<ToolResultMessage, "isError" | "details">> = {},
): string | undefined {
  const content = [{ type: "text" as const, text: "Sent." }];
  return sentText(
    { name: "message", arguments: { action: "send", message: " Hello " }, ...call },
    { role: "toolResult", toolCallId: "c1", toolName: "message", content, isError: false, details: SENT, timestamp: 1, ...result },
    ORIGIN,
  );
}

test("a message to the run's own conversation counts as sent there, a file alone with empty text", () => {
  expect(sent({})).toBe("Hello");
  expect(sent({ arguments: { action: "send", media: "a.png" } })).toBe("");
  expect(sent({ arguments: { action: "poll", message: "Tea?" } })).toBe("");
});

test.each<[string, ...Parameters<typeof sent>]>([
  ["another tool", { name: "exec" }],
  ["an edit", { arguments: { action: "edit", messageId: "o1", message: "Hello" } }],
  ["a failed call", {}, { isError: true }],
  ["another conversation", {}, { details: { ...SENT, target: "dm-2" } }],
  ["another channel", {}, { details: { ...SENT, channel: "other" } }],
  ["a result without details", {}, { details: undefined as never }],
  ["a result whose details are a list", {}, { details: [] as never }],
])("%s does not count as sent to the run's own conversation", (_name, call, result) => {
  expect(sent(call, result)).toBeUndefined();
});
