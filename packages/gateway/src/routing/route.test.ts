import type { Conversation, Origin } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { routeMessage } from "./route.ts";
import type { Binding, RouteQuery, RoutingConfig } from "./route.ts";

const config = (
  patch: { readonly bindings?: readonly Binding[]; readonly session?: Partial<RoutingConfig["session"]> } = {},
): RoutingConfig => ({
  agents: [
    { id: "main", isDefault: true },
    { id: "coder", isDefault: false },
  ],
  bindings: patch.bindings ?? [],
  session: { scope: "per-sender", mainKey: "main", dmScope: "main", identityLinks: {}, ...patch.session },
});

const query = (conversation: Conversation, patch: Partial<RouteQuery> & { readonly accountId?: string } = {}): RouteQuery => {
  const origin: Origin = { channel: "test", accountId: patch.accountId ?? "default", conversation };
  return { origin, senderId: "U1", roles: [], caseSensitiveIds: true, ...patch };
};
const direct: Conversation = { kind: "direct", id: "D1" };

describe("where a message goes", () => {
  test.each([
    ["main", "agent:main:main"],
    ["per-peer", "agent:main:direct:U1"],
    ["per-channel-peer", "agent:main:test:direct:U1"],
    ["per-account-channel-peer", "agent:main:test:default:direct:U1"],
  ] as const)("direct messages under %s go to %s", (dmScope, sessionKey) => {
    expect(routeMessage(query(direct), config({ session: { dmScope } })).sessionKey).toBe(sessionKey);
  });

  test("a group never falls into main, and its topics and threads are sessions of their own", () => {
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

  test("the global scope is one session for everything", () => {
    expect(routeMessage(query({ kind: "group", id: "G" }), config({ session: { scope: "global" } })).sessionKey).toBe("global");
  });

  test("the stronger tier wins whatever the order, and the first of a tier", () => {
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

  test("all given fields of a match must hold, and an account that is left out is `default`", () => {
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
