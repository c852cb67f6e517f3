import type { ModelEvent } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { openScene } from "../test/scene.ts";

const EDIT = {
  title: "Edit a.txt",
  agent: "scripted",
  kind: "edit",
  locations: [{ path: "/work/a.txt", line: 3 }],
  edits: [{ path: "/work/a.txt", oldText: "one", newText: "two" }],
};

describe("what an agent does itself", { timeout: 60_000 }, () => {
  test("is a call that is not run here, with its plan, while it makes calls of the gateway", async () => {
    await using scene = await openScene();
    const asked: string[] = [];
    const { ownCalls, messages, text, thoughts } = await scene.ask("work b.txt", {
      onCall: ({ name }) => {
        asked.push(name);
        return {};
      },
    });
    expect(asked).toEqual(["write"]);
    expect([text, thoughts]).toEqual(["I edit it.All edited.", ""]);
    expect(ownCalls.map(({ call, result }) => [call.name, call.arguments, result.isError, result.content])).toEqual([
      ["update_plan", { plan: [{ step: "Edit it", status: "in_progress" }] }, false, [{ type: "text", text: "The plan is shown." }]],
      ["agent_call", EDIT, false, [{ type: "text", text: "Opened with ***.\nSaved." }]],
      ["agent_call", { title: "Run the tests", agent: "scripted", kind: "execute" }, true, [{ type: "text", text: "1 test failed" }]],
      ["update_plan", { plan: [{ step: "Edit it", status: "completed" }] }, false, [{ type: "text", text: "The plan is shown." }]],
      ["agent_call", { title: "Tidy up", agent: "scripted" }, true, [{ type: "text", text: "The agent did not say how this ended." }]],
    ]);
    expect(ownCalls.every(({ call, result }) => call.external === true && result.external === true)).toBe(true);
    // Its answer is not asked for again, and its tokens count once.
    expect(messages.at(-1)).toMatchObject({ content: [], stopReason: "stop", usage: { total: 15 } });
    expect(messages.reduce((sum, { usage }) => sum + usage.total, 0)).toBe(15);
  });

  test("is shown while it runs, with what is new", async () => {
    await using scene = await openScene();
    const shown: unknown[] = [];
    const onEvent = (event: ModelEvent): void => {
      if (event.type === "external-call" && event.call.name === "agent_call") shown.push([event.call.id, event.call.arguments["title"]]);
      if (event.type === "external-call-delta") shown.push([event.id, event.text]);
    };
    const { ownCalls } = await scene.ask("work", { onEvent });
    const [edit = "", tests = "", tidy = ""] = ownCalls.flatMap(({ call }) => (call.name === "agent_call" ? [call.id] : []));
    expect(shown).toEqual([
      [edit, "Edit"],
      [edit, "Edit a.txt"],
      [edit, "Opened with ***."],
      [edit, "Edit a.txt"],
      [edit, "\nSaved."],
      [tests, "Run the tests"],
      [tests, "1 test failed"],
      [tidy, "Tidy up"],
    ]);
    expect(new Set([edit, tests, tidy]).size).toBe(3);
  });

  test("of a prompt that was cancelled is forgotten: the next one begins without it", async () => {
    await using scene = await openScene();
    const stop = new AbortController();
    const onEvent = ({ type }: ModelEvent): void => (type === "external-call-delta" ? stop.abort() : undefined);
    expect((await scene.ask("work stuck", { signal: stop.signal, onEvent })).error?.code).toBe("aborted");
    const next = await scene.ask("say Again.");
    expect([next.text, next.ownCalls]).toEqual(["Again.", []]);
  });
});
