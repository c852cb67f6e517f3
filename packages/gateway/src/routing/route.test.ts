import type { Conversation, Origin } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { explainRoute, orderBindings, routeMessage } from "./route.ts";
import type { Binding, RouteQuery, RoutingConfig } from "./route.ts";

const config = (
  patch: { readonly bindings?: readonly Binding[]; readonly session?: Partial<RoutingConfig["session"]> } = {},
): RoutingConfig => ({
  agents: [
    { id: "main", isDefault: true },
    { id: "coder", isDefault: false },
  ],
  bindings: patch.bindings ?? [],
  session: { scope: "per-sender", mainKey: "main", dmScope: "main", sharedMain: false, identityLinks: {}, ...patch.session },
  commands: { ownerAllowFrom: ["test:owner"] },
});

const query = (conversation: Conversation, patch: Partial<RouteQuery> & { readonly accountId?: string } = {}): RouteQuery => {
  const origin: Origin = { channel: "test", accountId: patch.accountId ?? "default", conversation };
  return { origin, senderId: "U1", roles: [], caseSensitiveIds: true, ...patch };
};
const direct: Conversation = { kind: "direct", id: "D1" };

describe("the route of a message", () => {
  test.each([
    ["main", "agent:main:main"],
    ["per-peer", "agent:main:direct:U1"],
    ["per-channel-peer", "agent:main:test:direct:U1"],
    ["per-account-channel-peer", "agent:main:test:default:direct:U1"],
  ] as const)("direct messages of everyone under %s and sharedMain go to %s", (dmScope, sessionKey) => {
    const shared = config({ session: { dmScope, sharedMain: true } });
    expect(routeMessage(query(direct), shared)).toEqual({ agentId: "main", sessionKey });
    expect(routeMessage(query(direct), config({ session: { dmScope } })).sessionKey).toBe(
      dmScope === "main" ? "agent:main:test:direct:U1" : sessionKey,
    );
  });

  test("a thread of a direct conversation has a session of its own only where the channel says so", () => {
    const thread: Conversation = { ...direct, threadId: "t:1" };
    expect(routeMessage(query(thread), config()).sessionKey).toBe("agent:main:test:direct:U1");
    expect(routeMessage(query(thread, { directThreads: true }), config()).sessionKey).toBe("agent:main:test:direct:U1:thread:t%3A1");
    const perPeer = config({ session: { dmScope: "per-peer" } });
    expect(routeMessage(query(thread, { directThreads: true }), perPeer).sessionKey).toBe("agent:main:direct:U1:thread:t%3A1");
    expect(routeMessage(query(direct, { directThreads: true }), config()).sessionKey).toBe("agent:main:test:direct:U1");
  });

  test("a thread with a session of its own is never in the owner's session", () => {
    const thread = query({ ...direct, threadId: "t1" }, { senderId: "owner", directThreads: true });
    for (const session of [{}, { sharedMain: true }, { scope: "global" }, { scope: "global", sharedMain: true }] as const)
      expect(routeMessage(thread, config({ session }))).toEqual({ agentId: "main", sessionKey: "agent:main:test:direct:owner:thread:t1" });
  });

  describe("without sharedMain", () => {
    const owner = { senderId: "owner" };
    const guest = "agent:main:test:direct:U1";

    test("main is the owner's, and direct messages of others are kept out of it", () => {
      expect(routeMessage(query(direct, owner), config())).toEqual({ agentId: "main", sessionKey: "agent:main:main" });
      expect(routeMessage(query(direct), config())).toEqual({ agentId: "main", sessionKey: guest, keptOutOf: "agent:main:main" });
    });

    test("an id that is linked with one of the owner goes to main; one that is linked with others, or has the same name, does not", () => {
      const links = (identityLinks: RoutingConfig["session"]["identityLinks"]): RoutingConfig => config({ session: { identityLinks } });
      expect(routeMessage(query(direct), links({ olga: ["test:owner", "test:U1"] })).sessionKey).toBe("agent:main:main");
      expect(routeMessage(query(direct), links({ anna: ["test:U1", "other:7"] })).sessionKey).toBe("agent:main:test:direct:anna");
      expect(routeMessage(query(direct), links({ owner: ["test:U1"] })).sessionKey).toBe(guest);
      expect(routeMessage(query(direct), links({ olga: ["test:owner", "other:U1"] })).sessionKey).toBe(guest);
    });

    test("a bot on the owner's lists has a conversation of its own", () => {
      const owners = query(direct, { senderId: "owner" });
      expect(routeMessage(owners, config({})).sessionKey).toBe("agent:main:main");
      expect(routeMessage({ ...owners, isBot: true }, config({}))).toEqual({
        agentId: "main",
        sessionKey: "agent:main:test:direct:owner",
        keptOutOf: "agent:main:main",
      });
      const linked = config({ session: { dmScope: "per-peer", identityLinks: { olga: ["test:U1", "test:owner"] } } });
      expect(routeMessage(query(direct), linked).sessionKey).toBe("agent:main:direct:olga");
      expect(routeMessage({ ...query(direct), isBot: true }, linked).sessionKey).toBe("agent:main:direct:U1");
    });

    test("a binding's dmScope main falls back for other people, and holds for the owner", () => {
      const bindings: readonly Binding[] = [{ agentId: "coder", match: { channel: "test" }, session: { dmScope: "main" } }];
      const bound = config({ bindings, session: { dmScope: "per-peer" } });
      expect(routeMessage(query(direct, owner), bound).sessionKey).toBe("agent:coder:main");
      expect(routeMessage(query(direct), bound)).toMatchObject({
        sessionKey: "agent:coder:test:direct:U1",
        keptOutOf: "agent:coder:main",
      });
    });

    test("the global scope has the owner's direct messages alone", () => {
      const global = config({ session: { scope: "global" } });
      const group = { kind: "group", id: "G" } as const;
      expect(routeMessage(query(direct, owner), global).sessionKey).toBe("global");
      expect(routeMessage(query(direct), global).sessionKey).toBe(guest);
      for (const who of [{}, owner]) expect(routeMessage(query(group, who), global).sessionKey).toBe("agent:main:test:group:G");
    });
  });

  test("a conversation that has moved has the key of its first address, and bindings that name an earlier one", () => {
    const earlier = {
      conversations: [
        { kind: "group", id: "B" },
        { kind: "group", id: "A" },
      ],
      parentIds: [],
    } as const;
    const moved = query({ kind: "channel", id: "C", threadId: "7" }, { original: { kind: "group", id: "A", threadId: "7" }, earlier });
    const bindings = (...ids: readonly string[]): readonly Binding[] =>
      ids.map((id) => ({ agentId: `of-${id}`, match: { channel: "test", peer: { kind: id === "C" ? "channel" : "group", id } } }));
    expect(routeMessage(moved, config())).toEqual({
      agentId: "main",
      sessionKey: "agent:main:test:group:A:topic:7",
      ownKey: "agent:main:test:channel:C:thread:7",
    });
    expect(routeMessage(moved, config({ bindings: bindings("A") })).sessionKey).toBe("agent:of-a:test:group:A:topic:7");
    expect(routeMessage(moved, config({ bindings: bindings("A", "C") })).agentId).toBe("of-C");
    const inThread = query({ kind: "channel", id: "T", parentId: "C" }, { earlier: { conversations: [], parentIds: ["A"] } });
    expect(routeMessage(inThread, config({ bindings: bindings("A") })).agentId).toBe("of-A");
  });

  test("a group is never routed to main, and its topics and threads are sessions of their own", () => {
    expect(routeMessage(query({ kind: "group", id: "G:1" }), config()).sessionKey).toBe("agent:main:test:group:G%3A1");
    expect(routeMessage(query({ kind: "group", id: "G", threadId: "7" }), config()).sessionKey).toBe("agent:main:test:group:G:topic:7");
    expect(routeMessage(query({ kind: "channel", id: "C", threadId: "7" }), config()).sessionKey).toBe(
      "agent:main:test:channel:C:thread:7",
    );
  });

  test("ids that differ in case are one session only where the channel says so", () => {
    const group = (id: string): Conversation => ({ kind: "group", id });
    expect(routeMessage(query(group("AbC"), { caseSensitiveIds: false }), config()).sessionKey).toBe("agent:main:test:group:abc");
    expect(routeMessage(query(group("AbC")), config()).sessionKey).toBe("agent:main:test:group:AbC");
  });

  test("a person's linked ids are one peer", () => {
    const linked = config({ session: { dmScope: "per-peer", identityLinks: { olga: ["test:U1", "other:9"] } } });
    expect(routeMessage(query(direct), linked).sessionKey).toBe("agent:main:direct:olga");
    expect(routeMessage(query(direct, { senderId: "9" }), linked).sessionKey).toBe("agent:main:direct:9");
  });

  test.each(["per-peer", "per-channel-peer", "per-account-channel-peer"] as const)(
    "under %s a link named like an id or a name of the owner leads nobody else to the owner's conversation",
    (dmScope) => {
      const keyOf = (senderId: string, identityLinks: RoutingConfig["session"]["identityLinks"]): string =>
        routeMessage(query(direct, { senderId }), config({ session: { dmScope, identityLinks } })).sessionKey;
      for (const name of ["owner", "OWNER"]) expect(keyOf("U1", { [name]: ["test:U1"] })).not.toBe(keyOf("owner", { [name]: ["test:U1"] }));
      const olga = { olga: ["test:owner"], Olga: ["test:U1"] };
      expect(keyOf("U1", olga)).not.toBe(keyOf("owner", olga));
      const second = { owner: ["test:owner", "test:U1"] };
      expect(keyOf("U1", second)).toBe(keyOf("owner", second));
    },
  );

  test("the global scope with sharedMain is one session for everything", () => {
    const global = config({ session: { scope: "global", sharedMain: true } });
    for (const place of [direct, { kind: "group", id: "G" }] as const) expect(routeMessage(query(place), global).sessionKey).toBe("global");
  });

  test("the stronger tier wins in any order, and the first within a tier", () => {
    const match = (agentId: string, rest: Partial<Binding["match"]>): Binding => ({ agentId, match: { channel: "test", ...rest } });
    const bindings = [
      match("any-account", { accountId: "*" }),
      match("account", {}),
      match("team", { teamId: "S" }),
      match("guild", { guildId: "S" }),
      match("roles", { guildId: "S", roles: ["admin"] }),
      match("any-group", { peer: { kind: "group", id: "*" } }),
      match("parent", { peer: { kind: "group", id: "P" } }),
      match("peer", { peer: { kind: "group", id: "G" } }),
      match("peer-again", { peer: { kind: "group", id: "G" } }),
    ];
    const asked = query({ kind: "group", id: "G", parentId: "P", spaceId: "S" }, { roles: ["admin"] });
    const order = ["peer", "peer-again", "parent", "any-group", "roles", "guild", "team", "account", "any-account", "main"];
    for (let cut = 0; cut < order.length; cut += 1) {
      const left = bindings.filter((binding) => order.indexOf(binding.agentId) >= cut);
      expect(routeMessage(asked, config({ bindings: left })).agentId).toBe(order[cut]);
    }
  });

  test("all given fields of a match must match, and an omitted account is `default`", () => {
    const bindings: readonly Binding[] = [{ agentId: "coder", match: { channel: "test", peer: { kind: "direct", id: "U1" } } }];
    expect(routeMessage(query(direct), config({ bindings })).agentId).toBe("coder");
    expect(routeMessage(query(direct, { accountId: "work" }), config({ bindings })).agentId).toBe("main");
    expect(routeMessage(query(direct, { senderId: "U2" }), config({ bindings })).agentId).toBe("main");
  });

  test("a binding's own dmScope wins", () => {
    const bindings: readonly Binding[] = [{ agentId: "coder", match: { channel: "test" }, session: { dmScope: "per-channel-peer" } }];
    expect(routeMessage(query(direct), config({ bindings })).sessionKey).toBe("agent:coder:test:direct:U1");
  });
});

test("a message is routed by the strongest tier that matches, and the explanation names binding and tier", () => {
  const thread: Conversation = { kind: "channel", id: "T", parentId: "C", spaceId: "S" };
  const peer = (id: string): Binding["match"] => ({ channel: "test", peer: { kind: "channel", id } });
  /** Weakest first, so that the order of the list cannot help. */
  const tiers: readonly (readonly [string, Binding["match"]])[] = [
    ["channel", { channel: "test", accountId: "*" }],
    ["account", { channel: "test" }],
    ["team", { channel: "test", teamId: "S" }],
    ["guild", { channel: "test", guildId: "S" }],
    ["guild and roles", { channel: "test", guildId: "S", roles: ["admin"] }],
    ["every peer of the kind", peer("*")],
    ["the thread's parent", peer("C")],
    ["peer", peer("T")],
  ];
  const asked = query(thread, { roles: ["admin"] });
  for (let strongest = tiers.length; strongest > 0; strongest -= 1) {
    const bindings = tiers.slice(0, strongest).map(([, match]): Binding => ({ agentId: "coder", match }));
    const [name = ""] = tiers[strongest - 1] ?? [];
    expect(explainRoute(asked, config({ bindings }))).toBe(`agent coder, by bindings[${strongest - 1}] (${name})`);
  }
  const ordered = orderBindings(tiers.map(([, match]): Binding => ({ agentId: "coder", match })));
  // The thread's parent and the peer are one kind of binding.
  expect(ordered.map(({ index, tier }) => [index, tier])).toEqual([
    [6, "peer"],
    [7, "peer"],
    ...tiers
      .slice(0, 6)
      .map(([tier], index) => [index, tier])
      .toReversed(),
  ]);
  const misses: readonly Binding["match"][] = [
    { channel: "other" },
    { channel: "test", accountId: "second" },
    { ...peer("T"), guildId: "other" },
    { channel: "test", guildId: "S", roles: ["guest"] },
    { channel: "test", peer: { kind: "group", id: "T" } },
    peer("t"),
  ];
  expect(explainRoute(asked, config({ bindings: misses.map((match) => ({ agentId: "coder", match })) }))).toBe(
    "agent main, the default: no binding matches",
  );
  const twice: readonly Binding[] = ["main", "coder"].map((agentId) => ({ agentId, match: peer("T") }));
  expect(explainRoute(asked, config({ bindings: twice }))).toBe("agent main, by bindings[0] (peer)");
});
