import { messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { SessionRecord } from "@factotum/store";
import { expect, test } from "vitest";
import type { SessionRelation } from "../access/authorize.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { FocusAccess } from "./focus-access.ts";

interface Case {
  readonly relation: SessionRelation;
  readonly owner?: boolean;
  readonly group?: boolean;
  readonly targetIsPrivate?: boolean;
  readonly ownIsPrivate?: boolean;
  readonly modes?: readonly [own: "off" | "non-main", target: "off" | "non-main"];
  readonly allowed: boolean;
}

const origin = (group: boolean): Origin => ({
  channel: "test",
  accountId: "default",
  conversation: group ? { kind: "group", id: "g1", threadId: "t1" } : { kind: "direct", id: "d1" },
});

const message = (group: boolean): MsgContext => ({
  origin: origin(group),
  eventId: "e1",
  messageId: messageId("m1"),
  timestampMs: 0,
  event: { type: "message" },
  sender: { id: "u1", isBot: false },
  text: "Hello.",
  mentionsBot: true,
  attachments: [],
});

/** Who may speak where: by the relation of the sessions, by whom, whether the target is private, and in which sandbox it works. */
const CASES: readonly Case[] = [
  { relation: "spawned", allowed: true },
  { relation: "same-agent", allowed: true },
  { relation: "own", allowed: false },
  { relation: "allowed-agent", allowed: false },
  { relation: "other-agent", allowed: false },
  { relation: "spawned", owner: false, allowed: true },
  { relation: "same-agent", owner: false, allowed: false },
  { relation: "same-agent", targetIsPrivate: true, allowed: true },
  { relation: "same-agent", targetIsPrivate: true, ownIsPrivate: false, allowed: false },
  { relation: "spawned", targetIsPrivate: true, owner: false, allowed: false },
  { relation: "spawned", group: true, allowed: true },
  { relation: "spawned", group: true, targetIsPrivate: true, allowed: false },
  { relation: "spawned", group: true, owner: false, modes: ["non-main", "non-main"], allowed: true },
  { relation: "spawned", group: true, owner: false, modes: ["non-main", "off"], allowed: false },
  { relation: "spawned", group: true, modes: ["non-main", "off"], allowed: false },
  { relation: "spawned", owner: false, modes: ["off", "non-main"], allowed: true },
  { relation: "spawned", modes: ["non-main", "off"], allowed: true },
];

test.each(CASES)("%j", async ({ relation, owner = true, group = false, targetIsPrivate = false, ownIsPrivate = true, modes, allowed }) => {
  const [own, target] = modes ?? ["off", "off"];
  const agent = (id: string): object => ({
    config: {
      id,
      workspace: "/w",
      sandbox: { mode: id === "main" ? own : target, scope: "session", workspaceAccess: "none", network: { allow: [] } },
    },
  });
  const access = new FocusAccess({
    store: { readSession: async () => ({ isPrivate: ownIsPrivate }) as SessionRecord },
    running: { agent } as unknown as RunningConfig,
    policy: { routeOfSender: () => ({ sessionKey: "agent:main:test:group:g1", agentId: "main" }) },
    reach: { relation: async () => relation },
  });
  const said = {
    message: message(group),
    admission: { owner, kind: "user" as const },
    own: { sessionKey: "agent:main:x", agentId: "main" },
  };
  const wanted = { key: "agent:coder:subagent:s1", agentId: modes === undefined ? "main" : "coder", isPrivate: targetIsPrivate };
  expect(await access.may(said, wanted)).toBe(allowed);
});
