import type { AgentMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sendableFaults } from "../../test/sendable-faults.ts";
import { anyHistory, asks, IMAGE, says, toolResult, turn } from "../../test/histories.ts";
import { projectMessages } from "../projection/project-messages.ts";
import { quarantine } from "./quarantine.ts";

const thinks: AgentMessage = { ...says("so"), content: [{ type: "thinking", text: "hm", signature: { s: "1" } }, ...says("so").content] };
const HISTORY = [
  turn("one", {}, [IMAGE]),
  asks("toolu_aaaa", "toolu_bbbb"),
  toolResult("toolu_aaaa"),
  toolResult("toolu_bbbb", "seen", [IMAGE]),
  thinks,
  turn("two"),
  asks("toolu_cccc"),
  toolResult("toolu_cccc"),
  says("done"),
  turn("now"),
];
const taken = (message: string, history: readonly AgentMessage[] = HISTORY) => {
  const found = quarantine(history, { message });
  return found === undefined ? undefined : [found.item, ...found.replaced.map(({ index }) => index)];
};

describe("quarantine", () => {
  test.each([
    ["messages.1: `tool_use` ids were found without results: toolu_aaaa", ["tool-call", 1]],
    ["Could not process image", ["image", 3]],
    ["messages.0.content.1.image.source.base64: invalid", ["image", 0]],
    ["Invalid `signature` in `thinking` block", ["thinking", 4]],
    ["messages.3.content.0: The block is bound to a different conversation", ["thinking", 4]],
    ["Invalid tool arguments", ["tool-call", 6]],
    ["messages.1: invalid function call", ["tool-call", 1]],
    ["request is malformed", ["image", 3]],
  ])("%s", (message, expected) => {
    expect(taken(message)).toEqual(expected);
  });

  test.each([
    "messages.12.content.0: bad image",
    "messages[12]: bad image",
    "messages.[12]: bad image",
    "contents[12]: bad image",
    "input[12]: bad image",
  ])("reads a position of two digits whole: %s", (message) => {
    const long = Array.from({ length: 10 }, (_, index) => [turn(`${index}`, {}, [IMAGE]), says("yes")]).flat();
    expect(taken(message, [...long, turn("now")])).toEqual(["image", 12]);
  });

  test.each(["message 2: bad image", "submessages.2: bad image", "messages: 2 bad images", "reinput[2]: bad image"])(
    "ignores what is not a position: %s",
    (message) => {
      expect(
        taken(message, [turn("1"), says("a"), turn("2", {}, [IMAGE]), says("b"), turn("3", {}, [IMAGE]), says("c"), turn("now")]),
      ).toEqual(["image", 4]);
    },
  );

  test("allows a history to end with an answer if it did before", () => {
    expect(taken("bad request", [turn("one"), says("two"), turn("three"), says("four")])).toEqual(["text", 3]);
  });

  test("replaces only answers with thinking, and keeps their other content", () => {
    const found = quarantine([turn("one"), says("plain"), turn("two"), thinks, turn("now")], { message: "Invalid signature" });
    expect(found?.replaced).toEqual([{ index: 3, message: { ...thinks, content: says("so").content } }]);
  });

  test("maps a result to the nearest earlier call with its id", () => {
    const again = [
      turn("one"),
      asks("toolu_aaaa"),
      toolResult("toolu_aaaa"),
      says("a"),
      turn("two"),
      asks("toolu_bbbb"),
      toolResult("toolu_bbbb"),
    ];
    expect(taken("messages.2: invalid tool content", [...again, says("b"), turn("now")])).toEqual(["tool-call", 1]);
  });

  test("counts user and tool messages between two answers as one place", () => {
    const shown = toolResult("toolu_bbbb", "seen", [IMAGE]);
    const history = [
      turn("1"),
      asks("toolu_aaaa", "toolu_bbbb"),
      toolResult("toolu_aaaa"),
      shown,
      says("a"),
      turn("2", {}, [IMAGE]),
      says("b"),
      turn("now"),
    ];
    expect(taken("messages.2: bad image", history)).toEqual(["image", 3]);
    expect(taken("messages.4: bad image", history)).toEqual(["image", 5]);
  });

  test("removes one of two calls, with its result", () => {
    const found = quarantine(HISTORY, { message: "no output for toolu_aaaa" });
    const projected = projectMessages(found?.messages ?? []);
    expect(projected).toHaveLength(HISTORY.length - 1);
    expect(projected[1]?.content).toMatchObject([
      { type: "text", text: expect.stringContaining("call of ls left out") as string },
      { id: "toolu_bbbb" },
    ]);
    expect(projected[2]).toBe(HISTORY[3]);
  });

  test("removes the result and keeps the call in the middle of a turn, so that the request can be answered", () => {
    const atWork = [turn("now"), asks("toolu_dddd"), toolResult("toolu_dddd", "poison")];
    const found = quarantine(atWork, { message: "messages.2: tool result toolu_dddd cannot be read" });
    expect(found?.item).toBe("text");
    expect(projectMessages(found?.messages ?? [])).toMatchObject([
      {},
      {},
      { role: "toolResult", content: [{ text: expect.stringContaining("left out") as string }] },
    ]);
  });

  test("reports a guess", () => {
    const guess = (message: string): boolean | undefined => quarantine(HISTORY, { message })?.isGuess;
    expect(guess("request is malformed")).toBe(true);
    for (const message of ["Could not process image", "messages.3: bad", "toolu_cccc: no"]) expect(guess(message)).toBe(false);
  });

  test("never removes the user's last message, and reports when nothing is left", () => {
    expect(taken("bad request", [turn("now")])).toBeUndefined();
    expect(taken("bad request", [turn("one"), says("two"), turn("now")])).toEqual(["text", 1]);
  });

  test("changes the request at each step, keeps it sendable, and terminates", () => {
    fc.assert(
      fc.property(anyHistory, fc.constantFrom("image", "signature", "tool", "?", "messages.2: x", "call_0_0"), (history, message) => {
        let messages: readonly AgentMessage[] = [...history, turn("now")];
        const steps = 2 + messages.reduce((sum, { content }) => sum + content.length, 0);
        const faults: string[] = [];
        for (let step = 0; ; step++) {
          if (step > steps) throw new Error("it does not end");
          const found = quarantine(messages, { message });
          if (found === undefined) break;
          const projected = projectMessages(found.messages);
          faults.push(...sendableFaults(projected));
          if (found.replaced.length === 0 || found.messages.length !== messages.length) faults.push("not a replacement");
          if (JSON.stringify(projected) === JSON.stringify(projectMessages(messages))) faults.push("the same request");
          messages = found.messages;
        }
        expect(faults).toEqual([]);
        expect(projectMessages(messages).at(-1)).toEqual(turn("now"));
      }),
      { numRuns: 50 },
    );
  });
});
