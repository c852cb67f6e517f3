/** What each channel of this release is and what one needs for it, in one line for people who choose. */
const WORDS: Readonly<Record<string, string>> = {
  a2a: "Other agents send it tasks. You need a token for each of them.",
  "chat-sdk": "Any platform that has an adapter of the Chat SDK. You need the adapter and what its page asks for.",
  discord: "Direct messages and channels of a server. You need an account and a bot’s token from the developer portal.",
  email: "It answers mail. You need a mailbox of its own, with its servers and a password.",
  feishu:
    "Feishu and Lark, the chat of companies. You need a custom app with its ID and secret, which an administrator may have to permit.",
  irc: "Channels and private messages of an IRC network. You need the address of a server and a nickname; no account.",
  matrix: "Rooms on any Matrix server, without encryption. You need an account for the assistant and its access token.",
  slack: "The chat of a team. You need a workspace in which you may install an app, and the tokens of that app.",
  telegram: "A bot on your phone, free and ready in a minute. You need an account and the token that @BotFather gives you.",
  webhook: "Services that you write yourself post messages and get answers. You need an address of theirs and a secret.",
};

/** What a channel is and what one needs for it; `undefined` for one of another maker. */
export function channelWords(id: string): string | undefined {
  return Object.hasOwn(WORDS, id) ? WORDS[id] : undefined;
}
