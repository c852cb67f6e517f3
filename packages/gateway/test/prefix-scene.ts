import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CacheRetention, SkillIndex } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import type { ContextRequest } from "@factotum/protocol";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import type { JsonObject, MessageReply, StrictServer, WireFormatName } from "@factotum/testing-providers";
import { realClock, startTestGateway, TestPlatform } from "./gateway-harness.ts";
import type { TestGateway } from "./gateway-harness.ts";
import { TestClient } from "./test-client.ts";
import { fakeSkills } from "./fake-skills.ts";

/** The owner's conversation. */
export const MAIN = "agent:main:main";
/** Maximum characters that `read` shows of a large file. */
export const RESULT_CHARS = 16_000;

const MODELS: Readonly<Record<WireFormatName, readonly [provider: string, model: string]>> = {
  "anthropic-messages": ["anthropic", "claude-sonnet-5-5"],
  "openai-responses": ["openai", "gpt-4.1"],
  "openai-chat": ["openai", "gpt-4.1"],
  "google-generative-ai": ["google", "gemini-2.5-flash"],
  mistral: ["mistral", "mistral-medium-latest"],
};

const GROUP: MsgContext["origin"] = { channel: "test", accountId: "default", conversation: { kind: "group", id: "group-1" } };
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

/** One request: as the provider received it, and as the gateway reports it. */
export interface SentRequest {
  readonly sessionKey: string;
  readonly body: JsonObject;
  readonly kept: ContextRequest;
  /** True for an exchange that leaves the history once it has ended: a heartbeat with nothing to report. */
  readonly leaves: boolean;
}

/** A gateway over a real store with a clock that the test moves, talking HTTP to a strict server on the same clock. */
export class PrefixScene implements AsyncDisposable {
  readonly server: StrictServer;
  readonly home: string;
  readonly #platform = new TestPlatform();
  /** By request. */
  readonly #sessions: string[] = [];
  readonly #leaving = new Set<number>();
  #gateway: TestGateway | undefined;
  /** How far the clock is ahead of the real one. */
  readonly #passed: { ms: number };
  readonly #cacheRetention: CacheRetention;
  #beats = 0;

  /** `cacheRetention`: the requested retention; an hour by default. */
  static async start(format: WireFormatName, cacheRetention: CacheRetention = "long"): Promise<PrefixScene> {
    const home = await mkdtemp(path.join(tmpdir(), "factotum-prefix-"));
    const passed = { ms: 0 };
    const server = await startStrictServer(format, { minCacheTokens: 0, now: () => Date.now() + passed.ms });
    const scene = new PrefixScene(server, { home, passed, cacheRetention });
    await scene.put("AGENTS.md", "Be brief.");
    await scene.put("skills/tidy/SKILL.md", "Sort by date.");
    await scene.put("large.txt", "A line of the large file, numbered nowhere.\n".repeat(2_000));
    await scene.restart();
    return scene;
  }

  private constructor(
    server: StrictServer,
    { home, passed, cacheRetention }: { readonly home: string; readonly passed: { ms: number }; readonly cacheRetention: CacheRetention },
  ) {
    this.server = server;
    this.home = home;
    this.#passed = passed;
    this.#cacheRetention = cacheRetention;
  }

  now(): number {
    return Date.now() + this.#passed.ms;
  }

  /** Moves the clock on. */
  wait(minutes: number): void {
    this.#passed.ms += minutes * 60_000;
  }

  /** Writes a file of the workspace, as its owner does with an editor. */
  async put(file: string, text: string): Promise<void> {
    const target = path.join(this.home, "workspace", file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }

  /** Stops the gateway, if one runs, and starts one on its state. */
  async restart(): Promise<void> {
    await this.#gateway?.stop();
    this.#gateway = await startTestGateway({
      platform: this.#platform,
      accountConfig: { groups: { "group-1": { requireMention: true } } },
      home: this.home,
      clock: { ...realClock, now: () => this.now() },
      skills: this.#skills(),
      patch: (config) => withWireFormat(this.server, config, this.#cacheRetention),
    });
  }

  /** Sends a message of the owner in private. */
  async say(text: string, replies: readonly MessageReply[], extra: Partial<MsgContext> = {}): Promise<void> {
    await this.#receive(this.#platform.message(text, { timestampMs: this.now(), ...extra }), replies, MAIN);
  }

  /** The owner sends a picture. */
  async show(text: string, replies: readonly MessageReply[]): Promise<void> {
    const attachments = [this.#platform.attachment(PNG, { mimeType: "image/png", fileName: "dot.png" })];
    await this.say(text, replies, { attachments });
  }

  /** Mentions the assistant in the group, after a message of another member. */
  async sayInGroup(sender: string, text: string, replies: readonly MessageReply[], extra: Partial<MsgContext> = {}): Promise<void> {
    const base = { origin: GROUP, timestampMs: this.now() };
    const other = { id: "u-zoe", name: "Zoe", isBot: false };
    await this.#platform.say(this.#platform.message(`before: ${text}`, { ...base, sender: other }));
    const message = this.#platform.message(text, {
      ...base,
      sender: { id: `u-${sender.toLowerCase()}`, name: sender, isBot: false },
      mentionsBot: true,
      ...extra,
    });
    await this.#receive(message, replies, "agent:main:test:group:group-1");
  }

  /** A command of the owner, which no model answers. */
  async command(text: string): Promise<void> {
    await this.say(text, []);
  }

  /** Runs a heartbeat in the main conversation; one answered with the token alone leaves the history. */
  async beat(answer: string): Promise<void> {
    this.#beats += 1;
    const message = this.#platform.message("Is there anything to do?", {
      origin: { channel: "heartbeat", accountId: "default", conversation: { kind: "direct", id: MAIN } },
      eventId: `beat-${this.#beats}`,
      timestampMs: this.now(),
    });
    this.server.script([sayText(answer)]);
    if (answer === "HEARTBEAT_OK") this.#leaving.add(this.server.requests.length);
    await this.#running.gateway.engine.submit(message, { owner: true, kind: "heartbeat", sessionKey: MAIN });
    await this.#settled(MAIN);
  }

  /** Every request so far, in order, each with the gateway's RPC report. */
  async requests(): Promise<readonly SentRequest[]> {
    const { gateway, token } = this.#running;
    using client = await TestClient.connect(gateway.url, token);
    const kept = new Map<string, ContextRequest[]>();
    for (const sessionKey of new Set(this.#sessions)) {
      const { requests } = await client.call("context.list", { sessionKey, limit: 200 });
      kept.set(sessionKey, [...requests].toReversed());
    }
    const sent = this.server.requests.map(({ body = {} }, index): SentRequest => {
      const sessionKey = this.#sessions[index] ?? "";
      const of = kept.get(sessionKey)?.shift();
      if (of === undefined) throw new Error(`request ${index} of ${sessionKey} is not kept`);
      return { sessionKey, body, kept: of, leaves: this.#leaving.has(index) };
    });
    const left = [...kept.values()].flat();
    if (left.length > 0) throw new Error(`${left.length} kept requests were never sent`);
    return sent;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway?.[Symbol.asyncDispose]();
    await this.server.close();
    await rm(this.home, { recursive: true, force: true });
  }

  get #running(): TestGateway {
    if (this.#gateway === undefined) throw new Error("the gateway has not been started");
    return this.#gateway;
  }

  async #receive(message: MsgContext, replies: readonly MessageReply[], sessionKey: string): Promise<void> {
    this.server.script(replies);
    await this.#platform.say(message);
    await this.#settled(sessionKey);
  }

  /** Waits for the end of the turn, and assigns requests sent meanwhile to the session. */
  async #settled(sessionKey: string): Promise<void> {
    await this.#running.gateway.engine.idle();
    while (this.#sessions.length < this.server.requests.length) this.#sessions.push(sessionKey);
  }

  #skills(): SkillIndex {
    const folder = path.join(this.home, "workspace", "skills", "tidy");
    const location = "./skills/tidy/SKILL.md";
    return fakeSkills(() => [{ name: "tidy", description: "Keeps things in order", location, source: "workspace", folder }]);
  }
}

/** A configuration whose agents ask the server of a wire format. */
export function withWireFormat(
  { format, baseUrl }: Pick<StrictServer, "format" | "baseUrl">,
  config: FactotumConfig,
  cacheRetention: CacheRetention = "long",
): FactotumConfig {
  const [provider, model] = MODELS[format];
  const reference = `${provider}/${model}`;
  const apiKey = { type: "literal", value: "sk-test-secret" } as const;
  return {
    ...config,
    agents: config.agents.map((agent) => ({
      ...agent,
      model: { primary: reference, fallbacks: [] },
      models: { [reference]: { params: { cacheRetention } } },
    })),
    models: {
      ...config.models,
      providers: { [provider]: { api: format, baseUrl, apiKey, credentials: {}, models: [], timeouts: {} } },
    },
  };
}
