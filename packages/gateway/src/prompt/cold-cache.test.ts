import { callTools, prefixReport, WIRE_FORMATS } from "@factotum/testing-providers";
import type { JsonObject, JsonValue, MessageReply, WireFormatName } from "@factotum/testing-providers";
import { messageId } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { prefixPairs } from "../../test/prefix-pairs.ts";
import { MAIN, PrefixScene } from "../../test/prefix-scene.ts";
import type { SentRequest } from "../../test/prefix-scene.ts";

const GROUP = "agent:main:test:group:group-1";
const DAY_MINUTES = 24 * 60;

/** An answer after a thinking block. */
const answer = (text: string): MessageReply => ({
  type: "message",
  content: [
    { type: "thinking", text: `Thought about ${text}` },
    { type: "text", text },
  ],
});
const reads: MessageReply = {
  type: "message",
  content: [{ type: "thinking", text: "I have to look." }, ...callTools({ name: "read", arguments: { path: "large.txt" } }).content],
};

/** Pauses longer than the provider's cache lifetime of 5 to 30 minutes, some of them with a change that is deferred until then. */
async function play(scene: PrefixScene): Promise<void> {
  const today = (offset: number): string => new Date(scene.now() + offset * DAY_MINUTES * 60_000).toISOString().slice(0, 10);
  for (const offset of [-1, 0, 1]) await scene.put(`memory/${today(offset)}.md`, "Olga is in Oslo this week.");
  await scene.say("Good morning.", [answer("Morning.")]);
  scene.wait(6);
  const replyTo = {
    messageId: messageId("m-0"),
    isQuote: true,
    body: "The lease ends in May.",
    sender: { id: "x", name: "Kai", isSelf: false },
  };
  await scene.say("When was that?", [answer("In May.")], { replyTo });
  await scene.say("Read it.", [reads, answer("Read.")]);
  scene.wait(70);
  await scene.say("See below.", [answer("Seen.")], { forwarded: { from: "Mia", body: "The keys are with Bo." } });
  await scene.show("And this picture?", [answer("A dot.")]);
  await scene.put("AGENTS.md", "Be brief, and rhyme.");
  await scene.say("What now?", [answer("Now this.")]);
  scene.wait(70);
  await scene.say("And now?", [answer("Now that.")]);
  await scene.sayInGroup("Ann", "and us?", [answer("You too.")]);
  scene.wait(DAY_MINUTES);
  await scene.say("A day later?", [reads, answer("Yes.")]);
  await scene.restart();
  scene.wait(70);
  await scene.say("Still there?", [answer("Still.")]);
  await scene.beat("HEARTBEAT_OK");
  await scene.sayInGroup("Ben", "and later?", [answer("Later.")]);
  await scene.command("/think low");
  await scene.say("Think less.", [answer("Less.")]);
  await scene.put("AGENTS.md", "Be long.");
  await scene.sayInGroup("Cy", "and more?", [answer("More.")]);
  scene.wait(70);
  await scene.sayInGroup("Ann", "and cold?", [answer("Cold.")]);
  scene.wait(6);
  await scene.say("Bye.", [answer("Bye.")]);
}

test("a cold cache is used for a change that shrinks the request by a tenth, and otherwise changes nothing", async () => {
  await using scene = await PrefixScene.start("anthropic-messages", "short");
  await scene.say("Good morning.", [answer("Morning.")]);
  scene.wait(6);
  await scene.say("And?", [answer("And.")]);
  await scene.show("Look.", [answer("I see.")]);
  scene.wait(6);
  await scene.say("What was it?", [answer("A dot.")]);
  scene.wait(6);
  await scene.say("Sure?", [answer("Sure.")]);
  const sent = await scene.requests();
  expect(sent.map(({ kept }) => kept.causes)).toEqual([["new-session"], [], [], ["cold-cache"], []]);
  const images = sent.map(({ body }) => JSON.stringify(body).split('"type":"image"').length - 1);
  expect(images).toEqual([0, 0, 1, 0, 0]);
  expect(JSON.stringify(sent.at(-1)?.body)).toContain("image data removed");
  const thoughts = sent.map(({ body }) => JSON.stringify(body).split('"type":"thinking"').length - 1);
  expect(thoughts).toEqual([0, 1, 2, 0, 1]);
  expect(scene.server.violations).toEqual([]);
});

test("the cache counts as cold after the lifetime of the session's model: 10 minutes for gpt-4.1, not 5", async () => {
  await using scene = await PrefixScene.start("openai-responses", "short");
  const say = (text: string): MessageReply => ({ type: "message", content: [{ type: "text", text }] });
  await scene.say("Good morning.", [say("Morning.")]);
  await scene.show("Look.", [say("I see.")]);
  scene.wait(6);
  await scene.say("What was it?", [say("A dot.")]);
  scene.wait(11);
  await scene.say("Sure?", [say("Sure.")]);
  const causes = (await scene.requests()).map(({ kept }) => kept.causes);
  expect(causes).toEqual([["new-session"], [], [], ["cold-cache"]]);
});

/** The trusted blocks of a request, found by their delimiter. */
function trustedBlocks(body: JsonObject): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const texts = (value: JsonValue | undefined): readonly string[] => {
    if (typeof value === "string") return [value];
    if (typeof value !== "object" || value === null) return [];
    return Object.values(value).flatMap((inner) => texts(inner as JsonValue));
  };
  const blocks = texts(body).flatMap((text) => [...text.matchAll(/^Inbound context \(trusted\):\n(\{.*\})$/gm)]);
  return new Map(
    blocks.map(([, json = ""]) => {
      const fields = JSON.parse(json) as Record<string, unknown>;
      return [String(fields["delimiter"]), fields] as const;
    }),
  );
}

/** The metadata of each turn when it was first sent. */
function firstSent(sent: readonly SentRequest[]): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const first = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { body, leaves } of sent) {
    if (leaves) continue;
    for (const [delimiter, fields] of trustedBlocks(body)) if (!first.has(delimiter)) first.set(delimiter, fields);
  }
  return first;
}

test.each(WIRE_FORMATS)(
  "%s: pauses of 6 minutes, 70 minutes and a day cause no rejected request, no lost date and only announced breaks",
  { timeout: 120_000 },
  async (format) => {
    await using scene = await PrefixScene.start(format, "short");
    await play(scene);
    expect(scene.server.violations).toEqual([]);
    const sent = await scene.requests();
    for (const [sessionKey, turns] of [
      [MAIN, 11],
      [GROUP, 4],
    ] as const)
      expectDates(
        sent.filter((one) => one.sessionKey === sessionKey),
        turns,
      );
    expectBreaks(sent, format);
    const body = sent.findLast(({ sessionKey }) => sessionKey === MAIN)?.body as object;
    // A tool names the id too.
    const last = JSON.stringify({ ...body, tools: [] });
    for (const words of ["Oslo", "The lease ends in May.", "Kai", "The keys are with Bo.", "Mia", "dot.png"]) expect(last).toContain(words);
    expect(last.match(/message_id/g)).toHaveLength(1);
    const group = JSON.stringify(sent.findLast(({ sessionKey }) => sessionKey === GROUP)?.body);
    for (const words of ["Ann", "Ben", "Cy", "before: and us?", "before: and more?"]) expect(group).toContain(words);
  },
);

function expectDates(sent: readonly SentRequest[], turns: number): void {
  const first = firstSent(sent);
  expect(first.size).toBe(turns);
  const last = trustedBlocks(sent.at(-1)?.body ?? {});
  expect([...last.keys()]).toEqual([...first.keys()]);
  for (const [delimiter, { timestamp, owner, sender }] of last) {
    expect(timestamp).toMatch(/^\w{3} \d{4}-\d\d-\d\d \d\d:\d\d /);
    expect({ timestamp, owner, sender }).toEqual({
      timestamp: first.get(delimiter)?.["timestamp"],
      owner: first.get(delimiter)?.["owner"],
      sender: first.get(delimiter)?.["sender"],
    });
  }
}

/** A cold cache alone breaks nothing; together with a changed file it does, and so does a command. */
function expectBreaks(sent: readonly SentRequest[], format: WireFormatName): void {
  const all = prefixPairs(sent);
  const reports = all.map(({ before, after, causes }) => ({ ...prefixReport(before.body, after.body, format), causes }));
  expect(reports.filter(({ type, causes }) => type === "broken" && causes.length === 0)).toEqual([]);
  expect(sent.filter(({ sessionKey }) => sessionKey === MAIN).flatMap(({ kept }) => kept.causes)).toEqual([
    "new-session",
    "cold-cache",
    "model-change",
    "cold-cache",
  ]);
  expect(sent.filter(({ sessionKey }) => sessionKey === GROUP).flatMap(({ kept }) => kept.causes)).toEqual(["new-session", "cold-cache"]);
}
