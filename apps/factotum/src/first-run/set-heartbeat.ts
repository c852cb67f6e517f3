import type { JsonObject } from "@factotum/agent-contract";
import { formatKeyPath, getConfigValue, setConfigValue, type KeyPath, type LoadedConfig } from "@factotum/config";
import type { SetupHeartbeat } from "@factotum/protocol";
import { loadForSetup, refusedFor, type FirstRunParts, type StepOutcome } from "./first-run-parts.ts";
import { heartbeatChoice, OFFERED_HOURS, OFFERED_INTERVAL } from "./heartbeat-choice.ts";
import { defaultAgent } from "./read-setup-state.ts";

/**
 * Sets when the default agent wakes itself up: where its heartbeat is set now, otherwise under `agents.defaults`. What else is set of the heartbeat is kept,
 * unless it is switched off.
 */
export async function setHeartbeat(
  choice: SetupHeartbeat,
  parts: FirstRunParts,
): Promise<StepOutcome<{ readonly heartbeat: SetupHeartbeat }>> {
  const loaded = await loadForSetup(parts);
  if (loaded.type === "refused") return loaded;
  const agent = defaultAgent(loaded.config);
  if (heartbeatChoice(agent.heartbeat) === choice) return { type: "done", heartbeat: choice };
  const key = formatKeyPath(placeOfHeartbeat(loaded, agent.id));
  const result = await setConfigValue(key, choice === "off" ? "off" : withTimes(getConfigValue(key, loaded), choice), parts);
  return result.type === "refused" ? refusedFor(result.path, result.problems) : { type: "done", heartbeat: choice };
}

function placeOfHeartbeat(loaded: LoadedConfig, agentId: string): KeyPath {
  const listed = loaded.config.agents.findIndex(({ id }) => id === agentId);
  const own: KeyPath = ["agents", "list", listed, "heartbeat"];
  return getConfigValue(formatKeyPath(own), loaded).type === "set" ? own : ["agents", "defaults", "heartbeat"];
}

function withTimes(written: ReturnType<typeof getConfigValue>, choice: "day" | "always"): JsonObject {
  const before = written.type === "set" && typeof written.value === "object" ? (written.value as JsonObject) : {};
  const { activeHours: _hours, ...kept } = before;
  return { ...kept, every: OFFERED_INTERVAL, ...(choice === "day" ? { activeHours: OFFERED_HOURS } : {}) };
}
