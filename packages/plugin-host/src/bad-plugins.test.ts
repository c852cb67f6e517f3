import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHost, textOf, type TestHost } from "../test/host.ts";
import { PluginFolders, toolCode } from "../test/plugins.ts";
import type { InstalledPlugin } from "./index.ts";

let folders: PluginFolders;
beforeAll(async () => {
  folders = await PluginFolders.create();
});
afterAll(async () => folders[Symbol.asyncDispose]());

/** Each way in which a plugin can be bad: its code, what its caller reads, and what the status says of it (`undefined`: nothing). */
const BAD: readonly { readonly id: string; readonly code: string; readonly result: RegExp; readonly problem: RegExp | undefined }[] = [
  // A tool may fail; that is for the model.
  {
    id: "throws",
    code: toolCode(`throw new Error("broken wing")`),
    result: /did not do it: it failed: broken wing\.$/,
    problem: undefined,
  },
  {
    id: "rejects-late",
    code: toolCode(
      `Promise.resolve().then(() => { throw new Error("too late"); }); await new Promise((go) => setImmediate(go)); await new Promise((go) => setImmediate(go)); return "fine";`,
    ),
    result: /^fine$/,
    problem: /nothing handled it: too late/,
  },
  {
    id: "returns-much",
    code: toolCode(`return "x".repeat(50_000_000);`),
    result: /its answer has 50000002 characters/,
    problem: undefined,
  },
  {
    id: "writes-much",
    code: toolCode(`process.stdout.write("x".repeat(50_000_000)); await new Promise(() => {});`),
    result: /it wrote a line of more than|faster than it could be read/,
    problem: /it wrote/,
  },
  {
    id: "logs-much",
    code: toolCode(`for (let i = 0; i < 100_000; i += 1) console.log("line " + i); return "logged";`),
    result: /^logged$/,
    problem: undefined,
  },
  {
    id: "nests",
    code: toolCode(
      `process.stdout.write('{"type":"log","level":"info","message":"deep","fields":' + "[".repeat(90_000) + "]".repeat(90_000) + "}\\n"); return "nested";`,
    ),
    result: /^nested$/,
    problem: undefined,
  },
  { id: "exits", code: toolCode(`process.exit(3);`), result: /its process ended with the code 3/, problem: /the code 3/ },
  {
    id: "exhausts",
    code: toolCode(`const all = []; for (;;) all.push(new Array(100_000).fill(all.length));`),
    result: /it used more than 128 MB of memory and ended/,
    problem: /128 MB/,
  },
  { id: "lacks", code: `export const other = 1;`, result: /its entry does not export plugin/, problem: /does not export plugin/ },
  {
    id: "leaks",
    code: toolCode(`setInterval(() => {}, 10); return "leaked";`, `import "node:net";`),
    result: /^leaked$/,
    problem: undefined,
  },
  {
    id: "registers-less",
    code: `export const plugin = { id: "registers-less", setup() {} };`,
    result: /it does not register run/,
    problem: /does not register/,
  },
  { id: "throws-at-import", code: `throw new Error("no");`, result: /could not be set up: no/, problem: /set up: no/ },
];

const GOOD = toolCode(`return "good";`);

describe("a bad plugin harms no other", () => {
  test.each(BAD)("$id", { timeout: 60_000 }, async ({ id, code, result, problem }) => {
    await using running = startHost([await folders.write(id, code), await folders.write("good", GOOD)]);
    // Another session is served meanwhile.
    const [bad, good] = await Promise.all([running.call(id), running.call("good")]);
    expect(textOf(good)).toBe("good");
    expect(textOf(bad)).toMatch(result);
    expect(problemOf(running, id) ?? "").toMatch(problem ?? /^$/);
    expect(problemOf(running, "good")).toBeUndefined();
    await running.host.close();
    expect([...running.running]).toEqual([]);
  });
});

test.each([
  { id: "never-settles", code: toolCode(`console.log("at work"); await new Promise(() => {});`) },
  { id: "spins", code: toolCode(`console.log("at work"); for (;;);`) },
])("a call of $id ends at its limit, and the process with it", { timeout: 60_000 }, async ({ id, code }) => {
  await using running = startHost([await folders.write(id, code)]);
  const called = running.call(id);
  await expect.poll(() => running.lines.map(({ message }) => message), { timeout: 20_000 }).toContain("at work");
  running.clock.advance(60_001);
  expect(textOf(await called)).toContain("did not answer within 60 s");
  expect(problemOf(running, id)).toContain("did not answer within 60 s");
  await expect.poll(() => running.running.size).toBe(0);
});

test("a setup that never ends is ended after 2 seconds", { timeout: 60_000 }, async () => {
  await using running = startHost([
    await folders.write(
      "slow-setup",
      `export const plugin = { id: "slow-setup", async setup() { console.log("setting up"); await new Promise(() => {}); } };`,
    ),
  ]);
  expect(textOf(await running.call("slow-setup"))).toContain("did not answer within 2 s");
  await expect.poll(() => running.running.size).toBe(0);
});

test("the log of a plugin is cut, and says so", { timeout: 60_000 }, async () => {
  await using running = startHost([await folders.write("logs-much", BAD.find(({ id }) => id === "logs-much")?.code ?? "")]);
  await running.call("logs-much");
  const lines = (): typeof running.lines => running.lines.filter(({ fields }) => fields["plugin"] === "logs-much");
  // The count of those left out comes after the answer.
  await expect.poll(lines).toHaveLength(101);
  const own = lines();
  expect(own[0]).toMatchObject({ level: "info", message: "line 0" });
  expect(own.at(-1)).toMatchObject({ level: "warn", message: "99900 lines were left out" });
});

test("the fields of its lines are cut here too, if it writes around its runtime", { timeout: 60_000 }, async () => {
  const code = toolCode(`
    const say = (message, fields) => process.stdout.write(JSON.stringify({ type: "log", level: "info", message, fields }) + "\\n");
    say("short", { a: 1 });
    say("long", { a: "x".repeat(100_000) });
    return "said";`);
  await using running = startHost([await folders.write("sly", code)]);
  expect(textOf(await running.call("sly"))).toBe("said");
  const fieldsOf = (message: string): unknown => running.lines.find((line) => line.message === message)?.fields["fields"];
  expect(fieldsOf("short")).toEqual({ a: 1 });
  expect(fieldsOf("long")).toEqual({ leftOut: "the fields are too long" });
});

test("rests after three failures in a row, and is tried again after a minute", { timeout: 60_000 }, async () => {
  await using running = startHost([await folders.write("exits", toolCode(`if (args.leave) process.exit(3); return "stayed";`))]);
  for (let count = 0; count < 3; count += 1) expect(textOf(await running.call("exits", { leave: true }))).toContain("the code 3");
  expect(textOf(await running.call("exits"))).toContain("it is left alone for a minute, because its process ended with the code 3");
  running.clock.advance(60_001);
  expect(textOf(await running.call("exits"))).toBe("stayed");
  expect(problemOf(running, "exits")).toBeUndefined();
});

test("at most four have a process, and an idle one makes room", { timeout: 60_000 }, async () => {
  const plugins: InstalledPlugin[] = [];
  for (const id of ["one", "two", "three", "four", "five", "six"])
    plugins.push(await folders.write(id, toolCode(`return call.sessionKey;`)));
  await using running = startHost(plugins);
  for (const { id } of plugins) {
    expect(textOf(await running.call(id))).toBe("agent:main:main");
    expect(running.host.alive).toBeLessThanOrEqual(4);
  }
  await expect.poll(() => running.running.size).toBe(4);
  running.clock.advance(2 * 60_000 + 1);
  await expect.poll(() => running.running.size).toBe(0);
  expect(textOf(await running.call("one"))).toBe("agent:main:main");
});

function problemOf({ host }: TestHost, id: string): string | undefined {
  return host.sources().find((source) => source.id === `plugin:${id}`)?.problem;
}

test("plugins whose process cannot be started hold no place", { timeout: 60_000 }, async () => {
  const plugins: InstalledPlugin[] = [];
  for (const id of ["broken-1", "broken-2", "broken-3", "broken-4"])
    plugins.push({ ...(await folders.write(id, GOOD)), folder: join(folders.root, "absent") });
  await using running = startHost([...plugins, await folders.write("good", GOOD)]);
  for (const { id } of plugins) expect(textOf(await running.call(id))).toContain("did not do it");
  expect(running.host.alive).toBe(0);
  expect(textOf(await running.call("good"))).toBe("good");
});
