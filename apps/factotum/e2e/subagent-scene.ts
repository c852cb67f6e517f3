import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { InputRecord } from "@factotum/store";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { callTools, startStrictServer } from "@factotum/testing-providers";
import type { CapturedRequest, JsonObject, MessageReply, StrictServer } from "@factotum/testing-providers";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig } from "./feishu-scene.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";

/** A sub-agent as its row has it. */
export interface SpawnRow {
  readonly id: string;
  readonly childKey: string;
  readonly task: string;
  readonly state: string;
  readonly isTold: boolean;
}

/** A chat whose model hands tasks out, on a product that is killed and started. */
export class SubagentScene implements AsyncDisposable {
  readonly feishu: FakeFeishu;
  readonly model: StrictServer;
  readonly home: string;

  private constructor(feishu: FakeFeishu, model: StrictServer, home: string) {
    this.feishu = feishu;
    this.model = model;
    this.home = home;
  }

  static async start(answer: (request: CapturedRequest) => MessageReply | Promise<MessageReply>): Promise<SubagentScene> {
    const feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
    const model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    model.respond(answer);
    return new SubagentScene(feishu, model, await mkdtemp(path.join(tmpdir(), "factotum-subagents-")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model.close();
    await this.feishu[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }

  /** Starts the product. `settings` are added to its configuration. */
  async run({
    env = {},
    settings = {},
  }: { readonly env?: Readonly<Record<string, string>>; readonly settings?: object } = {}): Promise<Product> {
    const config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: this.model.baseUrl, apiKey: "sk-test" } } },
      ...feishuConfig(this.feishu, USER),
      ...settings,
    };
    return startProduct({ config, home: this.home, env });
  }

  /** Pushes a message of the user, as often as it takes until it is acknowledged or the product is gone. */
  async say({ url }: Pick<Product, "url">, text: string): Promise<"acknowledged" | "lost"> {
    const messageId = `om_${text.replaceAll(/\W/g, "")}`;
    const message = { chatId: CHAT, chatType: "p2p", messageType: "text", content: { text }, senderOpenId: USER, messageId } as const;
    this.feishu.addInbound({ messageId, chatId: CHAT });
    const event = feishuMessageEvent(this.feishu.app, message);
    try {
      const { ok } = await fetch(feishuWebhookRequest(this.feishu.app, `${url}/channels/feishu/default`, event));
      return ok ? "acknowledged" : "lost";
    } catch (error) {
      // The process was killed before its answer.
      if (!(error instanceof TypeError)) throw error;
      return "lost";
    }
  }

  /** The texts in the chat. */
  get texts(): readonly string[] {
    return this.feishu.sent.map(({ content }) => JSON.stringify(content));
  }

  /** How often a text ends a message of the chat. */
  count(text: string): number {
    return this.texts.filter((sent) => sent.includes(`${text}"`)).length;
  }

  /** All sub-agents, read while the product may be running. */
  rows(): readonly SpawnRow[] {
    return this.#read("SELECT run_id, child_key, payload, state, announced_at IS NOT NULL AS told FROM spawns").map((row) => ({
      id: String(row["run_id"]),
      childKey: String(row["child_key"]),
      task: (JSON.parse(String(row["payload"])) as { readonly task: string }).task,
      state: String(row["state"]),
      isTold: Number(row["told"]) === 1,
    }));
  }

  /** The ids of the sub-agents whose ends were reported by inputs, once for each input, and the states of those. */
  reports(): readonly { readonly id: string; readonly state: string }[] {
    return this.#read("SELECT state, payload FROM inbox").flatMap(({ state, payload }) => {
      const { admission } = JSON.parse(String(payload)) as { readonly admission: { readonly completion?: { readonly id: string } } };
      return admission.completion === undefined ? [] : [{ id: admission.completion.id, state: String(state) }];
    });
  }

  /** The steps of exchanges between sessions, in order. */
  steps(): readonly { readonly sessionKey: string; readonly text: string; readonly state: string }[] {
    return this.#read("SELECT state, payload FROM inbox ORDER BY id").flatMap(({ state, payload }) => {
      const { message, admission } = JSON.parse(String(payload)) as Pick<InputRecord, "message" | "admission">;
      const { agentToAgent, completion, sessionKey = "" } = admission;
      return agentToAgent === undefined || completion !== undefined ? [] : [{ sessionKey, text: message.text, state: String(state) }];
    });
  }

  /** Rows of a table that are not finished, and sessions of sub-agents without an end. */
  unfinished(): readonly string[] {
    return [
      ...this.#read("SELECT 'input ' || state AS name FROM inbox WHERE state IN ('waiting', 'claimed')"),
      ...this.#read("SELECT 'turn ' || state AS name FROM turns WHERE state = 'running'"),
      ...this.#read("SELECT 'exchange' AS name FROM exchanges"),
      ...this.#read("SELECT 'session ' || key AS name FROM sessions WHERE key LIKE '%:subagent:%' AND expires_at IS NULL"),
    ].map(({ name }) => String(name));
  }

  #read(sql: string): readonly Readonly<Record<string, unknown>>[] {
    using database = new DatabaseSync(path.join(this.home, "state", "factotum.sqlite"), { readOnly: true });
    return database.prepare(sql).all();
  }
}

/** The newest message of a request. */
export function newestOf({ body }: CapturedRequest): string {
  return JSON.stringify((body?.["messages"] as readonly unknown[] | undefined)?.at(-1) ?? "");
}

/** The task of the sub-agent that asks; `undefined` for a conversation. */
export function taskOf({ body }: CapturedRequest): string | undefined {
  const system = JSON.stringify(body?.["system"]);
  return system.includes("### Subagent Context") ? /- Task: ([\w.-]+)/.exec(system)?.[1] : undefined;
}

/** Calls a tool that requests do not contain, through `tool_call`. */
export function callLater(...calls: readonly { readonly name: string; readonly arguments: JsonObject }[]): MessageReply {
  return callTools(...calls.map((call) => ({ name: "tool_call", arguments: { name: call.name, arguments: call.arguments } })));
}
