import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { ChannelCapabilities } from "../../packages/channel-contract/src/index.ts";
import { ROOT } from "../workspace.ts";

/** What a channel can be required to declare. */
const FEATURES = {
  edit: ({ edit }) => edit,
  delete: (capabilities) => capabilities.delete,
  reactions: ({ reactions }) => reactions,
  polls: ({ polls }) => polls,
  typing: ({ typing }) => typing,
  media: ({ media }) => (["image", "audio", "video", "file"] as const).every((kind) => media.some((one) => one.kind === kind)),
  threads: ({ threads }) => threads === "native",
  buttons: ({ buttons }) => buttons,
  commands: ({ nativeCommands }) => nativeCommands,
  cards: ({ cards }) => cards,
  stream: ({ streaming }) => streaming === "native",
  idempotentSend: ({ idempotentSend }) => idempotentSend !== undefined,
} satisfies Readonly<Record<string, (capabilities: ChannelCapabilities) => boolean>>;

type Feature = keyof typeof FEATURES;

const COMMON = ["edit", "delete", "reactions", "media", "threads", "buttons"] as const satisfies readonly Feature[];

/**
 * What the product promises of its channels: without this list an adapter could pass the conformance suite by declaring little. The suite proves what is declared.
 * WebChat has few: see docs/decisions/0038-webchat-declares-little.md.
 */
const REQUIRED: Readonly<
  Record<string, { readonly of: (module: CapabilityModule) => ChannelCapabilities; readonly features: readonly Feature[] }>
> = {
  discord: {
    of: (module) => module["DISCORD_CAPABILITIES"] as ChannelCapabilities,
    features: [...COMMON, "polls", "typing", "commands", "cards", "idempotentSend"],
  },
  feishu: {
    of: (module) => called(module["feishuCapabilities"], { type: "websocket" }),
    features: [...COMMON, "cards", "stream", "idempotentSend"],
  },
  matrix: {
    of: (module) => module["MATRIX_CAPABILITIES"] as ChannelCapabilities,
    features: ["edit", "delete", "reactions", "media", "threads", "polls", "typing", "idempotentSend"],
  },
  slack: { of: (module) => called(module["slackCapabilities"], "socket"), features: [...COMMON, "commands", "cards", "stream"] },
  telegram: {
    of: (module) => called(module["telegramCapabilities"], "polling"),
    features: [...COMMON, "polls", "typing", "commands", "cards"],
  },
  webchat: { of: (module) => module["WEBCHAT_CAPABILITIES"] as ChannelCapabilities, features: ["idempotentSend"] },
};

type CapabilityModule = Readonly<Record<string, unknown>>;

function called(capabilitiesOf: unknown, argument: unknown): ChannelCapabilities {
  return (capabilitiesOf as (argument: unknown) => ChannelCapabilities)(argument);
}

describe.each(Object.entries(REQUIRED))("%s", (name, { of, features }) => {
  test("declares what the product promises of it", async () => {
    const path = join(ROOT, "extensions", name, "src/capabilities.ts");
    const capabilities = of((await import(pathToFileURL(path).href)) as CapabilityModule);
    expect(features.filter((feature) => !FEATURES[feature](capabilities))).toEqual([]);
  });
});
