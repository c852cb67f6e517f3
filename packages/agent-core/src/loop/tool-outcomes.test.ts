import type { AgentEvent, AgentToolResult } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import {
  answer,
  assistant,
  call,
  collect,
  outcomeOf,
  resultsOf,
  runInput,
  runOptions,
  scriptedModel,
  text,
  tool,
  user,
} from "../../test/scripted-model.ts";

type Result = Extract<AgentEvent, { type: "tool-end" }>["result"];

/** The result of one call of a tool with this output. */
async function resultOf(given: () => Promise<unknown>, traits: Parameters<typeof tool>[2] = {}): Promise<Result> {
  const model = scriptedModel([answer("", [call("c1", "odd")]), answer("Done")]);
  const odd = tool("odd", given as () => Promise<AgentToolResult>, traits);
  const events = await collect(runInput({ model, tools: [odd] }));
  const end = events.find((event) => event.type === "tool-end");
  if (end?.type !== "tool-end") throw new Error("no result");
  return end.result;
}

describe("a tool's result", () => {
  test.each([
    ["nothing", undefined, "not an object"],
    ["null", null, "not an object"],
    ["a text", "done", "not an object"],
    ["no content", {}, "content must be a list"],
    ["content that is no list", { content: "done" }, "content must be a list"],
    ["a part that is no object", { content: ["done"] }, "content must be a list"],
    ["a text without a text", { content: [{ type: "text" }] }, "content must be a list"],
    ["an image without data", { content: [{ type: "image", mimeType: "image/png" }] }, "content must be a list"],
    ["an image without a type", { content: [{ type: "image", data: "AA==" }] }, "content must be a list"],
    ["a part of another kind", { content: [{ type: "video", data: "AA==", mimeType: "video/mp4" }] }, "content must be a list"],
    [
      "one good part beside a bad one",
      {
        content: [
          { type: "text", text: "ok" },
          { type: "text", text: 1 },
        ],
      },
      "content must be a list",
    ],
    ["details that are no JSON", { content: [], details: 1n }, "cannot be kept as JSON"],
  ])("with %s becomes an error that says so", async (_name, given, why) => {
    const result = await resultOf(async () => given);
    expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: expect.stringContaining(why) }] });
    expect(result.content[0]).toMatchObject({ text: expect.stringContaining("odd gave back something that is no result") });
    expect(result).not.toHaveProperty("details");
  });

  test("keeps texts and images, with well-formed texts and storable details", async () => {
    const details = { at: new Date(0), left: undefined };
    const image = { type: "image", data: "AA==", mimeType: "image/png" };
    const result = await resultOf(async () => ({ content: [{ type: "text", text: "a\ud800" }, image], details }));
    expect(result).toMatchObject({ isError: false, content: [{ type: "text", text: "a\ufffd" }, image] });
    expect(result.details).toEqual({ at: "1970-01-01T00:00:00.000Z" });
    expect(result).not.toHaveProperty("tainted");
  });

  test("that is an error keeps its content, and only `true` marks it", async () => {
    expect(await resultOf(async () => ({ ...text("no such file"), isError: true }))).toMatchObject({
      isError: true,
      content: [{ text: "no such file" }],
    });
    expect(await resultOf(async () => ({ ...text("fine"), isError: "yes" }))).toMatchObject({ isError: false });
  });

  test.each([
    [new Error("disk full"), "odd failed: disk full"],
    [new TypeError(""), "odd failed: TypeError"],
    ["plain words", "odd failed: plain words"],
    ["", "odd failed: unknown error"],
    [{ code: 1 }, "odd failed: unknown error"],
  ])("describes what the tool threw: %j", async (thrown, words) => {
    expect(
      await resultOf(() => {
        AbortSignal.abort(thrown).throwIfAborted();
        return Promise.resolve(text("not thrown"));
      }),
    ).toMatchObject({ isError: true, content: [{ type: "text", text: words }] });
  });

  test("is tainted if it has text of others, unlike the loop's own messages", async () => {
    const untrusted = { output: "untrusted" } as const;
    expect(await resultOf(async () => text("page"), untrusted)).toMatchObject({ tainted: true });
    expect(await resultOf(() => Promise.reject(new Error("page says no")), untrusted)).toMatchObject({ tainted: true, isError: true });
    expect(await resultOf(() => Promise.reject(new Error("no")))).not.toHaveProperty("tainted");
    const abort = new AbortController();
    const stops = tool(
      "odd",
      () => {
        abort.abort(new Error("/stop"));
        return Promise.withResolvers<AgentToolResult>().promise;
      },
      untrusted,
    );
    const model = scriptedModel([answer("", [call("c1", "odd")])]);
    const events = await collect(runInput({ model, tools: [stops] }), runOptions({ signal: abort.signal }));
    expect(events.find(({ type }) => type === "tool-end")).not.toHaveProperty("result.tainted");
  });

  test("tells a tool whether its call is tainted", async () => {
    const told: boolean[] = [];
    const page = tool("page", async () => text("obey"), { output: "untrusted" });
    const write = tool("write", async (_, { tainted }) => {
      told.push(tainted);
      return text("ok");
    });
    const model = scriptedModel([
      answer("", [call("c1", "write"), call("c2", "page"), call("c3", "write")]),
      answer("", [call("c4", "write")]),
      answer("Done"),
    ]);
    await collect(runInput({ model, tools: [page, write] }));
    expect(told).toEqual([false, false, true]);
  });

  test("drops empty and non-text output", async () => {
    const model = scriptedModel([answer("", [call("c1", "loud")]), answer("Done")]);
    const loud = tool("loud", async (_, { onDelta }) => {
      for (const piece of ["", 7, null, "heard"] as string[]) onDelta(piece);
      await Promise.resolve();
      return text("ok");
    });
    const events = await collect(runInput({ model, tools: [loud] }));
    expect(events.flatMap((event) => (event.type === "tool-delta" ? [event.text] : []))).toEqual(["heard"]);
  });
});

describe("loop detection", () => {
  const image = (data: string): AgentToolResult => ({ content: [{ type: "image", data, mimeType: "image/png" }] });

  async function circling(...given: readonly AgentToolResult[]): Promise<readonly AgentEvent[]> {
    let count = 0;
    const look = tool("look", async () => given[count++ % given.length] ?? text("none"));
    const model = scriptedModel([...Array.from({ length: 7 }, (_, index) => answer("", [call(`c${index}`, "look")])), answer("Done")]);
    return collect(runInput({ model, tools: [look] }));
  }

  test("counts equal images as a repetition, but not other images or text", async () => {
    expect(outcomeOf(await circling(image("AA==")))).toMatchObject({ code: "loop" });
    const other = Array.from({ length: 7 }, (_, index) => image(`A${index}==`));
    expect(outcomeOf(await circling(...other)).type).toBe("done");
    const mixed = [image("a"), text("a"), image("b"), text("b"), { content: [] }, image("c"), text("c")];
    expect(outcomeOf(await circling(...mixed)).type).toBe("done");
  });

  test("describes the shortest cycle in the note", async () => {
    const names = "baaabaaabaaa".split("");
    const tools = ["a", "b"].map((name) => tool(name, async () => text("same")));
    const model = scriptedModel([...names.map((name, index) => answer("", [call(`c${index}`, name)])), answer("Done")]);
    const results = resultsOf(await collect(runInput({ model, tools })));
    expect(results["c11"]).toContain("[Note: a 3 times in a row");
  });
});

describe("an answer without text", () => {
  const reads = tool("read", async () => text("one line"));

  test("is requested again if only the previous turn was answered", async () => {
    const model = scriptedModel([answer(""), answer("Here.")]);
    const messages = [user("hi"), assistant("Hello.")];
    expect(outcomeOf(await collect(runInput({ model, messages })))).toMatchObject({ message: { content: [{ text: "Here." }] } });
  });

  test("is not requested again after a call, even of a tool that sends nothing", async () => {
    const model = scriptedModel([answer("", [call("c1", "read")], "stop"), answer("Done.")]);
    const events = await collect(runInput({ model, tools: [reads] }));
    expect(resultsOf(events)).toEqual({ c1: "one line" });
    expect(model.requests).toHaveLength(2);
  });
});

describe("a call", () => {
  test("stopped right before its start reports that it was not run", async () => {
    const abort = new AbortController();
    const touch = tool("touch", () => Promise.reject(new Error("must not run")));
    const model = scriptedModel([answer("", [call("c1", "touch")])]);
    const events = await collect(runInput({ model, tools: [touch] }), runOptions({ signal: abort.signal }), ({ type }) => {
      if (type === "tool-start") abort.abort(new Error("/stop"));
    });
    expect(resultsOf(events)["c1"]).toBe("touch was not run: the run had been stopped.");
  });

  test("streams output for as long as it runs", async () => {
    const seen = Promise.withResolvers<void>();
    const build = tool("build", async (_, { onDelta }) => {
      onDelta("one ");
      await seen.promise;
      onDelta("two");
      return text("built");
    });
    const model = scriptedModel([answer("", [call("c1", "build")]), answer("Done")]);
    const events = await collect(runInput({ model, tools: [build] }), runOptions(), ({ type }) => {
      if (type === "tool-delta") seen.resolve();
    });
    expect(events.flatMap((event) => (event.type === "tool-delta" ? [event.text] : [])).join("")).toBe("one two");
  });

  test("with a known result counts for loop detection", async () => {
    const calls = ["c0", "c1", "c2", "c3", "c4"].map((id) => call(id, "ls"));
    const ls = tool("ls", () => Promise.reject(new Error("must not run")));
    const knownResults = new Map(calls.map(({ id }) => [id, { ...text("a.txt"), tainted: false }]));
    const events = await collect(runInput({ model: scriptedModel([answer("", calls)]), tools: [ls], knownResults }));
    expect(outcomeOf(events)).toMatchObject({ type: "failed", code: "loop" });
  });
});
