import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JobSpec } from "@factotum/agent-contract";
import type { JobAuthority, OccurrenceRecord } from "@factotum/store";
import { startAnthropicServer } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startTestGateway, TestPlatform, withModel } from "./gateway-harness.ts";
import type { TestGateway } from "./gateway-harness.ts";
import type { AgentPatch } from "./reply-scene.ts";
import { TravellingClock } from "./travelling-clock.ts";

/** What the owner may do in the direct conversation of a `TestPlatform` with the agent `main`. */
export const OWNER_CHAT: JobAuthority = {
  owner: true,
  sender: { id: "owner-1", name: "Olga", isBot: false },
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } },
  sessionKey: "agent:main:main",
};

type GatewayOptions = NonNullable<Parameters<typeof startTestGateway>[0]>;

/** A model, a platform, a clock that the test moves, and a workspace, between which gateways run their jobs. */
export class JobScene implements AsyncDisposable {
  readonly server: AnthropicServer;
  readonly clock: TravellingClock;
  readonly workspace: string;
  platform: TestPlatform = new TestPlatform();

  private constructor(server: AnthropicServer, clock: TravellingClock, workspace: string) {
    this.server = server;
    this.clock = clock;
    this.workspace = workspace;
  }

  /** The clock starts at `startMs`. */
  static async create(startMs: number): Promise<JobScene> {
    const workspace = await mkdtemp(path.join(tmpdir(), "factotum-jobs-"));
    return new JobScene(await startAnthropicServer(), new TravellingClock(startMs), workspace);
  }

  /** Starts a gateway whose agents are in UTC and have these settings. `patch` changes its configuration last. */
  async start({ agent = {}, patch, ...options }: GatewayOptions & { readonly agent?: AgentPatch } = {}): Promise<TestGateway> {
    return startTestGateway({
      platform: this.platform,
      clock: this.clock,
      patch: (config) => {
        const base = withModel(this.server.baseUrl)(config);
        const agents = base.agents.map((one) => ({ ...one, userTimezone: "UTC", workspace: this.workspace, ...agent }));
        return patch === undefined ? { ...base, agents } : patch({ ...base, agents });
      },
      ...options,
    });
  }

  /** The texts that were sent to the platform's chats. */
  get texts(): readonly string[] {
    return this.platform.sent.flatMap(({ outbound }) => (outbound.type === "text" ? outbound.text : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await rm(this.workspace, { recursive: true, force: true });
  }
}

/** Makes a job of the agent `main` with the owner's authority. Resolves with its id. */
export async function addJob({ gateway }: TestGateway, spec: JobSpec, authority: Partial<JobAuthority> = {}): Promise<string> {
  const change = await gateway.engine.schedule.jobs.add(spec, { agentId: "main", authority: { ...OWNER_CHAT, ...authority } });
  if (change.type === "refused") throw new Error(change.message);
  return change.job.id;
}

/** False while an occurrence has no outcome yet. */
export function hasOutcome({ state }: Pick<OccurrenceRecord, "state">): boolean {
  return state !== "claimed" && state !== "running";
}

/** An outcome and its reason, in one text. */
export function shownOutcome({ state, reason = "" }: Pick<OccurrenceRecord, "state" | "reason">): string {
  return `${state} ${reason}`.trim();
}
