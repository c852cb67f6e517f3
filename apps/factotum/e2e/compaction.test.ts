import { sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const long = (word: string): string => `${word}. ${"lorem ipsum ".repeat(700)}`;
const isSummary = (body: unknown): boolean => JSON.stringify(body).includes("You condense the record of a conversation");
/** How often the request contains this word. */
const timesTold = (body: unknown, word: string): number => JSON.stringify(body).split(`${word}. `).length - 1;

test("a kill during a compaction: the waiting message is answered once, and the conversation continues", { timeout: 300_000 }, async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  const summarising = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  model.respond(async ({ body }) => {
    if (!isSummary(body)) return sayText("Noted.");
    summarising.resolve();
    await gate.promise;
    return sayText("Known: words were said.");
  });
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: {
      providers: {
        anthropic: {
          baseUrl: model.baseUrl,
          apiKey: "sk-test",
          models: [{ id: "claude-sonnet-5-5", contextWindow: 60_000, maxOutput: 1000 }],
        },
      },
    },
  };
  await using first = await startProduct({ config });
  const home = first.home;
  const say = async (text: string): ReturnType<typeof runCommand> => runCommand(["agent", "--message", text], { home });
  let isBegun = false;
  void summarising.promise.then(() => (isBegun = true));
  // The compaction starts in the background after one of these answers; it delays none that still fits.
  let said = 0;
  for (; !isBegun; said += 1) expect((await say(long(`word-${said}`))).stdout).toContain("Noted.");
  expect((await say(long("large").repeat(3))).stdout).toContain("Noted.");
  const waiting = say("last. What was said?");
  const taken = async (): Promise<string> => {
    const response = await fetch(`${first.url}/metrics`, { headers: { authorization: `Bearer ${first.token}` } });
    return response.text();
  };
  await expect.poll(taken).toMatch(new RegExp(String.raw`factotum_inputs_accepted_total\{[^}]*accepted[^}]*\} ${said + 2}\b`));
  await first.end("SIGKILL");
  expect((await waiting).code).not.toBe(0);
  const before = model.requests.length;
  gate.resolve();
  await using _second = await startProduct({ config, home });
  expect((await say("And now?")).stdout).toContain("Noted.");
  const after = model.requests.slice(before).map(({ body }) => body);
  const told = after.filter((body) => !isSummary(body) && timesTold(body, "last") > 0);
  expect(told.map((body) => timesTold(body, "last"))).toEqual([1, 1]);
  expect(JSON.stringify(told.at(-1))).toContain("And now?");
  expect(JSON.stringify(told.at(-1))).toContain("Known: words were said.");
  expect(JSON.parse((await runCommand(["deadletters", "list", "--json"], { home })).stdout)).toEqual({ letters: [] });
  expect(model.violations).toEqual([]);
});
