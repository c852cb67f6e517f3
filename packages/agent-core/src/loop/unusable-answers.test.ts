import type { AssistantMessage, ModelEvent } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { answer, assistant, call, collect, outcomeOf, resultsOf, runInput, scriptedModel, text, tool } from "../../test/scripted-model.ts";

/** An answer whose calls cannot be parsed. */
function broken(stopReason: "toolUse" | "length", ...names: readonly string[]): readonly ModelEvent[] {
  const content = names.map((name, index) => ({
    type: "toolCall" as const,
    id: `${name}${index}`,
    name,
    arguments: {},
    unreadable: "it is broken.",
  }));
  return [{ type: "message-end", message: { ...assistant("", []), content, stopReason } satisfies AssistantMessage }];
}

const writes = tool("write", () => Promise.reject(new Error("must not run")));
const reads = tool("read", () => Promise.resolve(text("one line")));

describe("a call that cannot be parsed", () => {
  test.each(["toolUse", "length"] as const)("gets an error that says why, and the run continues (%s)", async (stopReason) => {
    const model = scriptedModel([broken(stopReason, "write"), answer("Then like this.")]);
    const events = await collect(runInput({ model, tools: [writes] }));
    expect(resultsOf(events)["write0"]).toMatch(
      stopReason === "length" ? /its length limit.*several calls/ : /it is broken\..*valid JSON/s,
    );
    expect(events.some(({ type }) => type === "tool-start")).toBe(false);
    expect(outcomeOf(events)).toMatchObject({ type: "done" });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "toolResult", isError: true });
  });

  test("does not stop the other calls of its message", async () => {
    const [end] = broken("toolUse", "write");
    if (end?.type !== "message-end") throw new Error("no message");
    const good = { type: "toolCall" as const, id: "good", name: "read", arguments: {} };
    const both: ModelEvent = { ...end, message: { ...end.message, content: [...end.message.content, good] } };
    const events = await collect(runInput({ model: scriptedModel([[both], answer("Done.")]), tools: [writes, reads] }));
    expect(resultsOf(events)).toMatchObject({ write0: expect.stringContaining("it is broken"), good: "one line" });
  });

  test.each([
    ["toolUse", "malformed-calls"],
    ["length", "output-limit"],
  ] as const)("three times in a row ends the run (%s)", async (stopReason, code) => {
    const model = scriptedModel(Array.from({ length: 9 }, () => broken(stopReason, "write")));
    const events = await collect(runInput({ model, tools: [writes] }));
    expect(outcomeOf(events)).toMatchObject({ type: "failed", code });
    expect(model.requests).toHaveLength(3);
  });

  test("restarts the count after a valid call", async () => {
    const bad = broken("length", "write");
    const model = scriptedModel([bad, bad, answer("", [call("c1", "read")]), bad, bad, answer("Done.")]);
    const events = await collect(runInput({ model, tools: [writes, reads] }));
    expect(outcomeOf(events)).toMatchObject({ type: "done" });
  });
});

describe("an empty answer", () => {
  const empty = answer("");

  test("is retried once with the same request, leaves no message, and counts in the usage", async () => {
    const model = scriptedModel([empty, answer("Here.")]);
    const events = await collect(runInput({ model }));
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]).toEqual(model.requests[0]);
    expect(events.filter(({ type }) => type === "message-end")).toHaveLength(1);
    expect(outcomeOf(events)).toMatchObject({ type: "done", message: { content: [{ type: "text", text: "Here." }] } });
    expect(events.at(-1)).toMatchObject({ usage: { calls: 2 } });
  });

  test("ends the run the second time", async () => {
    const model = scriptedModel([empty, empty, answer("Too late.")]);
    const events = await collect(runInput({ model }));
    expect(model.requests).toHaveLength(2);
    expect(outcomeOf(events)).toMatchObject({ type: "done", message: { content: [] } });
  });

  test("is retried after tools that sent nothing", async () => {
    const model = scriptedModel([answer("", [call("c1", "read")]), empty, answer("One line.")]);
    const events = await collect(runInput({ model, tools: [reads] }));
    expect(outcomeOf(events)).toMatchObject({ message: { content: [{ type: "text", text: "One line." }] } });
  });

  test("ends a run that has already sent text, with a call or by a tool", async () => {
    const spoken = scriptedModel([answer("I look.", [call("c1", "read")]), empty, answer("Never.")]);
    await collect(runInput({ model: spoken, tools: [reads] }));
    expect(spoken.requests).toHaveLength(2);
    const sends = { ...reads, name: "message", traits: { ...reads.traits, effect: "send" as const } };
    const sent = scriptedModel([answer("", [call("c1", "message")]), empty, answer("Never.")]);
    await collect(runInput({ model: sent, tools: [sends] }));
    expect(sent.requests).toHaveLength(2);
    const failing = { ...sends, execute: () => Promise.reject(new Error("no")) };
    const unsent = scriptedModel([answer("", [call("c1", "message")]), empty, answer("In words, then.")]);
    await collect(runInput({ model: unsent, tools: [failing] }));
    expect(unsent.requests).toHaveLength(3);
  });

  test("is not retried at the output limit, nor in a memory flush", async () => {
    const cut = scriptedModel([answer("", [], "length"), answer("Never.")]);
    await collect(runInput({ model: cut }));
    expect(cut.requests).toHaveLength(1);
    const notes = scriptedModel([empty, answer("Never.")]);
    const input = runInput({ model: notes });
    await collect({ ...input, facts: { ...input.facts, kind: "memory" } });
    expect(notes.requests).toHaveLength(1);
  });
});
