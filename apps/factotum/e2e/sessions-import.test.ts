import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SessionImportReportSchema } from "@factotum/protocol";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { CommandOutcome, Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const AT = "2026-01-30T12:00:00.000Z";
const lines = (...records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const text = (value: string): readonly unknown[] => [{ type: "text", text: value }];

/** One tool call in the other program's format: an entry for each message, linked to the previous one. */
function callAndResult(version: 2 | 3): string {
  const said = { provider: "anthropic", model: "claude", api: "anthropic-messages", usage: { input: 5, output: 5 }, stopReason: "toolUse" };
  return lines(
    { type: "session", version, id: `v${version}`, timestamp: AT, cwd: "/home/them" },
    { type: "model_change", id: "m0", parentId: null, timestamp: AT, provider: "anthropic", modelId: "claude" },
    {
      type: "message",
      id: "m1",
      parentId: "m0",
      timestamp: AT,
      message: { role: "user", content: text(`the cat of ${version} is Petra`), timestamp: 1 },
    },
    {
      type: "message",
      id: "m2",
      parentId: "m1",
      timestamp: AT,
      message: { role: "assistant", content: [{ type: "toolCall", id: "call_1", name: "read", arguments: { path: "cat.txt" } }], ...said },
    },
    {
      type: "message",
      id: "m3",
      parentId: "m2",
      timestamp: AT,
      message: { role: "toolResult", toolCallId: "call_1", toolName: "read", content: text("Petra purrs"), isError: false },
    },
    {
      type: "message",
      id: "m4",
      parentId: "m3",
      timestamp: AT,
      message: { role: "assistant", content: text("Noted."), ...said, stopReason: "stop" },
    },
  );
}

const VERSION_1 = lines(
  { type: "session", id: "v1", timestamp: AT, cwd: "/home/them", provider: "anthropic", modelId: "claude" },
  { type: "message", timestamp: AT, message: { role: "user", content: "forget this" } },
  { type: "message", timestamp: AT, message: { role: "user", content: "the dog is Rex" } },
  { type: "compaction", timestamp: AT, summary: "They talked of pets.", firstKeptEntryIndex: 2, tokensBefore: 900 },
);

async function writeTheirs(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-theirs-"));
  const index = {
    "agent:main:main": { sessionId: "v3", updatedAt: Date.parse(AT), label: "Home", thinkingLevel: "low", sessionFile: "/gone/v3.jsonl" },
    "agent:main:telegram:dm:7": { sessionId: "v2", displayName: "Ada", deliveryContext: { channel: "telegram", to: "7" } },
    "telegram:group:9": { sessionId: "v1" },
    "agent:main:torn": { sessionId: "torn" },
    "agent:main:lost": { sessionId: "lost" },
    "agent:main:noise": { sessionId: "noise" },
    "agent:main:link": { sessionId: "link" },
    "agent:other:main": { sessionId: "elsewhere" },
    "agent:main:odd": [1, 2],
  };
  await writeFile(path.join(folder, "sessions.json"), JSON.stringify(index));
  await writeFile(path.join(folder, "v3.jsonl"), callAndResult(3));
  await writeFile(path.join(folder, "v2.jsonl"), callAndResult(2));
  await writeFile(path.join(folder, "v1.jsonl"), VERSION_1);
  await writeFile(path.join(folder, "torn.jsonl"), `${VERSION_1}{"type":"message","mess`);
  await writeFile(path.join(folder, "noise.jsonl"), Buffer.alloc(3_000_000, 0xff));
  await writeFile(path.join(folder, "older.jsonl"), VERSION_1);
  await symlink("/etc/hostname", path.join(folder, "link.jsonl"));
  return folder;
}

async function fingerprint(folder: string): Promise<unknown> {
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name) => [name, await readFile(path.join(folder, name), "base64"), (await stat(path.join(folder, name))).mtimeMs]),
  );
}

test(
  "a folder of another program is imported once, as far as it is readable, and its conversations continue",
  { timeout: 300_000 },
  async () => {
    await using model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
    model.respond(() => textReply("Petra, of course."));
    const theirs = await writeTheirs();
    const before = await fingerprint(theirs);
    const config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
    };
    await using product = await startProduct({ config });
    const cli = async (...args: readonly string[]): Promise<CommandOutcome> => runCommand(args, product);
    const report = async (...args: readonly string[]): Promise<ReturnType<typeof SessionImportReportSchema.parse>> =>
      SessionImportReportSchema.parse(JSON.parse((await cli("sessions", "import", theirs, "--json", ...args)).stdout));

    const trial = await report("--dry-run");
    expect(await countSessions(product)).toBe(0);
    const taken = await report();
    expect(taken.imported.map(({ key, entries }) => [key, entries])).toEqual([
      ["agent:main:main", 4],
      ["agent:main:telegram:direct:7", 4],
      ["agent:main:telegram:group:9", 3],
      ["agent:main:torn", 3],
      ["agent:main:lost", 0],
      ["agent:main:noise", 0],
    ]);
    expect(taken.refused.map(({ key }) => key)).toEqual(["agent:main:link", "agent:other:main", "agent:main:odd"]);
    expect(taken.unlisted).toEqual(["older.jsonl"]);
    expect(taken.imported[3]?.problems.join()).toContain("cut off");
    expect(await readFile(taken.imported[5]?.keptAside ?? "")).toHaveLength(3_000_000);
    expect({ ...trial, imported: trial.imported.length }).toEqual({ ...taken, imported: taken.imported.length });

    const again = await report();
    expect(again).toMatchObject({ imported: [], present: taken.imported.map(({ key }) => key), refused: taken.refused });
    expect(await countSessions(product)).toBe(6);
    expect(await fingerprint(theirs)).toEqual(before);
    const others = await cli("sessions", "import", theirs, "--agent", "main");
    expect(others.stdout).toContain("refused  agent:main:main: There is another conversation");
    const alone = await cli("sessions", "import", path.join(theirs, "older.jsonl"), "--key", "agent:main:older");
    expect(alone).toMatchObject({ code: 0, stdout: expect.stringContaining("taken    agent:main:older: 3 entries") as string });

    expect((await cli("agent", "--message", "what is my cat called?")).stdout).toContain("Petra");
    const asked = JSON.stringify(model.requests.at(-1)?.body);
    expect(asked).toContain("the cat of 3 is Petra");
    expect(asked).toContain("Petra purrs");
    await cli("agent", "--message", "and the dog?", "--session", "agent:main:older");
    const summarised = JSON.stringify(model.requests.at(-1)?.body);
    expect(summarised).toContain("They talked of pets.");
    expect(summarised).toContain("the dog is Rex");
    expect(summarised).not.toContain("forget this");
    expect(model.violations).toEqual([]);
    await rm(theirs, { recursive: true });
  },
);

test("an export of one home is imported into another, and exported as the same file", { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-export-"));
  const file = path.join(folder, "main.jsonl");
  await using first = await startProduct();
  // The demo model calls tools for this.
  await runCommand(["agent", "--message", "list the files"], first);
  await runCommand(["agent", "--message", "thank you"], first);
  expect((await runCommand(["sessions", "export", "agent:main:main", "--output", file], first)).code).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await using second = await startProduct();
  await runCommand(["agent", "--message", "hello", "--session", "agent:main:other"], second);
  expect((await runCommand(["sessions", "import", file], second)).stdout).toContain("taken    agent:main:main");
  const exported = await readFile(file, "utf8");
  expect(exported).toContain('"toolCall"');
  expect((await runCommand(["sessions", "export", "agent:main:main"], second)).stdout).toBe(exported);
  await rm(folder, { recursive: true });
});

async function countSessions(product: Product): Promise<number> {
  const { stdout } = await runCommand(["sessions", "list", "--json"], product);
  return (JSON.parse(stdout) as { readonly sessions: readonly unknown[] }).sessions.length;
}
