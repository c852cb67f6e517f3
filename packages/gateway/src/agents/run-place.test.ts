import { describe, expect, test } from "vitest";
import { placeOfRun } from "./run-place.ts";
import type { RunPlace } from "./run-place.ts";

type Agent = Parameters<typeof placeOfRun>[0];
type Sandbox = Agent["sandbox"];

const DEFAULTS: Sandbox = {
  mode: "non-main",
  scope: "session",
  workspaceAccess: "none",
  sessionToolsVisibility: "spawned",
  backend: "auto",
  image: "i",
  network: "none",
};
const PEOPLE = {
  owner: { owner: true, group: false, sessionKey: "agent:main:main" },
  guest: { owner: false, group: false, sessionKey: "agent:main:x:direct:g" },
  "guest in the owner's session": { owner: false, group: false, sessionKey: "agent:main:main" },
  "owner in a group": { owner: true, group: true, sessionKey: "agent:main:x:group:1" },
  "guest in a group": { owner: false, group: true, sessionKey: "agent:main:x:group:1" },
} as const;
type Who = keyof typeof PEOPLE;

const place = (who: Who, sandbox: Partial<Sandbox> = {}, id = "main"): RunPlace =>
  placeOfRun({ id, workspace: `/h/workspace-${id}`, sandbox: { ...DEFAULTS, ...sandbox } }, PEOPLE[who], "/h");

describe("a run is sandboxed", () => {
  test.each<[Sandbox["mode"], readonly (readonly [Who, RunPlace["reason"]])[]]>([
    [
      "off",
      [
        ["owner", "off"],
        ["guest", "off"],
        ["owner in a group", "off"],
        ["guest in a group", "off"],
      ],
    ],
    [
      "non-main",
      [
        ["owner", "owner"],
        ["guest", "guest"],
        ["guest in the owner's session", "guest"],
        ["owner in a group", "group"],
        ["guest in a group", "group"],
      ],
    ],
    [
      "all",
      [
        ["owner", "all"],
        ["guest", "all"],
        ["owner in a group", "all"],
        ["guest in a group", "all"],
      ],
    ],
  ])("in mode %s", (mode, rows) => {
    for (const [who, reason] of rows) {
      const found = place(who, { mode });
      expect([who, found.reason, found.sandbox !== undefined]).toEqual([who, reason, reason !== "off" && reason !== "owner"]);
    }
  });
});

describe("the workspace", () => {
  test("is the agent's own without a sandbox and with access to it, else a folder of the scope", () => {
    expect(place("owner").folder).toBe("/h/workspace-main");
    expect(place("guest", { mode: "off" }).folder).toBe("/h/workspace-main");
    for (const workspaceAccess of ["ro", "rw"] as const) {
      expect(place("guest", { workspaceAccess })).toMatchObject({ folder: "/h/workspace-main", sandbox: { workspaceAccess } });
    }
    expect(place("guest").folder).toMatch(/^\/h\/sandboxes\/session-[0-9a-f]{16}$/);
    expect(place("guest", { workspaceRoot: "/boxes" }).folder).toMatch(/^\/boxes\/session-/);
  });

  test("belongs to one session, one agent or everyone", () => {
    const folders = (scope: Sandbox["scope"]): number =>
      new Set(
        [place("guest", { scope }), place("owner in a group", { scope }), place("guest", { scope }, "other")].map(({ folder }) => folder),
      ).size;
    // The same session is the same folder for any agent: its key names the agent.
    expect([folders("session"), folders("agent"), folders("shared")]).toEqual([2, 2, 1]);
    expect(place("owner in a group").folder).toBe(place("guest in a group").folder);
  });
});

test.each<[Who, Partial<Sandbox>, boolean]>([
  ["owner", { mode: "all" }, false],
  ["owner", { mode: "all", scope: "agent" }, true],
  ["owner", { mode: "all", scope: "agent", workspaceAccess: "rw" }, false],
  ["owner", { mode: "all", scope: "shared" }, true],
  ["guest", {}, true],
  ["guest", { workspaceAccess: "rw" }, true],
  ["owner in a group", {}, true],
])("the sandbox of %s with %j is shared with others: %s", (who, sandbox, shared) => {
  expect(place(who, sandbox).sandbox?.shared).toBe(shared);
});

test.each<[Sandbox["network"], readonly string[] | undefined]>([
  ["none", undefined],
  [{ allow: [] }, undefined],
  [{ allow: ["a.example", "b.example:8443"] }, ["a.example", "b.example:8443"]],
])("with the network %j the sandbox reaches %j, and a run on the host has nothing of it", (network, reached) => {
  expect(place("guest", { network }).sandbox?.network).toEqual(reached);
  expect(place("owner", { network }).sandbox).toBeUndefined();
});
