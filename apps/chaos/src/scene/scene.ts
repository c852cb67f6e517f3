import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuEnvelope } from "@factotum/testing-channels";
import type { Ledger } from "@factotum/testing-chaos";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { createGate, startStrictServer } from "@factotum/testing-providers";
import type { Gate, StrictServer } from "@factotum/testing-providers";
import { answerQuestion, readQuestion } from "./obedient-model.ts";
import { PlatformView } from "./platform-view.ts";
import { chatOf, personOf, productConfig } from "./product-config.ts";
import type { Showing } from "./showing.ts";
import { WireEvents } from "./wire-events.ts";

/** How long the model waits for a part of its answer to be shown: after a kill that removed its preview nothing is shown before its end. */
const HOLD_LIMIT_MS = 5_000;

/** A message that was sent. */
export interface Said {
  readonly id: string;
  readonly conversation: string;
  readonly messageId: string;
  readonly event: FeishuEnvelope;
  acknowledged: boolean;
}

/** Options of a scene. */
export interface SceneOptions {
  readonly conversations: number;
  /** Another build of the command than this checkout's. */
  readonly entry?: string;
  /** The product's state directory, which must not exist yet; a temporary one by default. It is removed in the end. */
  readonly home?: string;
  /** At once by default. */
  readonly showing?: Showing;
}

/** People in separate chats, an obedient model, and a product that may die at any time. */
export class Scene implements AsyncDisposable {
  readonly feishu: FakeFeishu;
  readonly model: StrictServer;
  readonly wire: WireEvents = new WireEvents();
  readonly home: string;
  readonly #options: SceneOptions;
  readonly #said = new Map<string, Said>();
  readonly #byMessage = new Map<string, string>();
  /** Messages that the model was asked to answer. */
  readonly #asked = new Set<string>();
  readonly #view: PlatformView;
  /** Answers that pause until a part of them is shown, by the messages that they answer; each pauses once. */
  readonly #held = new Map<string, Gate>();
  #product: Product | undefined;

  private constructor(parts: { feishu: FakeFeishu; model: StrictServer; home: string; options: SceneOptions }) {
    this.feishu = parts.feishu;
    this.model = parts.model;
    this.home = parts.home;
    this.#options = parts.options;
    this.#view = new PlatformView(parts.feishu, (messageId) => this.#byMessage.get(messageId));
  }

  static async start(options: SceneOptions): Promise<Scene> {
    const all = Array.from({ length: options.conversations }, (_, index) => index);
    const feishu = await FakeFeishu.start({ people: all.map(personOf), chats: all.map(chatOf) });
    const model = await startStrictServer("anthropic-messages");
    const home = options.home ?? (await mkdtemp(path.join(tmpdir(), "factotum-chaos-")));
    const scene = new Scene({ feishu, model, home, options });
    model.respond((request) => {
      const question = readQuestion(request);
      if (question !== undefined) scene.#asked.add(question.mark);
      scene.wire.note();
      const until = scene.#holdOnce(question);
      const saysBefore = options.showing === "blocks";
      return answerQuestion(request, { effectsFile: scene.#effectsFile, saysBefore, ...(until !== undefined && { until }) });
    });
    feishu.watch(() => {
      for (const mark of scene.#view.mentioned) scene.#held.get(mark)?.open();
      scene.wire.note();
    });
    return scene;
  }

  get #people(): readonly string[] {
    return Array.from({ length: this.#options.conversations }, (_, index) => personOf(index));
  }

  get #effectsFile(): string {
    return path.join(this.home, "effects.log");
  }

  /** Starts the product on the current state. Rejects if it does not come up, including a planned crash on the way. */
  async boot(crashAt?: string): Promise<Product> {
    const { entry } = this.#options;
    const product = await startProduct({
      config: productConfig(this.feishu, this.model.baseUrl, {
        people: this.#people,
        owners: this.#people,
        showing: this.#options.showing ?? "whole",
      }),
      home: this.home,
      ...(entry !== undefined && { entry }),
      ...(crashAt === undefined ? {} : { env: { FACTOTUM_CRASH_AT: crashAt } }),
    });
    this.#product = product;
    void product.ended.then(() => this.wire.note());
    return product;
  }

  /** Creates a new message in a conversation, by its number; it is not pushed yet. */
  say(conversation: number): Said {
    const id = `input-${this.#said.size + 1}`;
    const chat = chatOf(conversation);
    const messageId = `om_${String(this.#said.size + 1).padStart(32, "0")}`;
    const event = feishuMessageEvent(this.feishu.app, {
      chatId: chat,
      chatType: "p2p",
      messageType: "text",
      content: { text: `Please see to ${id}` },
      senderOpenId: personOf(conversation),
      messageId,
    });
    this.feishu.addInbound({ messageId, chatId: chat });
    const said: Said = { id, conversation: chat, messageId, event, acknowledged: false };
    this.#said.set(id, said);
    this.#byMessage.set(messageId, id);
    return said;
  }

  /** Pushes a message like the platform; a refused one stays unacknowledged. Resolves with whether the gateway accepted it. */
  async push(said: Said, product: Product): Promise<boolean> {
    try {
      const response = await fetch(feishuWebhookRequest(this.feishu.app, `${product.url}/channels/feishu/default`, said.event));
      await response.arrayBuffer();
      if (response.ok) said.acknowledged = true;
      return response.ok;
    } catch (error) {
      // The process is gone: the platform gets no answer and pushes again later. Anything else is a fault of the test.
      if (!(error instanceof TypeError)) throw error;
      return false;
    } finally {
      this.wire.note();
    }
  }

  /** Pushes all unacknowledged messages again, like the platform. */
  async pushAgain(product: Product): Promise<void> {
    await Promise.all([...this.#said.values()].filter(({ acknowledged }) => !acknowledged).map(async (said) => this.push(said, product)));
  }

  /** Messages whose turn has started, by the model's log, and that have no answer. */
  get unfinished(): number {
    const answered = this.#view.answered;
    return [...this.#asked].filter((id) => !answered.has(id)).length;
  }

  isAnswered(...messages: readonly Said[]): boolean {
    const answered = this.#view.answered;
    return messages.every(({ id }) => answered.has(id));
  }

  /** Messages that the gateway has never acknowledged. */
  get unacknowledged(): readonly string[] {
    return [...this.#said.values()].filter(({ acknowledged }) => !acknowledged).map(({ id }) => id);
  }

  /** Whether all acknowledged messages are answered. */
  get isQuiet(): boolean {
    return this.#open.length === 0;
  }

  /** Messages that are acknowledged and unanswered. */
  get #open(): readonly Said[] {
    const answered = this.#view.answered;
    return [...this.#said.values()].filter(({ id, acknowledged }) => acknowledged && !answered.has(id));
  }

  /** The remaining work, for people. */
  describeOpen(): string {
    const open = this.#open.map(({ id }) => id);
    const held = [...this.#held.keys()].filter((mark) => !this.#view.mentioned.has(mark));
    return `not answered: ${open.join(", ") || "nothing"}; answers of the model that wait until something of them is shown: ${held.join(", ") || "none"}`;
  }

  /** Messages answered with a notice: their turn had crashed too often. */
  get toldOnly(): number {
    return this.#view.notices;
  }

  /** What people see at the end and must not. */
  get leftovers(): readonly string[] {
    return this.#view.problems({ grows: (this.#options.showing ?? "whole") !== "whole" });
  }

  /** Visible messages, oldest first. */
  get texts(): string[] {
    return this.feishu.sent.map(({ content }) => JSON.stringify(content));
  }

  /** Both sides, from the sent messages and the platform's log. */
  ledger(): Ledger {
    return {
      inputs: [...this.#said.values()].map(({ id, conversation, acknowledged }) => ({ id, conversation, acknowledged })),
      sends: this.#view.sends(),
      idempotentSends: true,
    };
  }

  /** Messages whose tool ran more than once. */
  async doubledEffects(): Promise<string[]> {
    const lines = await readFile(this.#effectsFile, "utf8").then(
      (text) => text.trimEnd().split("\n"),
      (error: unknown): string[] => {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
        throw error;
      },
    );
    return [...new Set(lines.filter((line, index) => lines.indexOf(line) !== index))];
  }

  /** SQLite's integrity check of the store's file while no product runs; empty if it is sound. */
  checkDatabase(): string[] {
    return this.#readDatabase((database) => {
      const findings = database
        .prepare("PRAGMA integrity_check")
        .all()
        .map((row) => String(row["integrity_check"]));
      const orphans = database
        .prepare("PRAGMA foreign_key_check")
        .all()
        .map((row) => `a row of ${String(row["table"])} refers to nothing`);
      return [...findings.filter((finding) => finding !== "ok"), ...orphans];
    });
  }

  /** The product's own dead letters: for diagnosis when something is missing. */
  givenUp(): string[] {
    return this.#readDatabase((database) =>
      [
        ...database.prepare("SELECT 'input' AS what, id, reason FROM inbox WHERE state = 'dead'").all(),
        ...database
          .prepare(
            "SELECT state || ' message' AS what, id, attempts || ' tries: ' || result AS reason FROM outbox WHERE state IN ('dead', 'ambiguous')",
          )
          .all(),
      ].map(({ what, id, reason }) => `${String(what)} ${String(id)} (${String(reason)})`),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#product?.end("SIGKILL");
    await this.model.close();
    await this.feishu[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }

  #readDatabase<Result>(read: (database: DatabaseSync) => Result): Result {
    const database = new DatabaseSync(path.join(this.home, "state", "factotum.sqlite"), { readOnly: true });
    try {
      return read(database);
    } finally {
      database.close();
    }
  }

  /** Where answers are streamed, they pause until that is visible: the platform is slower than this model. */
  #holdOnce(question: ReturnType<typeof readQuestion>): Gate | undefined {
    const { showing = "whole" } = this.#options;
    if (showing === "whole" || question === undefined || !question.isToolDone || this.#held.has(question.mark)) return undefined;
    const gate = createGate();
    this.#held.set(question.mark, gate);
    if (this.#view.mentioned.has(question.mark)) gate.open();
    setTimeout(() => gate.open(), HOLD_LIMIT_MS).unref();
    return gate;
  }
}
