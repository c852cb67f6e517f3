import type { Messenger, MessengerResult } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createMessageTool } from "./message-tool.ts";

let rig: ToolRig;
let sent: unknown[];
let answer: MessengerResult;

beforeEach(async () => {
  rig = await createToolRig();
  sent = [];
  answer = { type: "queued", channel: "feishu", target: "oc_1" };
});
afterEach(() => rig[Symbol.asyncDispose]());

const messenger: Messenger = {
  send(request) {
    sent.push(request);
    return Promise.resolve(answer);
  },
};
const send = (args: Parameters<ToolRig["call"]>[1]) => rig.call(createMessageTool({ messenger }), args);

test("sends to this conversation by default, once per call", async () => {
  expect(await send({ action: "send", message: "hi" })).toEqual({
    content: [{ type: "text", text: "Queued for oc_1 on feishu" }],
    details: { channel: "feishu", target: "oc_1" },
  });
  await send({ action: "send", message: "hi", channel: "telegram", target: "42" });
  expect(sent).toEqual([
    { callId: "call-1", text: "hi" },
    { callId: "call-1", text: "hi", channel: "telegram", target: "42" },
  ]);
});

test("a refusal is an error with the reason", async () => {
  answer = { type: "refused", message: "There is no channel telegram." };
  const result = await send({ action: "send", message: "hi" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe("The message was not sent: There is no channel telegram.");
});

test("attaches a file under any of its aliases, and refuses two different files", async () => {
  await send({ action: "send", message: "see", media: "a.png" });
  await send({ action: "send", path: "b.png" });
  await send({ action: "send", filePath: "c.png", media: "c.png" });
  expect(sent).toEqual([
    { callId: "call-1", text: "see", media: "a.png" },
    { callId: "call-1", text: "", media: "b.png" },
    { callId: "call-1", text: "", media: "c.png" },
  ]);
  expect((await send({ action: "send", message: "two", media: "a.png", path: "b.png" })).isError).toBe(true);
  expect((await send({ action: "send", message: "two", path: "a.png", filePath: "b.png" })).isError).toBe(true);
  expect(sent).toHaveLength(3);
});

test.each([
  { message: "hi" },
  { action: "send" },
  { action: "send", message: " " },
  { action: "delete", message: "hi" },
  { action: "send", message: "" },
])("%j is not sent", async (args) => {
  expect((await send(args)).isError).toBe(true);
  expect(sent).toEqual([]);
});
