/** A permission of the app, and what it is for. */
export interface Scope {
  readonly name: string;
  readonly purpose: string;
  /** Without it nothing can be received or sent. */
  readonly isRequired: boolean;
}

/** The bot's scopes that are used. */
export const SCOPES: readonly Scope[] = [
  { name: "chat:write", purpose: "sending, editing, streaming", isRequired: true },
  { name: "im:history", purpose: "direct messages", isRequired: true },
  { name: "im:write", purpose: "opening a direct chat to write first", isRequired: true },
  { name: "channels:history", purpose: "messages of public channels", isRequired: true },
  { name: "groups:history", purpose: "messages of private channels", isRequired: true },
  { name: "mpim:history", purpose: "messages of group chats", isRequired: true },
  { name: "users:read", purpose: "names of people", isRequired: true },
  { name: "channels:read", purpose: "names of public channels, who joins and leaves", isRequired: true },
  { name: "groups:read", purpose: "names of private channels, who joins and leaves", isRequired: true },
  { name: "mpim:read", purpose: "which conversations are group chats", isRequired: true },
  { name: "im:read", purpose: "direct chats", isRequired: true },
  { name: "files:read", purpose: "files that people send", isRequired: true },
  { name: "files:write", purpose: "files that the assistant sends", isRequired: true },
  { name: "reactions:read", purpose: "reactions of people", isRequired: true },
  { name: "reactions:write", purpose: "reactions of the assistant", isRequired: true },
  { name: "commands", purpose: "the slash command", isRequired: true },
  { name: "pins:read", purpose: "listing pinned messages", isRequired: false },
  { name: "pins:write", purpose: "pinning and unpinning", isRequired: false },
  { name: "emoji:read", purpose: "the workspace's own emoji", isRequired: false },
];

/** The events that are handled, as the app subscribes to them. */
export const SUBSCRIPTIONS: readonly string[] = [
  "message.im",
  "message.mpim",
  "message.channels",
  "message.groups",
  "reaction_added",
  "reaction_removed",
  "member_joined_channel",
  "member_left_channel",
];
