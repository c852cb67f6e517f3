import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost, type TestHost } from "../test/host.ts";
import { PluginFolders } from "../test/plugins.ts";
import type { InstalledPlugin } from "./index.ts";

let folders: PluginFolders;
beforeAll(async () => {
  folders = await PluginFolders.create();
});
afterAll(async () => folders[Symbol.asyncDispose]());

const slow = { timeout: 60_000 };

/** A plugin whose command has this body, with `words` and `call`. */
async function withCommand(id: string, body: string, parts: Partial<InstalledPlugin> = {}): Promise<InstalledPlugin> {
  const code = `export const plugin = { id: "${id}", setup(api) { api.command("${id}", async (words, call) => { ${body} }); } };`;
  return folders.write(id, code, { tools: [], commands: [{ name: id, description: "Says it." }], ...parts });
}

async function type(scene: TestHost, words: string, signal = new AbortController().signal): Promise<string> {
  const [command] = scene.host.sources()[0]?.commands ?? [];
  if (command === undefined) throw new Error("no command");
  return command.run(words, { agentId: "main", sessionKey: "agent:main:main", signal });
}

test.each([false, true])("answers with the words and the place, in a plugin whose trust is %s", slow, async (trusted) => {
  const body = `return [words, call.agentId, call.sessionKey, call.signal.aborted].join(" ");`;
  await using scene = startHost([await withCommand(`says-${trusted}`, body, { trusted })]);
  expect(scene.host.alive).toBe(0);
  expect(await type(scene, "two words")).toBe("two words main agent:main:main false");
});

test("is listed with what to write after it", slow, async () => {
  const commands = [
    { name: "weather", description: "Tells the weather.", argumentHint: "<city>" },
    { name: "day", description: "Tells the day." },
  ];
  await using scene = startHost([await folders.write("listed", "", { tools: [], commands })]);
  expect(scene.host.sources()[0]?.commands?.map(({ name, summary }) => [name, summary])).toEqual([
    ["weather", "/weather <city>: Tells the weather."],
    ["day", "Tells the day."],
  ]);
});

test.each([
  ["throws", `throw new Error("no city\\nstack");`, "The plugin throws did not answer: it failed: no city."],
  ["numbers", "return 7;", "The plugin numbers did not answer: it gave back no text."],
  ["empties", `return " ";`, "The plugin empties did not answer: it gave back no text."],
  ["exits", "process.exit(4);", "The plugin exits did not answer: its process ended with the code 4."],
  [
    "floods",
    `return "x".repeat(300_000);`,
    "The plugin floods did not answer: it failed: its answer has 300002 characters, and 200000 are allowed.",
  ],
])("one that %s is answered with why, and its owner sees it", slow, async (id, body, answer) => {
  await using scene = startHost([await withCommand(id, body)]);
  expect(await type(scene, "")).toBe(answer);
  if (id !== "numbers" && id !== "empties") expect(scene.host.sources()[0]?.problem).toBeDefined();
});

test("one that never answers ends with its time, and its process with it", slow, async () => {
  await using scene = startHost([await withCommand("hangs", `api.logger.info("called"); await new Promise(() => undefined);`)]);
  const answer = type(scene, "");
  await expect.poll(() => scene.lines.some(({ message }) => message === "called")).toBe(true);
  scene.clock.advance(60_000);
  expect(await answer).toMatch(/^The plugin hangs did not answer: it did not answer within 60 s/);
});

test("a stopped one rejects, and has no answer", slow, async () => {
  await using scene = startHost([await withCommand("stops", `api.logger.info("called"); await new Promise(() => undefined);`)]);
  const stopping = new AbortController();
  const answer = type(scene, "", stopping.signal);
  await expect.poll(() => scene.lines.some(({ message }) => message === "called")).toBe(true);
  stopping.abort(new Error("the gateway stops"));
  await expect(answer).rejects.toThrow("the gateway stops");
  expect(scene.host.sources()[0]?.commands).toMatchObject([{ untrusted: true }]);
});

test("hides secrets, and cuts what no chat shows", slow, async () => {
  const plugin = await withCommand("long", `return "s3cret" + "x".repeat(30_000);`);
  await using scene = startHost([plugin], { hideSecrets: (text) => text.replaceAll("s3cret", "***") });
  const answer = await type(scene, "");
  expect(answer).toMatch(/^\*{3}x+$/);
  expect(answer).toHaveLength(20_000);
});

test("what is registered is what the manifest declares", slow, async () => {
  const one = await withCommand("missing", "", { commands: [{ name: "other", description: "Is not there." }] });
  await using scene = startHost([one]);
  expect(await type(scene, "")).toContain("it does not register /other");
});
