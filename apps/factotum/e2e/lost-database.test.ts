import { copyFile, readdir, readFile, rename, rm, stat, truncate } from "node:fs/promises";
import path from "node:path";
import type { DamageEvent } from "@factotum/protocol";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";
import { takeSnapshot, withDatabase } from "./take-snapshot.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";
const GROUP = "oc_team";

/** A person in a chat, a model that repeats its last message, and a product that loses its database and is started again. */
class Scene implements AsyncDisposable {
  readonly feishu: FakeFeishu;
  readonly model: AnthropicServer;
  readonly #config: object;
  #product: Product | undefined;
  #home: string | undefined;
  #said = 0;

  private constructor(feishu: FakeFeishu, model: AnthropicServer) {
    this.feishu = feishu;
    this.model = model;
    this.#config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      ...feishuConfig(feishu, USER, { groupPolicy: "open", groups: { [GROUP]: { requireMention: false } } }),
    };
  }

  static async start(): Promise<Scene> {
    const feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT, GROUP] });
    const model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
    model.respond(() => textReply("Noted."));
    const scene = new Scene(feishu, model);
    await scene.start();
    return scene;
  }

  get home(): string {
    return this.#home ?? "";
  }

  get database(): string {
    return path.join(this.home, "state", "factotum.sqlite");
  }

  get output(): string {
    return this.#product?.output() ?? "";
  }

  async start(): Promise<void> {
    this.#product = await startProduct({ config: this.#config, ...withoutUndefined({ home: this.#home }) });
    this.#home = this.#product.home;
  }

  async stop(): Promise<void> {
    await this.#product?.end("SIGTERM");
  }

  /** Sends a message, waits for the answer and until the plain file has both. A refused one is sent again, like the platform does. */
  async say(text: string, chatId: typeof CHAT | typeof GROUP = CHAT): Promise<void> {
    this.#said += 1;
    const before = this.answers;
    const messageId = `om_${String(this.#said).padStart(32, "0")}`;
    this.feishu.addInbound({ messageId, chatId });
    const event = feishuMessageEvent(this.feishu.app, {
      chatId,
      chatType: chatId === CHAT ? "p2p" : "group",
      messageType: "text",
      content: { text },
      senderOpenId: USER,
      messageId,
    });
    await expect.poll(async () => this.#post(event), { timeout: 20_000 }).toBe(200);
    while (this.answers === before) await waitForSent(this.feishu, this.feishu.sent.length + 1);
    await expect.poll(async () => this.#copies()).toMatch(new RegExp(`${text}[^]*Noted`));
  }

  /** Posts an event to the current address of the gateway; undefined while it does not listen. */
  async #post(event: ReturnType<typeof feishuMessageEvent>): Promise<number | undefined> {
    try {
      const facts = JSON.parse(await readFile(path.join(this.home, "state", "gateway.json"), "utf8")) as { readonly url: string };
      return (await fetch(feishuWebhookRequest(this.feishu.app, `${facts.url}/channels/feishu/default`, event))).status;
    } catch {
      return undefined;
    }
  }

  /** Kills the product, loses its database, and starts it again unless it is to stay down. */
  async lose(how: "removed" | "emptied" | "cut in half" | "not at all", { staysDown = false } = {}): Promise<void> {
    await this.kill();
    if (how === "emptied") await truncate(this.database);
    if (how === "cut in half") {
      await truncate(this.database, Math.floor((await stat(this.database)).size / 2));
      await rm(`${this.database}-wal`, { force: true });
    }
    if (how === "removed") await this.removeDatabase();
    if (!staysDown) await this.start();
  }

  async removeDatabase(): Promise<void> {
    for (const end of ["", "-wal", "-shm"]) await rm(`${this.database}${end}`, { force: true });
  }

  async kill(): Promise<void> {
    await this.#product?.end("SIGKILL");
  }

  /** What the bot has sent in addition to its answers. */
  get notices(): readonly string[] {
    return this.feishu.sent.map(({ content }) => JSON.stringify(content)).filter((text) => !text.includes("Noted."));
  }

  /** The notified chats. */
  get notified(): readonly string[] {
    return this.feishu.sent.filter(({ content }) => !JSON.stringify(content).includes("Noted.")).map(({ receiveId }) => receiveId);
  }

  get answers(): number {
    return this.feishu.sent.length - this.notices.length;
  }

  /** The person's messages in the newest model request. */
  get shown(): readonly string[] {
    return [...JSON.stringify(this.model.requests.at(-1)?.body?.["messages"]).matchAll(/the (\w+) word/g)].map(([, word = ""]) => word);
  }

  async run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
    return runCommand(args, { home: this.home });
  }

  async damage(): Promise<readonly DamageEvent[]> {
    return (JSON.parse((await this.run("status", "--json")).stdout) as { readonly damage: readonly DamageEvent[] }).damage;
  }

  async findings(): Promise<readonly object[]> {
    return (JSON.parse((await this.run("doctor", "--json")).stdout) as { readonly findings: readonly object[] }).findings;
  }

  /** Damage, as the page queries it. */
  async warnings(): Promise<readonly string[]> {
    const { signal } = new AbortController();
    const { url = "", token = "" } = this.#product ?? {};
    using client = await RpcClient.connect({ url, version: "0.0.0", signal, token });
    const { warnings } = await client.request("warnings.list", {}, { signal });
    return warnings.flatMap(({ id, text }) => (id === "damage" ? [text] : []));
  }

  async #copies(): Promise<string> {
    const folder = path.join(this.home, "agents", "main", "sessions");
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
    return (await Promise.all(names.map(async (name) => readFile(path.join(folder, name), "utf8")))).join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#product?.[Symbol.asyncDispose]();
    await this.model.close();
    await this.feishu[Symbol.asyncDispose]();
  }
}

test("a removed database is restored from its snapshot and the plain files, and every place says so", async () => {
  await using scene = await Scene.start();
  await scene.say("something for the group", GROUP);
  await scene.say("the first word");
  await takeSnapshot(scene.home);
  await scene.say("the second word");
  await scene.lose("removed", { staysDown: true });
  const [down, findings] = await Promise.all([scene.run("status"), scene.findings()]);
  expect(down.stdout).toMatch(/database {3}! The database is missing\. The next start .* restores it from the newest sound snapshot/);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: "recovery", level: "warning", fix: expect.stringContaining("reset --state") as string }),
  );
  await scene.start();

  const notice = expect.stringMatching(/My database was missing\. I went back to the copy from .* had no answer yet are lost/) as string;
  await expect.poll(() => scene.notices).toEqual([notice, notice]);
  expect(scene.notified.toSorted()).toEqual([CHAT, GROUP]);
  expect(scene.output).toContain("The database was rebuilt");
  expect(await scene.warnings()).toEqual([expect.stringMatching(/: My database was/)]);
  const [status, found] = await Promise.all([scene.run("status"), scene.findings()]);
  expect(status.stdout).toMatch(/damage {5}! d1 .*My database was/);
  expect(found).toContainEqual(expect.objectContaining({ check: "damage", level: "warning" }));
  expect(found).not.toContainEqual(expect.objectContaining({ check: "recovery" }));
  // Even if others may read the snapshot, the database is private.
  expect(found).toContainEqual(expect.objectContaining({ check: "database", level: "ok" }));
  await scene.say("the third word");
  expect(scene.shown).toEqual(["first", "second", "third"]);
  await scene.lose("not at all");
  await scene.say("the fourth word");
  expect(scene.notices).toHaveLength(2);
});

test("a database that is deleted or replaced during a conversation is detected, and nothing accepted is lost", async () => {
  await using scene = await Scene.start();
  await scene.say("the first word");
  const other = path.join(scene.home, "other.sqlite");
  withDatabase(scene.home, (database) => {
    database.prepare("VACUUM INTO ?").run(other);
    // That alone is no loss.
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  });
  await scene.say("the second word");
  await scene.removeDatabase();
  await scene.say("the third word");
  const notice = expect.stringMatching(/deleted or replaced by another file while I was using it\..*nothing is lost/) as string;
  await expect.poll(() => scene.notices, { timeout: 20_000 }).toEqual([notice]);
  await rename(other, scene.database);
  await scene.say("the fourth word");
  await expect.poll(() => scene.notices, { timeout: 20_000 }).toEqual([notice, notice]);
  // A kill loses nothing that was in memory alone.
  await scene.kill();
  await rm(path.join(scene.home, "agents", "main", "sessions"), { recursive: true, force: true });
  await scene.start();
  expect(await scene.warnings()).toEqual([expect.stringContaining("deleted or replaced")]);
  expect(await scene.damage()).toMatchObject([
    { kind: "database", isComplete: true },
    { kind: "database", isComplete: true },
  ]);
  await scene.say("the fifth word");
  expect(scene.shown).toEqual(["first", "second", "third", "fourth", "fifth"]);
  expect(scene.notices).toHaveLength(2);
});

test("an older copy of the database gets back later messages, and every place says so", async () => {
  await using scene = await Scene.start();
  await scene.say("the first word");
  const older = path.join(scene.home, "older.sqlite");
  withDatabase(scene.home, (database) => void database.prepare("VACUUM INTO ?").run(older));
  await scene.say("the second word");
  await scene.kill();
  await scene.removeDatabase();
  await copyFile(older, scene.database);
  await scene.start();
  await expect.poll(() => scene.notices).toEqual([expect.stringContaining("My database was older than the plain files")]);
  expect(await scene.warnings()).toEqual([expect.stringContaining("older than the plain files")]);
  expect(await scene.damage()).toMatchObject([{ kind: "database", isComplete: false }]);
  await scene.say("the third word");
  expect(scene.shown).toEqual(["first", "second", "third"]);
});

test("a database without a snapshot is rebuilt from the plain files; a second loss before the acknowledgement loses nothing either", async () => {
  await using scene = await Scene.start();
  await scene.say("the first word");
  await scene.lose("removed");
  expect(await scene.damage()).toMatchObject([{ kind: "database", rebuilt: ["agent:main:main"] }]);
  // It is titled by its first message.
  expect((await scene.run("sessions", "list")).stdout).toContain("the first word");
  // The chat is notified once it is known again.
  await scene.say("the second word");
  expect(scene.notices).toEqual([expect.stringContaining("There was no copy of it, so conversations come from their plain files.")]);
  await scene.lose("emptied");
  await scene.say("the third word");
  expect(scene.shown).toEqual(["first", "second", "third"]);
  const [one, unknown] = [await scene.run("damage", "acknowledge", "d1"), await scene.run("damage", "acknowledge", "d7")];
  expect([one.code, unknown.code]).toEqual([0, 1]);
  await scene.stop();
  // It is also shown while the gateway is down.
  expect((await scene.damage()).map(({ id }) => id)).toEqual(["d2"]);
  await scene.start();
  expect(await scene.run("damage", "acknowledge")).toMatchObject({ code: 0 });
  await scene.lose("not at all");
  expect(await scene.damage()).toEqual([]);
  expect(scene.notices).toEqual([expect.stringContaining("missing"), expect.stringContaining("an empty file")]);
});

test.each(["removed", "cut in half"] as const)(
  "a database that is %s before anything was copied is not replaced in silence, and the gateway starts empty",
  async (how) => {
    await using scene = await Scene.start();
    await scene.say("the first word");
    await scene.lose(how, { staysDown: true });
    // As if it had been lost before the plain files were written.
    await rm(path.join(scene.home, "agents", "main", "sessions"), { recursive: true, force: true });
    // Until the first checkpoint the file is a page, and half of it counts as none.
    const found = how === "cut in half" ? "(?:damaged on the disk|an empty file)" : how === "removed" ? "missing" : "an empty file";
    if (how !== "cut in half") {
      const [down, findings] = await Promise.all([scene.run("status"), scene.findings()]);
      expect(down.stdout).toMatch(/database {3}! The database is .*the next start of the gateway creates an empty database/);
      expect(findings).toContainEqual(expect.objectContaining({ check: "recovery", level: "warning" }));
    }
    const emptied = how === "removed" ? undefined : await readFile(scene.database);
    await scene.start();
    const notice = expect.stringMatching(new RegExp(`My database was ${found}\\..*I begin empty`)) as string;
    expect(scene.output).toContain("a new one starts empty");
    expect(await scene.warnings()).toEqual([notice]);
    const [event] = await scene.damage();
    expect(event).toMatchObject({ kind: "database", isComplete: false, text: notice });
    if (emptied !== undefined) expect(await readFile(path.join(event?.path ?? "", "factotum.sqlite"))).toEqual(emptied);
    expect(await scene.findings()).toContainEqual(expect.objectContaining({ check: "damage", message: notice }));
    // The chats are notified once they are known again.
    await scene.say("the second word");
    await expect.poll(() => scene.notices).toEqual([notice]);
    expect(scene.shown).toEqual(["second"]);
    await scene.lose("not at all");
    await scene.say("the third word");
    expect(scene.shown).toEqual(["second", "third"]);
    expect(scene.notices).toHaveLength(1);
    expect(await scene.run("damage", "acknowledge")).toMatchObject({ code: 0 });
    expect(await scene.damage()).toEqual([]);
  },
);

test("`reset --state` starts empty without warnings, deletes nothing, and leaves the configuration and the workspace", async () => {
  await using scene = await Scene.start();
  await scene.say("the first word");
  expect(await scene.run("reset", "--state", "--yes")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("gateway stop") as string,
  });
  await takeSnapshot(scene.home);
  await scene.stop();
  expect(await scene.run("reset", "--state")).toMatchObject({ code: 2 });
  expect(await scene.run("reset")).toMatchObject({ code: 2 });
  const kept = await readFile(path.join(scene.home, "factotum.json5"), "utf8");
  const { code, stdout } = await scene.run("reset", "--state", "--yes", "--json");
  expect(code).toBe(0);
  const { movedTo, moved } = JSON.parse(stdout) as { readonly movedTo: string; readonly moved: readonly string[] };
  expect(moved).toEqual(expect.arrayContaining(["agents/main/sessions", "state/factotum.sqlite", "state/snapshots"]));
  expect(await readdir(path.join(movedTo, "state", "snapshots"))).toHaveLength(1);

  await scene.start();
  await scene.say("the second word");
  expect(scene.shown).toEqual(["second"]);
  expect(await scene.damage()).toEqual([]);
  expect(scene.notices).toEqual([]);
  expect(await readFile(path.join(scene.home, "factotum.json5"), "utf8")).toBe(kept);
  await scene.stop();
  await rm(path.join(scene.home, "agents"), { recursive: true });
});
