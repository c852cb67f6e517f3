import type { AgentMessage, AssistantMessage, ToolResultMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sendableFaults } from "../../test/sendable-faults.ts";
import { assistant, call, user } from "../../test/scripted-model.ts";
import { projectMessages } from "./project-messages.ts";

const result = (id: string, said = `result of ${id}`): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "ls",
  content: [{ type: "text", text: said }],
  isError: false,
  timestamp: 2_000,
});
const asks = (...ids: readonly string[]): AssistantMessage =>
  assistant(
    "",
    ids.map((id) => call(id, "ls")),
  );
const shape = (messages: readonly AgentMessage[]): string[] =>
  messages.map((message) => {
    if (message.role === "toolResult") return `${message.toolCallId}${message.isError ? "!" : ""}`;
    if (message.role === "user") return "user";
    const ids = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
    return ids.length === 0 ? "says" : `asks ${ids.join(" ")}`;
  });

describe("projectMessages", () => {
  test("returns a valid history unchanged, with the same objects", () => {
    const history = [user("hi"), asks("a", "b"), result("a"), result("b"), assistant("Done"), user("more")];
    const projected = projectMessages(history);
    expect(projected).toHaveLength(history.length);
    for (const [index, message] of projected.entries()) expect(message).toBe(history[index]);
  });

  test.each<[string, readonly AgentMessage[], readonly string[]]>([
    ["substitutes a missing result", [user("hi"), asks("a"), user("well?")], ["user", "asks a", "a!", "user"]],
    ["substitutes one of several results", [user("hi"), asks("a", "b"), result("b")], ["user", "asks a b", "a!", "b"]],
    ["moves a late result up", [user("hi"), asks("a"), user("well?"), result("a")], ["user", "asks a", "a", "user"]],
    ["puts results into call order", [user("hi"), asks("a", "b"), result("b"), result("a")], ["user", "asks a b", "a", "b"]],
    ["drops a result without a call", [user("hi"), result("x"), assistant("Done")], ["user", "says"]],
    ["drops a second result", [user("hi"), asks("a"), result("a"), result("a")], ["user", "asks a", "a"]],
    ["starts with the user", [assistant("Welcome"), asks("a"), result("a"), user("hi")], ["user"]],
    [
      "gives ids that come again a suffix",
      [user("hi"), asks("a"), result("a"), asks("a"), result("a")],
      ["user", "asks a", "a", "asks a_2", "a_2"],
    ],
    ["makes ids unique inside one message", [user("hi"), asks("a", "a"), result("a"), result("a")], ["user", "asks a a_2", "a", "a_2"]],
    [
      "avoids existing ids that look like its suffixes",
      [user("hi"), asks("a_2", "a", "a")],
      ["user", "asks a_2 a a_3", "a_2!", "a!", "a_3!"],
    ],
    [
      "does not give a later call the result of an earlier one",
      [user("hi"), asks("a"), asks("a"), result("a")],
      ["user", "asks a", "a!", "asks a_2", "a_2"],
    ],
    ["drops an empty answer", [user("hi"), assistant(" \n"), user("there?")], ["user", "user"]],
    ["drops an empty user message", [user("hi"), user("")], ["user"]],
    ["projects an empty history to nothing", [assistant("Done"), result("a")], []],
  ])("%s", (_, history, expected) => {
    expect(shape(projectMessages(history))).toEqual(expected);
  });

  test("keeps the text of a broken answer, not its thinking and calls", () => {
    const thinking = { type: "thinking", text: "hm", signature: { s: "1" } } as const;
    const broken: AssistantMessage = {
      ...assistant("Half", [call("a", "ls")], "error"),
      content: [thinking, ...assistant("Half", [call("a", "ls")]).content],
    };
    const projected = projectMessages([user("hi"), broken, result("a")]);
    expect(shape(projected)).toEqual(["user", "says"]);
    expect(projected[1]).toMatchObject({ content: [{ type: "text", text: "Half" }] });
    expect(shape(projectMessages([user("hi"), assistant("", [call("a", "ls")], "aborted")]))).toEqual(["user"]);
  });

  test("keeps an answer of which there are thoughts alone for an external agent, which was given what comes before it", () => {
    const lost: AssistantMessage = { ...assistant("", [], "error"), content: [{ type: "thinking", text: "(Interrupted.)" }] };
    const history = [user("build it"), lost, user("again")];
    expect(projectMessages(history, { provider: "acp" })).toEqual(history);
    expect(shape(projectMessages(history))).toEqual(["user", "user"]);
  });

  test("drops blank text, and marks an empty result", () => {
    const mixed: AgentMessage = {
      ...user("x"),
      content: [
        { type: "text", text: "" },
        { type: "text", text: "x" },
      ],
    };
    const empty = { ...result("a"), content: [] };
    const projected = projectMessages([mixed, asks("a"), empty]);
    expect(projected[0]).toMatchObject({ content: [{ type: "text", text: "x" }] });
    expect(projected[2]).toMatchObject({ content: [{ type: "text", text: "(no output)" }] });
  });

  test("gives a substituted result a reason and the name of its call", () => {
    const [, , made] = projectMessages([user("hi"), assistant("", [call("a", "exec")])]);
    expect(made).toMatchObject({ toolName: "exec", isError: true, timestamp: 1_000 });
    expect(JSON.stringify(made)).toContain("run ended before it was recorded");
  });
});

const blocks = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: fc.constantFrom("", " ", "said") }),
    fc.record({ type: fc.constant("thinking" as const), text: fc.constantFrom("", "hm") }),
    fc.record({
      type: fc.constant("toolCall" as const),
      id: fc.constantFrom("a", "b", "a_2", "c"),
      name: fc.constantFrom("ls", "read"),
      arguments: fc.constant({}),
    }),
  ),
  { maxLength: 4 },
);
const anyMessage: fc.Arbitrary<AgentMessage> = fc.oneof(
  fc.constantFrom("", "hi").map(user),
  fc
    .record({
      content: blocks,
      stopReason: fc.constantFrom("stop" as const, "toolUse" as const, "length" as const, "aborted" as const, "error" as const),
    })
    .map((parts): AssistantMessage => ({ ...assistant("x"), ...parts })),
  fc.record({ id: fc.constantFrom("a", "b", "a_2", "c"), said: fc.constantFrom("", "ok") }).map(({ id, said }) => result(id, said)),
);

test("makes any stored history sendable, idempotently", () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 14 }), (history) => {
      const before = structuredClone(history);
      const projected = projectMessages(history);
      expect(sendableFaults(projected)).toEqual([]);
      const again = projectMessages(projected);
      expect(again).toEqual(projected);
      expect(history).toEqual(before);
    }),
    { numRuns: 3_000 },
  );
});

test("a request begins with the previous one", () => {
  const turn = fc.record({ calls: fc.integer({ min: 0, max: 3 }), said: fc.constantFrom("", "text"), steer: fc.boolean() });
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 6 }), fc.array(turn, { maxLength: 8 }), (past, turns) => {
      // What a loop appends to any history: a request is sent whenever every call has its result. Some providers restart their ids in each answer.
      const history: AgentMessage[] = [...past, user("now")];
      let previous = projectMessages(history);
      for (const { calls, said, steer } of turns) {
        const ids = Array.from({ length: calls }, (_, index) => `call_${index}`);
        history.push(
          assistant(
            said,
            ids.map((id) => call(id, "ls")),
          ),
          ...ids.map((id) => result(id)),
        );
        if (steer) history.push(user("more"));
        const next = projectMessages(history);
        expect(next.slice(0, previous.length)).toEqual(previous);
        previous = next;
      }
    }),
  );
});
