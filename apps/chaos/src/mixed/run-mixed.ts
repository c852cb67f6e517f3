import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { installExtension, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import type { CapturedRequest, StrictServer } from "@factotum/testing-providers";
import { seededRandom } from "../scene/seeded-random.ts";
import { WireEvents } from "../scene/wire-events.ts";
import { judgeMixed } from "./judge-mixed.ts";
import type { MixedInput, MixedReport } from "./judge-mixed.ts";
import type { MixedEvent, MixedKind, MixedPlatform } from "./mixed-platform.ts";

/** How long nothing may happen while work is left: then the product hangs. Not a measurement. */
const STALL_MS = 60_000;
/** A life is killed at the latest after so long without an event. */
const QUIET_MS = 1_500;
/** How often the platform delivers again what stays unacknowledged in the last life. */
const MAX_ROUNDS = 3;
/** Longest delay of an event on its way, and of the model's answer. */
const MAX_DELAY_MS = 120;

/** Options of a run. */
export interface MixedOptions {
  readonly events: number;
  readonly kills: number;
  /** Repeats kinds, places, delays, duplicates, disconnects and kills. Timing still depends on the machine. */
  readonly seed: number;
}

/** Sends mixed events over all conversations of a platform while the product is killed again and again, lets it recover, and joins both sides. */
export async function runMixed(platform: MixedPlatform, options: MixedOptions): Promise<MixedReport> {
  await using run = await MixedRun.start(platform, options);
  for (let life = 0; life < options.kills; life += 1) await run.liveAndDie(Math.ceil(options.events / options.kills));
  // Awaited, so that the product lives until then.
  return await run.recover();
}

class MixedRun implements AsyncDisposable {
  readonly #platform: MixedPlatform;
  readonly #options: MixedOptions;
  readonly #random: ReturnType<typeof seededRandom>;
  readonly #wire = new WireEvents();
  readonly #inputs: MixedInput[] = [];
  readonly #home: string;
  readonly #model: StrictServer;
  #product: Product | undefined;
  #duplicates = 0;
  #disconnects = 0;
  #clock = 0;

  private constructor(platform: MixedPlatform, parts: { options: MixedOptions; home: string; model: StrictServer }) {
    this.#platform = platform;
    this.#options = parts.options;
    this.#home = parts.home;
    this.#model = parts.model;
    this.#random = seededRandom(parts.options.seed);
  }

  static async start(platform: MixedPlatform, options: MixedOptions): Promise<MixedRun> {
    const model = await startStrictServer("anthropic-messages");
    const home = await mkdtemp(path.join(tmpdir(), "factotum-mixed-"));
    if (platform.extension !== undefined) await installExtension(home, platform.extension);
    const run = new MixedRun(platform, { options, home, model });
    model.respond(async (request) => {
      const text = lastUserText(request);
      const id = text
        .match(/see to (input-\d+)/g)
        ?.at(-1)
        ?.slice("see to ".length);
      const asked = run.#inputs.find(({ event }) => event.id === id);
      if (asked !== undefined) asked.isAsked = true;
      run.#wire.note();
      await delay(run.#random.between(0, MAX_DELAY_MS));
      return sayText(id === undefined ? "Nobody has asked anything." : `The answer to ${id}.`);
    });
    platform.watch(() => run.#wire.note());
    return run;
  }

  /** One life: it resumes earlier work, gets new events and what was not acknowledged, and is killed. */
  async liveAndDie(events: number): Promise<void> {
    const product = await this.#boot();
    const countBefore = this.#wire.count;
    const fresh = Array.from({ length: events }, () => this.#create(this.#chooseKind()));
    const isCut = this.#random.between(1, 2) === 1;
    const [old] = this.#random.shuffle(this.#inputs.filter((input) => this.#mayRepeat(input)));
    const deliveries = [...this.#redeliveries(), ...this.#random.shuffle(fresh)].map(async (input) => {
      await delay(this.#random.between(0, MAX_DELAY_MS));
      await this.#deliver(input, product);
      if (this.#random.between(1, 4) === 1) await this.#deliverAgain(input, product);
    });
    if (old !== undefined) deliveries.push(delay(this.#random.between(0, MAX_DELAY_MS)).then(async () => this.#deliverAgain(old, product)));
    const cut = isCut ? delay(this.#random.between(0, MAX_DELAY_MS)).then(() => this.#disconnect()) : undefined;
    const killAfter = countBefore + this.#random.between(2, 5 * events);
    let isDead = false;
    void product.ended.then(() => (isDead = true));
    await this.#wire.until(() => isDead || this.#wire.count >= killAfter, { stallMs: QUIET_MS });
    await delay(this.#random.between(0, 60));
    if (isDead) throw new Error(`The product ended by itself. It printed:\n${product.output()}`);
    await product.end("SIGKILL");
    await Promise.all([...deliveries, cut]);
    this.#loseUnasked();
  }

  /** The last life: everything is delivered again, and one more message in each conversation is answered after it. */
  async recover(): Promise<MixedReport> {
    const platform = this.#platform;
    const product = await this.#boot();
    for (let round = 0; round < MAX_ROUNDS; round += 1) for (const input of this.#redeliveries()) await this.#deliver(input, product);
    for (const conversation of platform.conversations) await this.#deliver(this.#create("message", conversation), product);
    const isDone = await this.#wire.until(() => this.#isAllAnswered(), { stallMs: STALL_MS });
    const { code } = await product.end("SIGTERM");
    const report = judgeMixed(platform, {
      ...this.#options,
      inputs: this.#inputs,
      home: this.#home,
      prompts: this.#model.requests.map(({ bytes }) => bytes.toString("utf8")),
      duplicates: this.#duplicates,
      disconnects: this.#disconnects,
    });
    const refused = this.#redeliveries().map(({ event }) => `${event.id} was never acknowledged`);
    const stall = isDone ? [] : [`nothing happened for ${STALL_MS / 1000} s, and not everything was answered`];
    const end = code === 0 ? [] : [`the product did not stop cleanly (${code})`];
    const violations = this.#model.violations.map((violation) => `the model's server refused a request: ${JSON.stringify(violation)}`);
    const problems = [...stall, ...refused, ...end, ...violations, ...report.problems];
    return { ...report, problems: problems.length === 0 ? [] : [...problems, `the product printed:\n${product.output()}`] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#product?.end("SIGKILL");
    await this.#model.close();
    await rm(this.#home, { recursive: true, force: true });
  }

  async #boot(): Promise<Product> {
    const { channels, owners } = this.#platform.config;
    const config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: this.#model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
      session: { dmScope: "per-account-channel-peer" },
      // Each message is answered separately, however many wait.
      messages: { queue: { mode: "followup", cap: 1000, debounceMs: 0 } },
      commands: { ownerAllowFrom: owners },
      channels,
    };
    const product = await startProduct({ config, home: this.#home });
    this.#product = product;
    void product.ended.then(() => this.#wire.note());
    await this.#platform.connected(product);
    return product;
  }

  #chooseKind(): MixedKind {
    const { kinds } = this.#platform;
    return kinds[this.#random.between(0, kinds.length - 1)] ?? "message";
  }

  #create(kind: MixedKind, where?: string): MixedInput {
    const conversations = this.#platform.conversations.filter((one) => this.#platform.allows(kind, one));
    const number = this.#inputs.length + 1;
    const isChange = kind === "edit" || kind === "delete" || kind === "reaction";
    const id = `${isChange ? "change" : "input"}-${number}`;
    const conversation = where ?? conversations[this.#random.between(0, conversations.length - 1)] ?? "";
    const text = kind === "command" ? `/${id}` : isChange ? `Now it is ${id}` : `Please see to ${id}`;
    const event: MixedEvent = { id, kind, conversation, text, person: this.#random.between(0, 2) };
    const nothingYet = { isAcknowledged: false, isAsked: false, hasSession: false, firstSentAt: undefined, acknowledgedAt: undefined };
    const input: MixedInput = { event, ...nothingYet };
    this.#platform.create(event);
    this.#inputs.push(input);
    return input;
  }

  async #deliver(input: MixedInput, product: Product): Promise<void> {
    if (input.firstSentAt === undefined) {
      input.firstSentAt = this.#tick();
      input.hasSession = this.#inputs.some(({ event, isAsked }) => isAsked && event.conversation === input.event.conversation);
    }
    const isAcknowledged = await this.#platform.deliver(input.event, product).catch(() => false);
    if (isAcknowledged) {
      input.isAcknowledged = true;
      input.acknowledgedAt ??= this.#tick();
    }
    this.#wire.note();
  }

  /** The platform repeats an event that the product has acknowledged. */
  async #deliverAgain(input: MixedInput, product: Product): Promise<void> {
    if (!this.#mayRepeat(input)) return;
    this.#duplicates += 1;
    await this.#deliver(input, product);
  }

  /** Without acknowledgements only what the model was asked is known to be received, and may be repeated by a bouncer. */
  #mayRepeat({ event, isAsked, isAcknowledged }: MixedInput): boolean {
    if (this.#platform.guarantee.inbound === "once") return isAsked;
    return isAcknowledged && this.#platform.redelivers(event.kind);
  }

  #redeliveries(): readonly MixedInput[] {
    return this.#inputs.filter(({ event, isAcknowledged, firstSentAt }) => {
      return firstSentAt !== undefined && !isAcknowledged && this.#platform.redelivers(event.kind);
    });
  }

  #disconnect(): void {
    this.#disconnects += 1;
    this.#platform.disconnect();
    this.#loseUnasked();
  }

  /** Without acknowledgements, what the model has not been asked at the end of a connection may have been lost with it. */
  #loseUnasked(): void {
    if (this.#platform.guarantee.inbound !== "once") return;
    for (const input of this.#inputs) if (!input.isAsked) input.isAcknowledged = false;
  }

  #isAllAnswered(): boolean {
    const shown = this.#platform.shown.map(({ text }) => text);
    const answered = new Set(shown.flatMap((text) => text.match(/input-\d+/g) ?? []));
    return this.#inputs.slice(-this.#platform.conversations.length).every(({ event }) => answered.has(event.id));
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }
}

async function delay(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function lastUserText({ body }: CapturedRequest): string {
  const messages = (body?.["messages"] ?? []) as unknown as readonly { readonly role: string; readonly content: unknown }[];
  return JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
}
