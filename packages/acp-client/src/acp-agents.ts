import { withoutUndefined } from "@factotum/agent-contract";
import type { ExternalAgents, ExternalAgentView, ExternalConversation, ModelClient } from "@factotum/agent-contract";
import { createAgentClient } from "./agent-client.ts";
import { agentError } from "./agent-error.ts";
import { AGENT_LIMITS, type AcpAgentsOptions, type AgentLimits, type AgentSettings } from "./agent-settings.ts";
import { AgentConversation } from "./conversation.ts";
import { programProblem } from "./find-program.ts";
import { abortable } from "./prompt-queue.ts";

/** A conversation with its agent, which may still be starting. */
interface Entry {
  readonly conversation: AgentConversation;
  readonly opened: Promise<void>;
  timer?: Disposable | undefined;
}

/** External agents over the Agent Client Protocol: one process for each conversation, started with its first prompt and ended when it rests. */
export class AcpAgents implements ExternalAgents {
  readonly #options: AcpAgentsOptions;
  readonly #limits: AgentLimits;
  /** By the id of the conversation, the one that was used last at the end. */
  readonly #entries = new Map<string, Entry>();
  #isClosed = false;

  constructor(options: AcpAgentsOptions) {
    this.#options = options;
    this.#limits = { ...AGENT_LIMITS, ...options.limits };
  }

  ids(): readonly string[] {
    return Object.keys(this.#options.settings());
  }

  problemOf(id: string): string | undefined {
    const settings = this.#settingsOf(id);
    if (settings === undefined) return `acp.agents has no ${id}.`;
    return programProblem(settings.command, this.#options.searchPath);
  }

  client(id: string, conversation: ExternalConversation): ModelClient {
    const { sessionId } = conversation.run;
    return createAgentClient({
      id,
      clock: this.#options.clock,
      isResumed: conversation.isResumed,
      reach: async (signal) => this.#reach(id, conversation, signal),
      onRest: () => this.#rest(sessionId),
    });
  }

  list(): readonly ExternalAgentView[] {
    return [...this.#entries.values()].map(({ conversation }) => {
      const { id, place, state, canLoad } = conversation;
      return { agent: id, ...place, state, canLoad };
    });
  }

  async close(sessionKey: string): Promise<void> {
    const own = [...this.#entries].filter(([, { conversation }]) => conversation.place.sessionKey === sessionKey);
    await Promise.all(own.map(async (entry) => this.#end(...entry)));
  }

  /** Ends all agents, and starts no more. Resolves when nothing of them runs. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#entries].map(async ([sessionId, entry]) => this.#end(sessionId, entry)));
  }

  #settingsOf(id: string): AgentSettings | undefined {
    const all = this.#options.settings();
    return Object.hasOwn(all, id) ? all[id] : undefined;
  }

  async #reach(id: string, conversation: ExternalConversation, signal: AbortSignal): Promise<AgentConversation> {
    const { sessionId } = conversation.run;
    const settings = this.#settingsOf(id);
    const known = this.#entries.get(sessionId);
    if (known !== undefined && known.conversation.hasPrompt) return known.conversation;
    if (known !== undefined) await abortable(known.conversation.idle(), signal);
    if (settings === undefined)
      throw agentError("not-found", `There is no external agent ${id}: acp.agents in the configuration has ${this.#names()}.`);
    if (
      known !== undefined &&
      !known.conversation.hasEnded &&
      known.conversation.id === id &&
      isSame(known.conversation.settings, settings)
    ) {
      known.timer?.[Symbol.dispose]();
      this.#entries.delete(sessionId);
      this.#entries.set(sessionId, known);
      await abortable(known.opened, signal);
      return known.conversation;
    }
    if (known !== undefined) await this.#end(sessionId, known);
    await this.#makeRoom();
    const started = this.#start(id, settings, conversation);
    await abortable(started.opened, signal);
    return started.conversation;
  }

  #start(id: string, settings: AgentSettings, given: ExternalConversation): Entry {
    if (this.#isClosed) throw agentError("aborted", "The gateway stops.");
    const { sessionId } = given.run;
    const conversation = new AgentConversation(id, settings, given.run, { ...this.#options, limits: this.#limits });
    const forget = (): void => {
      if (this.#entries.get(sessionId)?.conversation === conversation && !conversation.hasPrompt) this.#entries.delete(sessionId);
    };
    const opened = conversation.open(given, forget);
    opened.catch(forget);
    const entry: Entry = { conversation, opened };
    this.#entries.set(sessionId, entry);
    return entry;
  }

  /** An agent that rests makes way for another one. */
  async #makeRoom(): Promise<void> {
    if (this.#entries.size < this.#limits.agents) return;
    const resting = [...this.#entries].find(([, { conversation }]) => conversation.state === "idle" && !conversation.hasPrompt);
    if (resting === undefined)
      throw agentError("overloaded", `${this.#limits.agents} external agents work already. Wait for one, or stop one.`);
    await this.#end(...resting);
  }

  /** A stream has ended: an agent without a prompt is kept for a while. */
  #rest(sessionId: string): void {
    const entry = this.#entries.get(sessionId);
    if (entry === undefined || entry.conversation.hasPrompt) return;
    entry.timer?.[Symbol.dispose]();
    if (entry.conversation.hasEnded) {
      this.#entries.delete(sessionId);
      return;
    }
    const { idleMs, keptMs } = this.#limits;
    entry.timer = this.#options.clock.schedule(entry.conversation.canLoad ? idleMs : keptMs, () => {
      if (!entry.conversation.hasPrompt) void this.#end(sessionId, entry);
    });
  }

  async #end(sessionId: string, entry: Entry): Promise<void> {
    entry.timer?.[Symbol.dispose]();
    if (this.#entries.get(sessionId) === entry) this.#entries.delete(sessionId);
    await entry.conversation.close();
    await entry.opened.catch(() => undefined);
  }

  #names(): string {
    const ids = this.ids();
    return ids.length === 0 ? "none" : ids.join(", ");
  }
}

function isSame(one: AgentSettings, other: AgentSettings): boolean {
  return JSON.stringify(withoutUndefined({ ...one })) === JSON.stringify(withoutUndefined({ ...other }));
}
