import { type ChatEntry, retryKey } from "@factotum/protocol";
import { expect, test } from "vitest";
import { toChatItems } from "./chat-items.ts";
import { findRetry } from "./find-retry.ts";
import { hideRetries } from "./hide-retries.ts";

let serial = 0;
const base = () => ({ id: String((serial += 1)).padStart(4, "0"), timestampMs: 0 });
const user = (text: string): ChatEntry => ({ type: "user", ...base(), text, channel: "webchat" });
const notice = (level: "info" | "warning" | "error"): ChatEntry => ({ type: "notice", ...base(), level, text: level });
const answer = (stopReason: "stop" | "error" | "aborted" | "toolUse", text = "Yes."): ChatEntry => ({
  type: "assistant",
  ...base(),
  text,
  toolCalls: [],
  model: "m",
  stopReason,
});

const stoppedTool = (): ChatEntry => ({
  type: "tool-result",
  ...base(),
  callId: "c",
  name: "exec",
  text: "",
  isError: true,
  isStopped: true,
});

test.each([
  ["refused by the provider", [user("a"), notice("error")], "a"],
  ["over a cap", [user("a"), notice("warning")], "a"],
  ["broken off", [user("a"), answer("error"), notice("error")], "a"],
  ["failed after a step", [user("a"), answer("toolUse"), notice("error")], "a"],
  ["stopped", [user("a"), answer("aborted"), notice("info")], "a"],
  ["stopped before it was answered", [user("a"), notice("info")], "a"],
  ["stopped in a tool", [user("a"), answer("toolUse", ""), stoppedTool(), notice("info")], "a"],
  ["stopped by a command", [user("a"), answer("aborted"), notice("info"), user("/stop"), notice("info")], "a"],
  ["dropped by a command", [user("a"), notice("info"), user("b"), notice("info"), user("/stop"), notice("info")], "b"],
  ["answered, before a command stopped nothing", [user("a"), answer("stop"), user("/stop"), notice("info")], undefined],
  ["answered", [user("a"), answer("stop")], undefined],
  ["answered with a warning beside", [user("a"), answer("stop"), notice("warning")], undefined],
  ["running, with a notice about a tool", [user("a"), answer("toolUse", ""), notice("info")], undefined],
  ["a command", [user("/model x"), notice("warning")], undefined],
  ["at work", [user("a")], undefined],
  ["answered since", [user("a"), notice("error"), user("b"), answer("stop")], undefined],
  ["nothing said", [], undefined],
] as const)("finds out if an input that was %s can be sent again", (_name, entries, text) => {
  expect(findRetry(entries)?.text).toBe(text);
});

test("further attempts at a message are hidden; a message that was typed again is not", () => {
  const said = (text: string, idempotencyKey: string): ChatEntry => ({ ...user(text), idempotencyKey }) as ChatEntry;
  const shown = (entries: readonly ChatEntry[]): readonly string[] =>
    hideRetries(toChatItems(entries, undefined)).map((item) => ("text" in item ? item.text : item.type));
  const retries = ["1", "2"].map((id) => said("a", retryKey(retryKey("k", "0"), id)));
  const [first, second] = retries as [ChatEntry, ChatEntry];
  expect(shown([said("a", "k"), notice("error"), first, notice("error"), second, answer("stop")])).toEqual(["a", "error", "error", "Yes."]);
  expect(shown([said("a", "k"), notice("error"), said("a", "other")])).toEqual(["a", "error", "a"]);
  // The failed message is on an older page.
  expect(shown([first, notice("error"), second])).toEqual(["a", "error"]);
});
