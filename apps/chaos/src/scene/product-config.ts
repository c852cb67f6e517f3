import type { FakeFeishu } from "@factotum/testing-channels";
import { showingConfig } from "./showing.ts";
import type { Showing } from "./showing.ts";

/** A configuration in which everyone on the fake platform has a session, and the agent may run commands for owners. */
export function productConfig(
  feishu: FakeFeishu,
  modelUrl: string,
  {
    people,
    owners,
    showing = "whole",
  }: { readonly people: readonly string[]; readonly owners: readonly string[]; readonly showing?: Showing },
): object {
  const { account, agents } = showingConfig(showing);
  const { appId, appSecret, encryptKey, verificationToken } = feishu.app;
  return {
    agents: { defaults: { model: "anthropic/claude-sonnet-4-6", ...agents }, list: [{ id: "main", tools: { allow: ["exec"] } }] },
    models: { providers: { anthropic: { baseUrl: modelUrl, apiKey: "sk-ant-test-0123456789" } } },
    tools: { exec: { mode: "full" } },
    session: { dmScope: "per-channel-peer" },
    // Each message is answered separately, however many wait: overflowing ones would go into the turn of another one.
    messages: { queue: { mode: "followup", cap: 1000 } },
    commands: { ownerAllowFrom: owners.map((person) => `feishu:${person}`) },
    channels: {
      feishu: {
        appId,
        appSecret,
        baseUrl: feishu.baseUrl,
        allowFrom: people,
        ...account,
        transport: { type: "webhook", encryptKey, verificationToken },
      },
    },
  };
}

/** The platform's id of a person, by number. */
export function personOf(index: number): string {
  return `ou_person${String(index).padStart(6, "0")}`;
}

/** The platform's id of that person's chat with the bot. */
export function chatOf(index: number): string {
  return `oc_chat${String(index).padStart(6, "0")}`;
}
