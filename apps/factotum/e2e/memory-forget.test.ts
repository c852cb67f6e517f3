import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { productEntry, runCommand, startProduct, type Product } from "@factotum/testing-product";
import { sayText, type StrictServer } from "@factotum/testing-providers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { obey, order, startObedientModel } from "./obedient-model.ts";
import { png } from "./png.ts";

const CANARY = "canarybird";
const [MAIN, OTHER, THIRD] = ["agent:main:main", "agent:main:other", "agent:main:third"];
const isSummary = (body: unknown): boolean => JSON.stringify(body).includes("You condense the record of a conversation");

let folder: string;
let model: StrictServer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-forget-"));
  model = await startObedientModel();
  model.respond((request) => (isSummary(request.body) ? sayText(`They spoke of the ${CANARY}.`) : obey(request)));
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function start(home: string): Promise<Product> {
  const provider = { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" };
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: provider } },
    tools: { exec: { mode: "full" } },
  };
  return startProduct({ config, home });
}

async function say(product: Product, sessionKey: string, message: string): Promise<string> {
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  return (await client.request("agent", { message, sessionKey, idempotencyKey: randomUUID() })).text;
}

/** The messages of the newest request. */
function asked(): string {
  return JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
}

/** The files with these words in any of their bytes, also in compressed ones. */
async function filesWith(home: string, words: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    const unpacked = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
    if (unpacked.toString("latin1").toLowerCase().includes(words)) found.push(path.relative(home, file));
  }
  return found;
}

/** A picture with the word in its name. */
async function sendPicture(product: Product): Promise<void> {
  const headers = { authorization: `Bearer ${product.token}`, "content-type": "image/png" };
  const response = await fetch(`${product.url}/uploads`, { method: "POST", headers, body: Uint8Array.from(png(4, 4, [9, 9, 9])) });
  const { ref } = (await response.json()) as { readonly ref: string };
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  const attachments = [{ ref, fileName: `${CANARY}.png` }];
  await client.request("chat.send", { sessionKey: MAIN, text: "look", attachments, idempotencyKey: randomUUID() });
  await expect.poll(() => JSON.stringify(model.requests.at(-1)?.body)).toContain('"type":"image"');
}

const DAY = "memory/2026-01-02.md";
const NOTE = `- In the chat the owner spoke of the "${CANARY}" at length.\n`;

/** A main session that says the word in every way, and two others: one that quotes a note of it, and one whose prompt has it. */
async function fill(product: Product): Promise<void> {
  const workspace = path.join(product.home, "workspace");
  await mkdir(path.join(workspace, "memory"), { recursive: true });
  await writeFile(path.join(workspace, "MEMORY.md"), "# Known\n\n- The boiler is old.\n");
  await writeFile(path.join(workspace, DAY), "- Somebody serviced the boiler.\n");
  await say(product, MAIN, "hello");
  await say(product, OTHER, "the otherword stays");
  const write = (file: string, content: string) => ({ name: "write", arguments: { path: file, content } });
  const run = { name: "exec", arguments: { command: `echo the ${CANARY} sings` } };
  const notes = [write("MEMORY.md", `# Known\n\n- The boiler is old.\n${NOTE}`), write(DAY, `- Somebody serviced the boiler.\n${NOTE}`)];
  await say(product, MAIN, `my ${CANARY}: ${order(run, ...notes, write("MEMORY.md", `# Known\n\n- The boiler is old.\n${NOTE}\n`))}`);
  await sendPicture(product);
  await say(product, MAIN, `one ${"lorem ipsum ".repeat(800)}`);
  await say(product, MAIN, `two ${"dolor sit ".repeat(800)}`);
  expect(await say(product, MAIN, "/compact")).toMatch(/summarised/);
  await say(product, OTHER, order({ name: "memory_search", arguments: { query: "boiler" } }));
  await say(product, THIRD, "the thirdword stays");
}

test(
  "what a session said is nowhere after it was forgotten, and does not return from a backup or after a kill",
  { timeout: 300_000 },
  async () => {
    const home = path.join(folder, "home");
    const forget = async (...args: readonly string[]) => runCommand(["memory", "forget", ...args], { home });
    await using first = await start(home);
    await fill(first);
    // Made with the owner's word in the main session, and gone when it has run.
    const cron = async (...args: readonly string[]) => runCommand(["cron", ...args], { home });
    expect(await cron("add", "once", "--at", "1s", "--silent", "--task", `Think of the ${CANARY}.`)).toMatchObject({ code: 0 });
    await expect.poll(async () => (await cron("list", "--json")).stdout, { timeout: 60_000 }).toMatch(/"jobs": *\[\]/);
    expect(await filesWith(home, `think of the ${CANARY}`)).toContainEqual(expect.stringMatching(/factotum\.sqlite/));
    const backup = path.join(folder, "factotum-backup-1.tar.gz");
    expect(await runCommand(["backup", "create", "--output", backup], { home })).toMatchObject({ code: 0 });
    expect(await forget("--session", "main", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("gateway stop") as string,
    });
    await first.end("SIGTERM");
    await appendFile(path.join(home, "logs", "gateway.log"), `{"message":"${CANARY}"}\n`);
    await mkdir(path.join(home, "state", "memory", "vectors"));
    await writeFile(path.join(home, "state", "memory", "vectors", "main.sqlite"), CANARY);
    const before = await filesWith(home, CANARY);
    for (const file of ["state/factotum.sqlite", `workspace/${DAY}`, "workspace/MEMORY.md", "state/memory/main.sqlite", "logs/gateway.log"])
      expect(before).toContain(file);
    for (const place of [/^agents\/main\/sessions\//, /^media\/records\//, /^state\/note-versions\//])
      expect(before).toContainEqual(expect.stringMatching(place));
    await cp(home, path.join(folder, "killed"), { recursive: true });

    const shown = JSON.parse((await forget("--session", "main", "--dry-run", "--json")).stdout) as object;
    expect(shown).toMatchObject({
      done: false,
      counts: { sessions: 2, conversations: 2, "received and sent files": 2, logs: expect.any(Number) as number },
      notes: [
        { path: "MEMORY.md", lines: 1 },
        { path: DAY, lines: 1 },
      ],
      untouched: expect.arrayContaining([backup]) as string[],
    });
    expect(await filesWith(home, CANARY)).toEqual(before);
    expect(await forget("--session", "main")).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") as string });
    expect(await forget("--session", "main", "--yes")).toMatchObject({ code: 0, stderr: "" });
    expect(await filesWith(home, CANARY)).toEqual([]);
    expect(await filesWith(path.join(home, "media"), "")).toEqual([]);
    expect(await readFile(path.join(home, "workspace", DAY), "utf8")).toBe("- Somebody serviced the boiler.\n");
    expect(await readFile(path.join(home, "workspace", "MEMORY.md"), "utf8")).toContain("- The boiler is old.\n");

    await using second = await start(home);
    await say(second, OTHER, "and now?");
    expect(asked()).toMatch(/otherword stays[^]*\[forgotten\][^]*and now\?/);
    await say(second, THIRD, "and now?");
    expect(asked()).toMatch(/thirdword stays/);
    expect(asked()).not.toContain(CANARY);
    expect(second.output()).toMatch(/cause[="': ]+forgotten/);
    await say(second, MAIN, "who are you?");
    expect(asked()).not.toContain("hello");
    await second.end("SIGTERM");
    expect(second.output()).not.toMatch(/rebuilt|damaged/);
    expect(await filesWith(home, CANARY)).toEqual([]);

    const restore = async (target: string, ...args: readonly string[]): Promise<string> => {
      const result = await runCommand(["backup", "restore", backup, ...args, "--json"], { home: path.join(folder, target) });
      expect(JSON.parse(result.stdout)).toMatchObject({ forgotten: 1 });
      return path.join(folder, target);
    };
    const restored = await restore("restored");
    expect(await filesWith(restored, CANARY)).toEqual([]);
    expect(await filesWith(restored, "otherword")).toContain("state/factotum.sqlite");
    await rename(home, path.join(folder, "elsewhere"));
    expect(await filesWith(await restore("on-another-machine", "--forgotten", path.join(folder, "elsewhere")), CANARY)).toEqual([]);

    // Killed as soon as it has begun: the next start of the gateway goes on.
    const killed = path.join(folder, "killed");
    const list = path.join(killed, "forgotten.json");
    const env = { ...process.env, HOME: killed, FACTOTUM_HOME: killed };
    const child = spawn(process.execPath, [productEntry, "memory", "forget", "--session", "main", "--yes"], { env, stdio: "ignore" });
    await expect.poll(() => existsSync(list), { timeout: 30_000, interval: 5 }).toBe(true);
    child.kill("SIGKILL");
    await once(child, "close");
    await writeFile(list, (await readFile(list, "utf8")).replace(/"doneIn":\[[^\]]*\]/, '"doneIn":[]'));
    await using third = await start(killed);
    await say(third, OTHER, "still there?");
    expect(await filesWith(killed, CANARY)).toEqual([]);
    expect(await filesWith(killed, "otherword")).toContain("state/factotum.sqlite");
    await third.end("SIGTERM");
  },
);

test("a time and a text are forgotten in every session, and the rest of the sessions stays", { timeout: 300_000 }, async () => {
  const home = path.join(folder, "second");
  const forget = async (...args: readonly string[]) => runCommand(["memory", "forget", ...args, "--yes"], { home });
  await using first = await start(home);
  await say(first, OTHER, "the otherword stays");
  const since = new Date().toISOString();
  await fill(first);
  await first.end("SIGTERM");
  expect(await forget("--since", since)).toMatchObject({ code: 0, stderr: "" });
  expect(await filesWith(home, CANARY)).toEqual([]);
  await using second = await start(home);
  await say(second, OTHER, `a ${CANARY} once more`);
  await say(second, OTHER, "the last word");
  expect(asked()).toMatch(/otherword stays/);
  await second.end("SIGTERM");
  expect(await forget("--search", CANARY.toUpperCase())).toMatchObject({ code: 0, stderr: "" });
  expect(await filesWith(home, CANARY)).toEqual([]);
  expect(await forget("--search", CANARY)).toMatchObject({ code: 0, stderr: "factotum: there is nothing of it\n" });
  await using third = await start(home);
  await say(third, OTHER, "and now?");
  expect(asked()).toMatch(/otherword stays[^]*the last word[^]*and now\?/);
  await third.end("SIGTERM");
});
