import type { ChatEntry } from "@factotum/protocol";
import { expect, test } from "vitest";
import { toChatItems } from "./chat-items.ts";
import { findRetry } from "./find-retry.ts";
import { hideRepeats } from "./hide-repeats.ts";

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

test("a message that is repeated after a failure is shown once; after an answer it is shown again", () => {
  const shown = (entries: readonly ChatEntry[]): readonly string[] =>
    hideRepeats(toChatItems(entries, undefined)).map((item) => (item.type === "tool" ? item.name : "text" in item ? item.text : item.type));
  expect(shown([user("a"), notice("error"), user("a"), notice("error"), user("a"), answer("stop")])).toEqual([
    "a",
    "error",
    "error",
    "Yes.",
  ]);
  expect(shown([user("a"), notice("error"), user("b")])).toEqual(["a", "error", "b"]);
  expect(shown([user("a"), answer("stop"), user("a")])).toEqual(["a", "Yes.", "a"]);
  expect(shown([user("a"), answer("error", "half"), user("a")])).toEqual(["a", "half", "answer-end", "a"]);
  expect(shown([user("a"), notice("info"), user("a"), answer("stop")])).toEqual(["a", "info", "Yes."]);
  expect(shown([user("/status"), notice("info"), user("/status"), notice("info")])).toEqual(["/status", "info", "/status", "info"]);
});
