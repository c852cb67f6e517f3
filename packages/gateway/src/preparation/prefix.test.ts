import { callTools, checkOfficialRequests, prefixReport, WIRE_FORMATS } from "@factotum/testing-providers";
import type { JsonObject, MessageReply, WireFormatName } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { MAIN, PrefixScene, RESULT_CHARS } from "../../test/prefix-scene.ts";
import { prefixPairs } from "../../test/prefix-pairs.ts";
import type { PrefixPair } from "../../test/prefix-pairs.ts";
import type { SentRequest } from "../../test/prefix-scene.ts";

/** Minutes between two turns of the owner's conversation: 45 steps exceed a day, and none exceeds a cache lifetime of an hour. */
const STEP_MINUTES = 33;

/** An answer after a thinking block: where the provider binds it to everything before, nothing of that may change. */
const answer = (text: string): MessageReply => ({
  type: "message",
  content: [
    { type: "thinking", text: `About ${text}` },
    { type: "text", text },
  ],
});
const readLarge = callTools({ name: "read", arguments: { path: "large.txt" } });

/** One turn. Time passes before turns of the owner's conversation; a group's turn follows one of them immediately. */
interface Turn {
  readonly minutes: number;
  readonly run: (scene: PrefixScene, number: number) => Promise<void>;
}

const own = (run: Turn["run"]): Turn => ({ minutes: STEP_MINUTES, run });
const plain = own((scene, number) => scene.say(`What about ${number}?`, [answer(`This about ${number}.`)]));
const withTool = own((scene, number) => scene.say(`Read it, ${number}.`, [readLarge, answer(`I have read it ${number} times.`)]));
const picture = own((scene, number) => scene.show(`And this picture, ${number}?`, [answer("A dot.")]));
const quietBeat = own((scene) => scene.beat("HEARTBEAT_OK"));
const beat = own((scene, number) => scene.beat(`There is something: ${number}.`));
const remember = own((scene, number) => {
  const file = number % 2 === 0 ? "MEMORY.md" : "memory/notes.md";
  const write = callTools({ name: "write", arguments: { path: file, content: `The number is ${number}.` } });
  return scene.say(`Remember ${number}.`, [write, answer("I will.")]);
});
const inGroup = (name: string): Turn => ({
  minutes: 0,
  run: (scene, number) => scene.sayInGroup(name, `and ${number}?`, [answer(`${number}, ${name}.`)]),
});

/** 50 turns: 20 with large results, 5 in the group by 3 people, 2 images, 6 heartbeats, 4 notes, 13 plain ones. */
const TURNS: readonly Turn[] = [
  [plain, withTool, withTool, remember, quietBeat, plain, withTool, picture, plain, withTool, quietBeat, withTool],
  [inGroup("Ann"), withTool, inGroup("Ben"), plain, inGroup("Cy"), beat, inGroup("Ann"), withTool, inGroup("Ben"), withTool],
  [remember, withTool, plain, withTool, quietBeat, withTool, plain, picture, plain, withTool, withTool, beat, remember, plain],
  [withTool, withTool, plain, withTool, quietBeat, withTool, plain, withTool, remember, plain, withTool, withTool, plain, plain],
].flat();

/** Changes to the environment before a turn, by its index. */
const BEFORE: Readonly<Record<number, (scene: PrefixScene) => Promise<void>>> = {
  11: (scene) => scene.put("AGENTS.md", "Be brief, and rhyme."),
  15: (scene) => scene.restart(),
  24: (scene) => scene.put("skills/tidy/SKILL.md", "Sort by name."),
  30: async (scene) => {
    await scene.put("AGENTS.md", "Be long.");
    await scene.restart();
  },
};

/** All of a request but its messages, cache marks, and the output limit, which shrinks with the remaining time. */
function settingsOf(body: JsonObject): string {
  const { messages: _messages, input: _input, contents: _contents, ...rest } = body;
  return JSON.stringify(rest)
    .replaceAll(/,"cache_control":\{[^}]*\}/g, "")
    .replaceAll(/"max_?(output_?)?tokens":\d+/gi, "");
}

test.each(WIRE_FORMATS)(
  "%s: in 50 turns every request extends the previous one, except at two logged breaks",
  { timeout: 300_000 },
  async (format) => {
    await using scene = await PrefixScene.start(format);
    const startedMs = scene.now();
    for (const [index, turn] of TURNS.entries()) {
      await BEFORE[index]?.(scene);
      scene.wait(turn.minutes);
      await turn.run(scene, index);
    }
    expect(TURNS).toHaveLength(50);
    expect(scene.now() - startedMs).toBeGreaterThan(24 * 60 * 60_000);
    expect(scene.server.violations).toEqual([]);
    const sent = await scene.requests();
    expectTheScript(sent);
    await expectPrefixes(sent, format);
  },
);

/** Expects that every event that could break a prefix has happened. */
function expectTheScript(sent: readonly SentRequest[]): void {
  const last = JSON.stringify(sent.findLast(({ sessionKey }) => sessionKey === MAIN)?.body);
  expect(sent).toHaveLength(50 + 20 + 4);
  expect(last.length).toBeGreaterThan(20 * RESULT_CHARS);
  for (const name of ["File changed: AGENTS.md", "Skill changed: tidy", "MEMORY.md"]) expect(last).toContain(name);
  expect(last).not.toContain("rhyme");
  expect(sent.filter(({ kept }) => kept.kind === "heartbeat")).toHaveLength(6);
  const group = JSON.stringify(sent.findLast(({ sessionKey }) => sessionKey !== MAIN)?.body);
  for (const name of ["Ann", "Ben", "Cy", "Zoe"]) expect(group).toContain(name);
}

async function expectPrefixes(sent: readonly SentRequest[], format: WireFormatName): Promise<void> {
  const all = prefixPairs(sent);
  const reports = all.map(({ before, after, causes }) => ({ ...prefixReport(before.body, after.body, format), causes }));
  expect(reports.filter(({ type, causes }) => type === "broken" && causes.length === 0)).toEqual([]);
  expect(reports.filter(({ type, causes }) => type === "prefix" && causes.length > 0)).toEqual([]);
  const firsts = new Set(sent.map(({ sessionKey }) => sent.find((one) => one.sessionKey === sessionKey)));
  expect(sent.filter((one) => !firsts.has(one)).flatMap(({ kept }) => kept.causes)).toEqual(["images-dropped", "images-dropped"]);
  for (const { before, after } of all) expect(settingsOf(after.body)).toBe(settingsOf(before.body));
  if (format === "anthropic-messages") expectCacheReads(all);
  // Each request contains the one before it, so the last one before a break and the last of each conversation contain every message that was sent.
  const ends = all.filter(({ causes }) => causes.length > 0).map(({ before }) => before);
  const lasts = [...firsts].flatMap((first) => sent.findLast(({ sessionKey }) => sessionKey === first?.sessionKey) ?? []);
  expect(await checkOfficialRequests([...ends, ...lasts].map(({ body }) => ({ format, body })))).toEqual([]);
}

/** Expects each request to read from the cache what the previous one wrote. */
function expectCacheReads(all: readonly PrefixPair[]): void {
  for (const { before, after, causes } of all) {
    const { cacheRead, cacheWrite } = before.kept.usage;
    if (causes.length === 0) expect(after.kept.usage.cacheRead).toBeGreaterThanOrEqual(cacheRead + cacheWrite);
  }
  expect(all.some(({ after }) => after.kept.usage.cacheRead > 20 * (RESULT_CHARS / 4))).toBe(true);
}
