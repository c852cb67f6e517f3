import type { AgentTool, MessageOperation, MessagingFeatures } from "@factotum/agent-contract";
import type { ChannelCapabilities } from "@factotum/channel-contract";

/** Whether a channel has an operation; every channel sends, and actions are declared by name. */
const OFFERED: Readonly<
  Record<Exclude<MessageOperation["type"], "send" | "act">, (capabilities: ChannelCapabilities) => boolean | undefined>
> = {
  card: ({ cards }) => cards,
  poll: ({ polls }) => polls,
  react: ({ reactions }) => reactions,
  edit: ({ edit, cardEdits }) => edit || cardEdits,
  delete: (capabilities) => capabilities.delete,
};

/**
 * What the messages of a session can be: what one of its channels supports. These are its own channel, and in a session that may write elsewhere all of them;
 * a card or poll to one without them degrades to text.
 */
export function messagingFeatures(channels: readonly ChannelCapabilities[], elsewhere: boolean): MessagingFeatures {
  const some = (has: (capabilities: ChannelCapabilities) => boolean | undefined): boolean => channels.some((one) => has(one) === true);
  return {
    actions: [
      ...Object.entries(OFFERED).flatMap(([name, has]) => (some(has) ? [name] : [])),
      ...new Set(channels.flatMap(({ actions }) => actions)),
    ],
    elsewhere,
    ephemeral: some(({ ephemeral }) => ephemeral),
    silent: some(({ silent }) => silent),
    threads: some(({ threads }) => threads === "native"),
  };
}

/** Narrows the schemas of tools to what a session can use. */
export function narrowTools(tools: readonly AgentTool[], features: MessagingFeatures): readonly AgentTool[] {
  return tools.map((tool) => (tool.narrow === undefined ? tool : { ...tool, ...tool.narrow(features) }));
}
