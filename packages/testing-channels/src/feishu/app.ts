/** A chat and its members. */
interface FakeFeishuChat {
  readonly name: string;
  readonly description?: string;
  readonly ownerOpenId?: string;
  readonly members: readonly { readonly openId: string; readonly name: string }[];
}

/** The app that the server knows, as configured in its console. */
export interface FakeFeishuApp {
  readonly appId: string;
  readonly appSecret: string;
  readonly encryptKey: string;
  readonly verificationToken: string;
  readonly bot: { readonly openId: string; readonly name: string };
  readonly tenantKey: string;
  /** Chats that the bot is in; every other chat answers 230002. */
  readonly chats: Set<string>;
  /** Chats of one person and the bot. */
  readonly directChats: Set<string>;
  /** People whom the bot may write to; every other open id gets 230013. */
  readonly people: Set<string>;
  /** Names and members of chats, by chat id. */
  readonly chatInfo: Map<string, FakeFeishuChat>;
  /** Granted scopes, as far as reading needs them. */
  readonly scopes: Set<string>;
  readonly tokenLifetimeSeconds: number;
  /** Connections stay open after a request, like the platform's. False by default: then a client notices that a server is gone, and holds no idle socket of it. */
  readonly keepsConnections: boolean;
  readonly now: () => number;
}

/** What a test may set; the rest is generated. */
export type FakeFeishuOptions = Partial<Omit<FakeFeishuApp, "chats" | "directChats" | "people" | "chatInfo" | "scopes">> & {
  readonly chats?: Iterable<string>;
  readonly directChats?: Iterable<string>;
  readonly people?: Iterable<string>;
  readonly chatInfo?: Readonly<Record<string, FakeFeishuChat>>;
  readonly scopes?: Iterable<string>;
};

/** Fills in an app. */
export function fakeFeishuApp(options: FakeFeishuOptions): FakeFeishuApp {
  return {
    appId: "cli_a1b2c3d4e5f60718",
    appSecret: "app-secret-of-the-fake-0123456789",
    encryptKey: "encrypt-key-of-the-fake",
    verificationToken: "verification-token-of-the-fake",
    bot: { openId: "ou_bot00000000000000000000000000000", name: "Factotum" },
    tenantKey: "tenant0000000000",
    tokenLifetimeSeconds: 7_200,
    keepsConnections: false,
    now: () => Date.now(),
    ...options,
    chats: new Set(options.chats ?? ["oc_dm", "oc_group"]),
    directChats: new Set(options.directChats ?? ["oc_dm"]),
    people: new Set(options.people ?? ["ou_alice", "ou_bob"]),
    chatInfo: new Map(Object.entries(options.chatInfo ?? {})),
    scopes: new Set(options.scopes ?? ["im:chat:readonly", "im:message:readonly", "im:message.group_msg"]),
  };
}

/** The chat that messages to a target appear in: a person's is `oc_dm_` and the end of their open id. */
export function chatIdOf(receiveId: string): string {
  return receiveId.startsWith("ou_") ? `oc_dm_${receiveId.slice("ou_".length)}` : receiveId;
}
