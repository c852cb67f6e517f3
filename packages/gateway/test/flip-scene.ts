import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Clock } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { Origin } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { expect, vi } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "./gateway-harness.ts";
import type { TestGateway } from "./gateway-harness.ts";

const run = promisify(execFile);

const GROUPS = ["group-0", "group-1", "group-2", "group-3"];
const ACCOUNT = { groupPolicy: "open", groups: { "*": { requireMention: false } } } as const;

/** An alphabet used only by this test's messages: a flipped letter is found wherever it is shown. */
const LETTERS = "αβγδεζηθικλμνξοπρστυφχψω";

/**
 * Where a bit is flipped: in the file's header, at the start of a page (its type and cell offsets), in message text, anywhere, or in the log of a killed
 * gateway.
 */
export type FlipPlace = "header" | "pages" | "payloads" | "anywhere" | "log";

/** The outcome of a store with one flipped bit. */
export interface FlipOutcome {
  /** Which bit it was. */
  readonly flipped: string;
  /** Why the store could not be opened. */
  readonly refusal: string | undefined;
  /** The database was restored as a whole. */
  readonly isRestored: boolean;
  /** Conversations whose new message was accepted. */
  readonly taken: readonly string[];
  /** Conversations in which such a message was answered. */
  readonly answered: readonly string[];
  /** Conversations without any output, not even a notice. */
  readonly unheard: readonly string[];
  /** Text shown to a model or a person that did not exist before the flip. */
  readonly strangeTexts: readonly string[];
  /**
   * Conversations notified about damage of a part, not of a restored database, and those with an excluded row that requires a notice: a message, an answer, a
   * turn.
   */
  readonly told: readonly string[];
  readonly damaged: readonly string[];
  /** Error lines of the log, except for excluded rows. */
  readonly errors: readonly string[];
}

/** A store as left by a killed gateway, to be copied, damaged and opened repeatedly. */
export class FlipScene implements AsyncDisposable {
  /** The path of the store, as its prompts contain it. */
  readonly #home: string;
  /** The state left by a stopped gateway, and by a killed one. */
  readonly #stopped: string;
  readonly #killed: string;
  readonly #server: AnthropicServer;
  readonly #texts: readonly string[];
  readonly #systems: ReadonlySet<string>;

  private constructor(parts: {
    home: string;
    stopped: string;
    killed: string;
    server: AnthropicServer;
    texts: readonly string[];
    systems: ReadonlySet<string>;
  }) {
    this.#home = parts.home;
    this.#stopped = parts.stopped;
    this.#killed = parts.killed;
    this.#server = parts.server;
    this.#texts = parts.texts;
    this.#systems = parts.systems;
  }

  /** Four conversations, one of them with a running turn, a queued message, and an unsent answer; the newest of it in the log alone. */
  static async start(): Promise<FlipScene> {
    await using server = await startAnthropicServer();
    const texts: string[] = [];
    const next = (): string => {
      texts.push(letters(texts.length));
      return texts.at(-1) ?? "";
    };
    server.respond(() => textReply(next()));
    const platform = new TestPlatform();
    const home = await mkdtemp(path.join(tmpdir(), "factotum-flips-"));
    const options = { platform, home, patch: withModel(server.baseUrl), accountConfig: ACCOUNT };
    const say = async (group: string): Promise<void> => void (await platform.say(platform.message(next(), { origin: origin(group) })));
    const first = await startTestGateway(options);
    for (let round = 0; round < 3; round += 1) for (const group of GROUPS) await say(group);
    await platform.waitForSends(3 * GROUPS.length);
    await first.gateway.engine.idle();
    // TurnConclusion writes the log back into the database; from here on it stays a log.
    await first.stop();
    const second = await startTestGateway({ ...options, clock: withoutPauses() });
    for (const group of GROUPS) await say(group);
    await platform.waitForSends(4 * GROUPS.length);
    await second.gateway.engine.idle();
    const { requests } = server;
    const systems = new Set(requests.map(({ body }) => JSON.stringify(body?.["system"])));
    platform.receipts = [{ type: "rejected", code: "unreachable", retry: { type: "after", delayMs: 60_000 } }];
    await say("group-1");
    await vi.waitFor(() => expect(platform.receipts).toEqual([]));
    const gate = server.hold();
    await say("group-0");
    await say("group-0");
    await vi.waitFor(() => expect(requests).toHaveLength(4 * GROUPS.length + 2));
    const [killed, stopped] = [`${home}-killed`, `${home}-stopped`];
    // In a separate process: closing a second descriptor of the file would drop the store's locks.
    await run("cp", ["-r", home, killed]);
    await second.stop();
    gate.open();
    await run("cp", ["-r", home, stopped]);
    return new FlipScene({ home, stopped, killed, server: await startAnthropicServer(), texts, systems });
  }

  /** Flips one bit of the stored state, opens it, sends a message in each conversation, and returns the outcome. */
  async flip(place: FlipPlace, random: () => number): Promise<FlipOutcome> {
    await rm(this.#home, { recursive: true });
    await run("cp", ["-r", place === "log" ? this.#killed : this.#stopped, this.#home]);
    const flipped = await flipBit(path.join(this.#home, "state"), place, random);
    return { flipped, ...(await this.#takeUp()) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    for (const folder of [this.#home, this.#stopped, this.#killed]) await rm(folder, { recursive: true, force: true });
  }

  async #takeUp(): Promise<Omit<FlipOutcome, "flipped">> {
    const platform = new TestPlatform();
    const texts = [...this.#texts];
    const next = (): string => {
      texts.push(letters(texts.length));
      return texts.at(-1) ?? "";
    };
    const firstRequest = this.#server.requests.length;
    this.#server.respond(() => textReply(next()));
    let gateway: TestGateway;
    try {
      const clock = { ...realClock, now: () => Date.now() + LATER_MS };
      gateway = await startTestGateway({
        platform,
        home: this.#home,
        clock,
        patch: withModel(this.#server.baseUrl),
        accountConfig: ACCOUNT,
      });
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      return {
        refusal: error.message,
        isRestored: false,
        taken: [],
        answered: [],
        unheard: [],
        strangeTexts: [],
        told: [],
        damaged: [],
        errors: [],
      };
    }
    const taken: string[] = [];
    try {
      for (const group of GROUPS) {
        // The platform here counts from one again; these are other events.
        const id = `after the flip, ${group}`;
        const message = platform.message(next(), { origin: origin(group), eventId: id, messageId: messageId(id) });
        try {
          await platform.say(message);
          taken.push(group);
        } catch (error) {
          if (!StoreError.isInstance(error)) throw error;
        }
      }
      await gateway.gateway.engine.idle();
    } finally {
      await gateway.stop();
    }
    const lines = gateway.logger.lines.map(
      (line) => JSON.parse(line) as { level: string; message: string; sessionKey?: string; type?: string },
    );
    const requests = this.#server.requests.slice(firstRequest);
    const sends = platform.sent.map(({ target, outbound }) => ({
      group: target.conversation.id,
      text: outbound.type === "text" ? outbound.text : "",
    }));
    return {
      refusal: undefined,
      isRestored: gateway.store.damage.list().some(({ kind }) => kind === "database"),
      taken,
      answered: [...new Set(sends.filter(({ text }) => texts.slice(this.#texts.length).includes(text)).map(({ group }) => group))],
      unheard: GROUPS.filter((group) => !sends.some((send) => send.group === group)),
      strangeTexts: [
        ...requests.flatMap(({ body }) => strangeLetters(JSON.stringify(body?.["messages"]), texts)),
        ...requests.map(({ body }) => JSON.stringify(body?.["system"])).filter((system) => !this.#systems.has(system)),
        ...sends.flatMap(({ text }) => strangeLetters(text, texts)),
        ...sends.map(({ group }) => group).filter((group) => !GROUPS.includes(group)),
      ],
      told: sends.filter(({ text }) => text.includes("damaged on the disk") && !text.startsWith("My database")).map(({ group }) => group),
      damaged: lines
        .filter(({ message, type }) => message.startsWith("A stored row is damaged") && TOLD.has(type ?? ""))
        .map(({ sessionKey }) => sessionKey?.split(":").at(-1) ?? ""),
      errors: lines
        .filter(({ level, message }) => level === "error" && !message.startsWith("A stored row is damaged"))
        .map((line) => JSON.stringify(line)),
    };
  }
}

/** Row types that affect a conversation. */
const TOLD: ReadonlySet<string> = new Set(["entry", "turn", "outbound"]);

/** Later than the retry of the refused row. */
const LATER_MS = 120_000;

function origin(group: string): Origin {
  return { channel: "test", accountId: "default", conversation: { kind: "group", id: group } };
}

/** A text of 80 letters that no other number has. */
function letters(number: number): string {
  let state = (number + 1) * 7919;
  return Array.from({ length: 80 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return LETTERS[state % LETTERS.length];
  }).join("");
}

/** The letters that remain after removing every genuine text. */
function strangeLetters(shown: string, texts: readonly string[]): string[] {
  return texts.reduce((rest, text) => rest.replaceAll(text, ""), shown).match(/[α-ω]{3,}/gu) ?? [];
}

function withoutPauses(): Clock {
  return {
    ...realClock,
    schedule: (delayMs, callback) => realClock.schedule(delayMs === CHECKPOINT_PAUSE_MS ? 2 ** 30 : delayMs, callback),
  };
}

/** The pause after which the store checkpoints its log. */
const CHECKPOINT_PAUSE_MS = 1000;

const PAGE_BYTES = 4096;

async function flipBit(folder: string, place: FlipPlace, random: () => number): Promise<string> {
  const file = path.join(folder, place === "log" ? "factotum.sqlite-wal" : "factotum.sqlite");
  const bytes = await readFile(file);
  const at = chooseByte(bytes, place, random);
  const bit = Math.floor(random() * 8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  await writeFile(file, bytes);
  return `bit ${bit} of byte ${at} of ${path.basename(file)}`;
}

function chooseByte(bytes: Buffer, place: FlipPlace, random: () => number): number {
  const below = (limit: number): number => Math.floor(random() * limit);
  switch (place) {
    case "header":
      return below(100);
    case "pages":
      return below(bytes.length / PAGE_BYTES) * PAGE_BYTES + below(64);
    case "payloads": {
      const places = Array.from({ length: bytes.length }, (_, at) => at).filter((at) => bytes[at] === 0xce || bytes[at] === 0xcf);
      return places[below(places.length)] ?? 0;
    }
    case "anywhere":
    case "log":
      return below(bytes.length);
  }
}
