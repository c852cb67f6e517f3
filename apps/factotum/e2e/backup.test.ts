import { randomUUID } from "node:crypto";
import { copyFile, mkdir, mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runCommand, startProduct, type CommandOutcome, type Product } from "@factotum/testing-product";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { checkedOfficially } from "./check-official.ts";

const SESSIONS = ["agent:main:one", "agent:main:two", "agent:main:three", "agent:main:four"];

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-backup-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** People who send messages in every session until they are stopped, each one numbered word after the other. */
class Talk {
  readonly answered: Map<string, string[]> = new Map();
  readonly #client: RpcClient;
  readonly #done: Promise<unknown>;
  #isEnded = false;

  constructor(client: RpcClient) {
    this.#client = client;
    this.#done = Promise.all(SESSIONS.map(async (key) => this.#talk(key)));
  }

  get count(): number {
    return [...this.answered.values()].flat().length;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#done;
  }

  async #talk(sessionKey: string): Promise<void> {
    const words: string[] = [];
    this.answered.set(sessionKey, words);
    for (let turn = 0; !this.#isEnded; turn += 1) {
      const word = `word-${sessionKey.split(":")[2] ?? ""}-${turn}.`;
      await this.#client.request("agent", { message: word, idempotencyKey: randomUUID(), sessionKey });
      words.push(word);
    }
  }
}

async function connect({ url, token }: Product): Promise<RpcClient> {
  return RpcClient.connect({ url, version: "0.0.0", signal: new AbortController().signal, token });
}

function ok({ code, stdout, stderr }: CommandOutcome): unknown {
  expect([code, stderr.replaceAll(/^factotum: (?:not in the backup|the configuration holds secrets)[^]*/gm, "")]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

test("a backup of a busy gateway is restored on another machine, which knows every conversation", async () => {
  await using model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  model.respond(() => textReply("Noted."));
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
  };
  await using product = await startProduct({ config });
  const { home } = product;
  using client = await connect(product);
  const talk = new Talk(client);
  await expect.poll(() => talk.count).toBeGreaterThan(12);

  const known = structuredClone(talk.answered);
  const before = talk.count;
  const made = ok(await runCommand(["backup", "create", "--output", `${folder}/`, "--json"], { home })) as { readonly file: string };
  // Backup and conversations do not block each other.
  expect(talk.count).toBeGreaterThan(before);
  await talk.end();
  expect(made).toMatchObject({
    secrets: false,
    database: { sessions: SESSIONS.length },
    literalSecrets: ["models.providers.anthropic.apiKey"],
  });
  expect((await stat(made.file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toHaveLength(1);
  expect(ok(await runCommand(["backup", "verify", made.file, "--json"], { home }))).toMatchObject({ file: made.file });

  const refused = await runCommand(["backup", "restore", made.file], { home });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/A gateway uses[^]*factotum gateway stop/) as string });
  const fresh = path.join(folder, "machine", "home");
  const restored = ok(await runCommand(["backup", "restore", made.file, "--json"], { home: fresh })) as {
    readonly abandoned: { readonly inputs: number; readonly outbound: number };
  };
  await using second = await startProduct({ home: fresh });
  using restoredClient = await connect(second);
  expect(await restoredClient.request("damage.list", {})).toEqual({ events: [] });
  // Unfinished work is kept as dead letters, and not done.
  const { letters } = await restoredClient.request("deadletters.list", { limit: 100 });
  expect(letters.filter(({ type }) => type === "input")).toHaveLength(restored.abandoned.inputs);
  const asked = model.requests.length;
  for (const sessionKey of SESSIONS) {
    await restoredClient.request("agent", { message: "what did I say?", idempotencyKey: randomUUID(), sessionKey });
    const shown = JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
    for (const word of known.get(sessionKey) ?? []) expect(shown).toContain(word);
  }
  expect(model.requests).toHaveLength(asked + SESSIONS.length);
  await second.end("SIGTERM");
  expect(second.output()).not.toMatch(/rebuilt|damaged/);
});

test("a backup that was damaged in transit is detected and not restored", async () => {
  await using product = await startProduct();
  const { home } = product;
  const { file } = ok(await runCommand(["backup", "create", "--output", path.join(folder, "sound.tar.gz"), "--json"], { home })) as {
    readonly file: string;
  };
  const damaged = path.join(folder, "damaged.tar.gz");
  await copyFile(file, damaged);
  const handle = await open(damaged, "r+");
  await handle.write(Buffer.from("rotten"), 0, 6, Math.floor((await handle.stat()).size / 2));
  await handle.close();
  const fresh = path.join(folder, "fresh");
  await mkdir(fresh);
  for (const command of ["verify", "restore"]) {
    const { code, stderr } = await runCommand(["backup", command, damaged], { home: fresh });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/damaged\.tar\.gz is [^]*Use another backup/)]);
  }
  expect(await readdir(fresh)).toEqual([]);
  expect(await readdir(folder)).toHaveLength(3);
});
