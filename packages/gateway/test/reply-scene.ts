import { withoutUndefined } from "@factotum/agent-contract";
import type { AccountConfig, FactotumConfig } from "@factotum/config";
import { startAnthropicServer } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startTestGateway, TestPlatform, withModel } from "./gateway-harness.ts";
import type { TestGateway } from "./gateway-harness.ts";

/** Settings of an agent. */
export type AgentPatch = Partial<FactotumConfig["agents"][number]>;

/** A model and a platform, and the messages sent to its chats. */
export class ReplyScene implements AsyncDisposable {
  readonly server: AnthropicServer;
  platform: TestPlatform = new TestPlatform();

  private constructor(server: AnthropicServer) {
    this.server = server;
  }

  static async create(): Promise<ReplyScene> {
    return new ReplyScene(await startAnthropicServer());
  }

  /** Starts a gateway between them, whose agents have these settings. */
  async start(agent: AgentPatch = {}, accountConfig: Partial<AccountConfig> = {}, home?: string): Promise<TestGateway> {
    return startTestGateway({
      platform: this.platform,
      accountConfig,
      patch: (config) => {
        const base = withModel(this.server.baseUrl)(config);
        return { ...base, agents: base.agents.map((one) => ({ ...one, ...agent })) };
      },
      ...withoutUndefined({ home }),
    });
  }

  /** What was sent to the platform's chats: texts, or the type of other messages. */
  sentTexts(): readonly string[] {
    return this.platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : outbound.type));
  }

  /** What is sent during this work, and until everything is idle. */
  async sentDuring(running: TestGateway, work: () => Promise<unknown>): Promise<readonly string[]> {
    const before = this.platform.sent.length;
    await work();
    await running.gateway.engine.idle();
    return this.sentTexts().slice(before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}
