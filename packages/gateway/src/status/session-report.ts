import { ModelError } from "@factotum/agent-contract";
import type { Clock, RunFacts, SessionReporter } from "@factotum/agent-contract";
import type { SessionStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { modeLine } from "../commands/mode.ts";
import { modelLine } from "../commands/model.ts";
import { thinkingLine } from "../commands/think.ts";
import { modeOf } from "../conversation/session-mode.ts";

/** Dependencies of the report. */
export interface SessionReportParts {
  readonly store: SessionStore;
  readonly running: RunningConfig;
  readonly clock: Clock;
}

/** Describes sessions for the tool `session_status`. The tools are created before the parts that it reads. */
export class SessionReport implements SessionReporter {
  #parts: SessionReportParts | undefined;

  connect(parts: SessionReportParts): void {
    this.#parts = parts;
  }

  async describe({ sessionKey, agentId, timeZone }: RunFacts): Promise<string> {
    if (this.#parts === undefined) throw new Error("The gateway has not started yet.");
    const { store, running, clock } = this.#parts;
    const record = await store.readSession(sessionKey);
    const agent = running.agent(agentId);
    const lines = [
      `Now: ${agent.time.timestamp(clock.now())}, time zone ${timeZone}`,
      `Agent: ${agentId}`,
      `Session: ${sessionKey}`,
      await modelLine({ record, agent }, running.models),
      ...(modeOf(record) === "ask" ? [] : [modeLine({ record })]),
    ];
    try {
      const { client } = await agent.model(record?.overrides.model);
      lines.push(thinkingLine({ record, agent }, client.info));
      if (record !== undefined) {
        const { lastInput, lastCacheRead, lastCacheWrite } = record.usage;
        lines.push(`context: ${lastInput + lastCacheRead + lastCacheWrite} of ${client.info.contextWindow} tokens`);
      }
    } catch (error) {
      // The line of the model says what is wrong with it.
      if (!ModelError.isInstance(error)) throw error;
    }
    return lines.join("\n");
  }
}
