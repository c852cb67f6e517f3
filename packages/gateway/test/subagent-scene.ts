import type { FactotumConfig } from "@factotum/config";
import type { SpawnRecord } from "@factotum/store";
import { startAnthropicServer, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { startTestGateway, TestPlatform, withModel } from "./gateway-harness.ts";
import type { TestGateway } from "./gateway-harness.ts";

type SubagentSettings = FactotumConfig["agents"][number]["subagents"];

/** What the model of a tree answers to each request: by the task of the sub-agent that asks, or "" for the conversation. */
export type Answers = Readonly<
  Record<string, (seen: { readonly results: number; readonly text: string }) => AnthropicReply | Promise<AnthropicReply>>
>;

/** A gateway with the tools of sub-agents, a chat whose owner is `owner-1`, and a scripted model. */
export class SubagentScene implements AsyncDisposable {
  readonly server: AnthropicServer;
  readonly platform: TestPlatform;
  #running: TestGateway | undefined;

  private constructor(server: AnthropicServer, platform: TestPlatform) {
    this.server = server;
    this.platform = platform;
  }

  static async open(platform: TestPlatform = new TestPlatform()): Promise<SubagentScene> {
    return new SubagentScene(await startAnthropicServer(), platform);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }

  get running(): TestGateway {
    if (this.#running === undefined) throw new Error("the scene has not started");
    return this.#running;
  }

  async start(
    change: (subagents: SubagentSettings) => SubagentSettings = (same) => same,
    { patch = (config) => config, ...options }: NonNullable<Parameters<typeof startTestGateway>[0]> = {},
  ): Promise<void> {
    this.#running = await startTestGateway({
      platform: this.platform,
      subagents: true,
      accountConfig: { allowFrom: ["owner-1"] },
      patch: (config) => {
        const { agents, ...rest } = patch(withModel(this.server.baseUrl)(config));
        return { ...rest, agents: agents.map((agent) => ({ ...agent, subagents: change(agent.subagents) })) };
      },
      ...options,
    });
  }

  answerWith(answers: Answers): void {
    this.server.respond(({ body }) => {
      const text = JSON.stringify(body?.["messages"]);
      const task = /- Task: (\w+)/.exec(JSON.stringify(body?.["system"]))?.[1] ?? "";
      const answer = answers[task];
      if (answer === undefined) throw new Error(`no answer for the task "${task}"`);
      return answer({ results: text.split('"type":"tool_result"').length - 1, text });
    });
  }

  async say(text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<void> {
    await this.platform.say(this.platform.message(text, extra));
    await this.running.gateway.engine.idle();
  }

  /** The texts in the chat. */
  get texts(): readonly string[] {
    return this.platform.sent.flatMap(({ outbound }) => (outbound.type === "text" ? [outbound.text] : []));
  }

  /** The requests that hold a text. */
  bodies(needle: string): readonly string[] {
    return this.server.requests.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes(needle));
  }

  async rows(): Promise<readonly SpawnRecord[]> {
    return this.running.store.listSpawns();
  }
}

/** Hands tasks out, in one answer. */
export function spawn(...tasks: readonly string[]): AnthropicReply {
  return toolReply(...tasks.map((task) => ({ name: "sessions_spawn", input: { task } })));
}

/** Ends the turn until the results are there. */
export const YIELD: AnthropicReply = toolReply({ name: "sessions_yield", input: {} });
