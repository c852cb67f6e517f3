import { describe, expect, test } from "vitest";
import { allAccessRequests, authorize, OWN, ROLES } from "./authorize.ts";
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
  if (action.type === "rpc") return `rpc ${action.method}`;
  return action.type === "http" ? action.route : `tool ${action.effect}`;
}

describe("authority", () => {
  test("every action against every role matches the table", () => {
    const table = allAccessRequests().flatMap(({ action, resource }) => {
      const allowed = ROLES.filter((role) => authorize(PRINCIPALS[role], action, resource).type === "allow");
      if (resource.type !== "own" && allowed.length === 0) return [];
      return [`${actionName(action)}${resource.type === "own" ? "" : ` ${resource.type}`}: ${allowed.join(" ") || "nobody"}`];
    });
    expect(table.toSorted()).toEqual(
      [
        "ANY /channels: platform",
        "ANY /v1: token",
        "GET /: anonymous token platform",
        "GET /healthz: anonymous token platform",
        "GET /media: token",
        "GET /metrics: token",
        "GET /readyz: anonymous token platform",
        "GET /v1/models: token",
        "GET /ws: anonymous token platform",
        "OPTIONS /v1: anonymous token platform",
        "POST /uploads: token",
        "POST /v1/chat/completions: token",
        "rpc agent: token",
        "rpc agents.list: token",
        "rpc chat.abort: token",
        "rpc chat.history: token",
        "rpc chat.send: token",
        "rpc chat.subscribe: token",
        "rpc chat.unsubscribe: token",
        "rpc context.list: token",
        "rpc context.replay: token",
        "rpc context.report: token",
        "rpc deadletters.list: token",
        "rpc deadletters.purge: token",
        "rpc deadletters.replay: token",
        "rpc deadletters.show: token",
        "rpc damage.acknowledge: token",
        "rpc damage.list: token",
        "rpc config.reload: token",
        "rpc gateway.restart: token",
        "rpc gateway.shutdown: token",
        "rpc sessions.delete: token",
        "rpc sessions.export: token",
        "rpc sessions.import: token",
        "rpc sessions.list: token",
        "rpc sessions.patch: token",
        "rpc sessions.reset: token",
        "rpc sessions.resolve: token",
        "rpc sessions.show: token",
        "rpc setup.check: token",
        "rpc setup.key: token",
        "rpc setup.model: token",
        "rpc setup.name: token",
        "rpc setup.state: token",
        "rpc warnings.list: token",
        "rpc status: token",
        "tool config: owner-run",
        "tool execute: owner-run",
        "tool read: owner-run tainted-owner-run guest-run",
        "tool send elsewhere: owner-run",
        "tool send: owner-run tainted-owner-run guest-run",
        "tool write elsewhere: owner-run",
        "tool write instructions: owner-run",
        "tool write: owner-run tainted-owner-run guest-run",
      ].toSorted(),
    );
  });

  test("actions denied to a tainted turn of the owner need the owner's confirmation; a guest's stay denied, tainted or not", () => {
    const action = { type: "tool", effect: "execute" } as const;
    expect(authorize(PRINCIPALS["tainted-owner-run"], action, OWN).type).toBe("confirm");
    for (const tainted of [true, false]) expect(authorize({ type: "run", owner: false, tainted }, action, OWN).type).toBe("deny");
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
