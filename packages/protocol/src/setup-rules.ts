import type { SetupCheck, SetupHeartbeat, SetupProvider, SetupState } from "./shapes/setup.ts";

/** True if the provider has a key that can be read. */
export function hasUsableKey({ keyPlace, keyProblem }: SetupProvider): boolean {
  return keyPlace !== undefined && keyProblem === undefined;
}

/** False if the test found the key missing or refused. Such a key is not worth storing. */
export function mayKeyBeRight({ type }: Pick<SetupCheck, "type">): boolean {
  return type !== "missing-key" && type !== "refused-key";
}

/** True if the test found that the model cannot be used. */
export function isModelRefused({ type }: Pick<SetupCheck, "type">): boolean {
  return type === "unknown-model" || type === "unusable-model";
}

/** The models to choose from, without duplicates: the recommended one first, then those that the test found. */
export function offeredModels({ defaultModel }: SetupProvider, found: readonly string[]): readonly string[] {
  return [...new Set([...(defaultModel === undefined ? [] : [defaultModel]), ...found])];
}

/** What is said of the heartbeat before setup asks for it. */
export const HEARTBEAT_OFFER =
  "The assistant can wake itself up: it looks at what you have written into HEARTBEAT.md in its workspace, and writes to you if there is something to say. That costs nothing while there is nothing to do: without a line in that file, no model is asked. In quiet hours it sleeps, and what was due then is not made up for.";

/** The choices of a heartbeat, with that of the configuration if it is another one. */
export function offeredHeartbeats({
  heartbeat,
}: SetupState["agent"]): readonly { readonly value: SetupHeartbeat | "other"; readonly label: string }[] {
  return [
    ...(heartbeat === "other" ? [{ value: heartbeat, label: "Keep it as it is configured" }] : []),
    { value: "off", label: "Off" },
    { value: "day", label: "Every 30 minutes, with quiet hours from 22:00 to 08:00" },
    { value: "always", label: "Every 30 minutes, day and night" },
  ];
}
