import { expect, test } from "vitest";
import {
  answer,
  assistant,
  call,
  collect,
  outcomeOf,
  resultsOf,
  runInput,
  scriptedModel,
  text,
  tool,
  user,
} from "../../test/scripted-model.ts";

const rest = tool("rest", () => Promise.resolve({ ...text("Until later."), endsTurn: true }));

test("a call can end the turn: later calls of its answer are skipped, and the model is not asked again", async () => {
  const ran: string[] = [];
  const ls = tool("ls", ({ id }) => {
    ran.push(id);
    return Promise.resolve(text("a.txt"));
  });
  const said = answer("I wait.", [call("c1", "ls"), call("c2", "rest"), call("c3", "ls")]);
  const model = scriptedModel([said]);
  const events = await collect(runInput({ model, tools: [ls, rest] }));
  expect(ran).toEqual(["c1"]);
  expect(resultsOf(events)).toEqual({ c1: "a.txt", c2: "Until later.", c3: expect.stringContaining("the turn had ended") });
  expect(outcomeOf(events)).toMatchObject({
    type: "done",
    message: { content: [{ type: "text", text: "I wait." }, {}, {}, {}] },
    yielded: true,
  });
  expect(model.requests).toHaveLength(1);
});

test("a failed call does not end it, nor one behind a message that came in meanwhile", async () => {
  const refused = tool("rest", () => Promise.resolve({ ...text("Nothing to wait for."), isError: true, endsTurn: true }));
  const model = scriptedModel([answer("", [call("c1", "rest")]), answer("Done.")]);
  expect(outcomeOf(await collect(runInput({ model, tools: [refused] })))).toEqual({ type: "done", message: assistant("Done.") });

  const ls = tool("ls", () => Promise.resolve(text("a.txt")));
  const asked = scriptedModel([answer("", [call("c1", "ls"), call("c2", "rest")]), answer("Yes?")]);
  const batches = [[], [user("wait")]];
  const steering = { take: () => Promise.resolve(batches.shift() ?? []) };
  expect(outcomeOf(await collect(runInput({ model: asked, tools: [ls, rest], steering })))).toEqual({
    type: "done",
    message: assistant("Yes?"),
  });
});
