import { RPC_METHODS } from "@factotum/protocol";
import { describe, expect, test } from "vitest";
import { allAccessRequests, authorize, OWN, ROLES, SESSION_ACCESS, SESSION_RELATIONS } from "./authorize.ts";
import type { Action, Principal, Role } from "./authorize.ts";

const PRINCIPALS: Readonly<Record<Role, Principal>> = {
  anonymous: { type: "anonymous" },
  token: { type: "token" },
  platform: { type: "platform" },
  "owner-run": { type: "run", owner: true, tainted: false },
  "tainted-owner-run": { type: "run", owner: true, tainted: true },
  "guest-run": { type: "run", owner: false, tainted: true },
};

function actionName(action: Action): string {
  if (action.type === "rpc") return `rpc for ${RPC_METHODS[action.method].access}`;
  if (action.type === "http") return action.route;
  if (action.type === "external-agent") return action.type;
  return action.type === "tool" ? `tool ${action.effect}` : `session ${action.access}`;
}

describe("authority", () => {
  test("every action against every role matches the table", () => {
    const table = allAccessRequests().flatMap(({ action, resource }) => {
      const allowed = ROLES.filter((role) => authorize(PRINCIPALS[role], action, resource).type === "allow");
      if (resource.type !== "own" && allowed.length === 0) return [];
      return [`${actionName(action)}${resource.type === "own" ? "" : ` ${resource.type}`}: ${allowed.join(" ") || "no run"}`];
    });
    // Methods with the same access are one row.
    expect([...new Set(table)].toSorted()).toEqual(
      [
        "ANY /channels: platform",
        "ANY /plugins: token",
        "ANY /v1: token",
        "GET /: anonymous token platform",
        "GET /healthz: anonymous token platform",
        "GET /media: token",
        "GET /metrics: token",
        "GET /readyz: anonymous token platform",
        "GET /v1/models: token",
        "GET /ws: anonymous token platform",
        "OPTIONS /v1: anonymous token platform",
        "PUBLIC /plugins: anonymous token platform",
        "external-agent: owner-run tainted-owner-run",
        "POST /hooks: platform",
        "POST /uploads: token",
        "POST /v1/chat/completions: token",
        "POST /v1/embeddings: token",
        "POST /v1/responses: token",
        "rpc for owner: token",
        "tool config: owner-run",
        "tool delegate: owner-run tainted-owner-run guest-run",
        "tool execute networked-sandbox: owner-run",
        "tool execute sandbox: owner-run tainted-owner-run guest-run",
        "tool execute: owner-run",
        "tool read elsewhere: owner-run",
        "tool read: owner-run tainted-owner-run guest-run",
        "tool schedule: owner-run guest-run",
        "tool send elsewhere: owner-run",
        "tool send: owner-run tainted-owner-run guest-run",
        "tool write elsewhere: owner-run",
        "tool write instructions: owner-run",
        "tool write: owner-run tainted-owner-run guest-run",
      ].toSorted(),
    );
  });

  test("what runs may do with sessions matches the table", () => {
    const flags = [true, false];
    const rows = SESSION_RELATIONS.flatMap((relation) =>
      SESSION_ACCESS.flatMap((access) =>
        flags.flatMap((isPrivate) =>
          flags.flatMap((fromPrivate) =>
            flags.map((isConfined) => {
              const resource = { type: "session", relation, isPrivate, fromPrivate, isConfined } as const;
              const allowed = ROLES.filter((role) => authorize(PRINCIPALS[role], { type: "session", access }, resource).type === "allow");
              // The other roles have no session from which they ask.
              expect(allowed.filter((role) => !role.endsWith("-run"))).toEqual([]);
              const isExposed = !fromPrivate && (isPrivate || relation === "other-agent");
              return { name: `${relation} ${access}`, isExposed, isConfined, allowed: allowed.join(" ") || "no run" };
            }),
          ),
        ),
      ),
    );
    const tableOf = (chosen: typeof rows): readonly string[] => [...new Set(chosen.map(({ name, allowed }) => `${name}: ${allowed}`))];
    const [everyRun, owners] = ["owner-run tainted-owner-run guest-run", "owner-run tainted-owner-run"];
    const own = [`own see: ${everyRun}`, `own read: ${everyRun}`, "own send: no run", `own schedule: ${owners}`];
    const spawned = SESSION_ACCESS.map((access) => `spawned ${access}: ${access === "schedule" ? owners : everyRun}`);
    const others = (allowed: string): readonly string[] =>
      ["same-agent", "allowed-agent"].flatMap((relation) => SESSION_ACCESS.map((access) => `${relation} ${access}: ${allowed}`));
    const noForeign = SESSION_ACCESS.map((access) => `other-agent ${access}: no run`);
    const foreign = [...noForeign.slice(0, -1), `other-agent schedule: ${owners}`];
    const hidden = SESSION_ACCESS.map((access) => `spawned ${access}: no run`);
    const open = rows.filter(({ isExposed, isConfined }) => !isExposed && !isConfined);
    expect(tableOf(open)).toEqual([...own, ...spawned, ...others(owners), ...foreign]);
    const confined = rows.filter(({ isExposed, isConfined }) => !isExposed && isConfined);
    expect(tableOf(confined)).toEqual([...own, ...spawned, ...others("no run"), ...noForeign]);
    expect(tableOf(rows.filter(({ isExposed }) => isExposed))).toEqual([...own, ...hidden, ...others("no run"), ...noForeign]);
  });

  test("actions denied to a tainted turn of the owner need the owner's confirmation; a guest's stay denied, tainted or not", () => {
    const action = { type: "tool", effect: "execute" } as const;
    expect(authorize(PRINCIPALS["tainted-owner-run"], action, OWN).type).toBe("confirm");
    for (const tainted of [true, false]) expect(authorize({ type: "run", owner: false, tainted }, action, OWN).type).toBe("deny");
  });

  test("commands that reach the network from a sandbox need the owner's confirmation in everybody else's turns", () => {
    const ask = (owner: boolean, tainted: boolean, effect: "execute" | "config") =>
      authorize({ type: "run", owner, tainted }, { type: "tool", effect }, { type: "networked-sandbox" });
    expect(ask(true, true, "execute")).toMatchObject({ type: "confirm", reason: expect.stringContaining("Rule taint") as string });
    for (const tainted of [true, false]) {
      expect(ask(false, tainted, "execute")).toMatchObject({ type: "confirm", reason: expect.stringContaining("Rule network") as string });
      expect(ask(false, tainted, "config").type).toBe("deny");
    }
    expect(authorize({ type: "anonymous" }, { type: "tool", effect: "execute" }, { type: "networked-sandbox" }).type).toBe("deny");
  });

  test("actions without a rule are denied to everyone", () => {
    // Names that every object has.
    const unknown = [
      { type: "rpc", method: "toString" },
      { type: "http", route: "constructor" },
      { type: "tool", effect: "valueOf" },
      { type: "rpc", method: "chat.nothing" },
    ] as unknown as Action[];
    for (const action of unknown) for (const role of ROLES) expect(authorize(PRINCIPALS[role], action, OWN).type).toBe("deny");
    for (const role of ROLES)
      expect(authorize(PRINCIPALS[role], { type: "tool", effect: "execute" }, { type: "elsewhere" }).type).toBe("deny");
  });

  test("a refusal says what to do", () => {
    const refused = authorize({ type: "anonymous" }, { type: "rpc", method: "status" }, OWN);
    expect(refused).toMatchObject({ type: "deny", reason: expect.stringContaining("Authorization: Bearer") });
    const guest = authorize(PRINCIPALS["guest-run"], { type: "tool", effect: "config" }, OWN);
    expect(guest).toMatchObject({ type: "deny", reason: expect.stringMatching(/tool:config.*commands\.ownerAllowFrom/) });
    const platform = authorize(PRINCIPALS.platform, { type: "rpc", method: "status" }, OWN);
    expect(platform).toEqual({ type: "deny", reason: "This credential may not do this." });
  });
});
