/** A person or bot of the workspace. */
export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly isBot?: boolean;
}

/** A conversation of the workspace. */
export interface SlackConversation {
  readonly id: string;
  readonly kind: "im" | "mpim" | "channel" | "private";
  readonly name: string;
  readonly topic?: string;
  /** The other person of an `im`. */
  readonly userId?: string;
  /** The people in it besides the bot; everybody by default, and in an `im` its person. */
  readonly members?: readonly string[];
  /** Whether the bot is in it; true by default. */
  readonly isMember?: boolean;
}

/** The app as its settings pages show it, and its workspace. Tests may change it. */
export interface FakeSlackApp {
  readonly appId: string;
  readonly teamId: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly bot: { readonly userId: string; readonly botId: string; readonly name: string };
  readonly scopes: Set<string>;
  readonly users: Map<string, SlackUser>;
  readonly conversations: Map<string, SlackConversation>;
  readonly emoji: Map<string, string>;
  readonly now: () => number;
}

/** What a test may choose; the rest has defaults. */
export interface FakeSlackOptions {
  readonly users?: readonly SlackUser[];
  readonly conversations?: readonly SlackConversation[];
  readonly scopes?: readonly string[];
  readonly now?: () => number;
  /** Milliseconds after which an envelope without an acknowledgement counts as failed; 3,000 by default, as on the platform. */
  readonly ackTimeoutMs?: number;
}

const SCOPES = [
  ..."app_mentions:read channels:history channels:read chat:write commands emoji:read files:read files:write groups:history".split(" "),
  ..."groups:read im:history im:read im:write mpim:history mpim:read mpim:write pins:read pins:write reactions:read".split(" "),
  ..."reactions:write users:read".split(" "),
];

/** An app with its defaults: Alice and Bob, a direct chat with Alice, a channel and a group. */
export function fakeSlackApp(options: FakeSlackOptions): FakeSlackApp {
  const bot = { userId: "U0FACTOTUM", botId: "B0FACTOTUM", name: "factotum" };
  const users = options.users ?? [
    { id: "U0ALICE", name: "alice", realName: "Alice" },
    { id: "U0BOB", name: "bob", realName: "Bob" },
  ];
  const conversations = options.conversations ?? [
    { id: "D0ALICE", kind: "im", name: "", userId: "U0ALICE" },
    { id: "C0GENERAL", kind: "channel", name: "general", topic: "Everything" },
    { id: "G0GROUP", kind: "mpim", name: "mpdm-alice--bob--factotum-1" },
  ];
  return {
    appId: "A0FACTOTUM",
    teamId: "T0TEAM",
    botToken: ["xoxb", "1111", "2222", "botTokenOfTheFake"].join("-"),
    appToken: ["xapp", "1", "A0FACTOTUM", "3333", "appTokenOfTheFake"].join("-"),
    signingSecret: "8f742231b10e8888abcd99yyyzzz85a5",
    bot,
    scopes: new Set(options.scopes ?? SCOPES),
    users: new Map([...users, { id: bot.userId, name: bot.name, realName: "Factotum", isBot: true }].map((user) => [user.id, user])),
    conversations: new Map(conversations.map((conversation) => [conversation.id, conversation])),
    emoji: new Map([["shipit", "https://emoji.example/shipit.png"]]),
    now: options.now ?? (() => Date.now()),
  };
}
