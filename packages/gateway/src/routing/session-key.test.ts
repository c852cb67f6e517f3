import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  agentSessionKey,
  isSessionKey,
  isSubagentKey,
  keyPart,
  normalizeSessionKey,
  parseAgentSessionKey,
  sessionKind,
} from "./session-key.ts";

describe("session keys", () => {
  test("are built and parsed for any ids", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9_-]{1,20}$/), fc.string({ minLength: 1, maxLength: 60 }), (agentId, id) => {
        const key = agentSessionKey(agentId, "test", "direct", keyPart(id, { caseSensitive: true }));
        expect(parseAgentSessionKey(key)?.agentId).toBe(agentId);
        const last = key.split(":").at(-1) ?? "";
        expect(decodeURIComponent(last.replaceAll(/%(?!25|3A)/g, "%25"))).toBe(id);
      }),
    );
  });

  test("two ids that differ never share a key", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (a, b) => {
        fc.pre(a !== b);
        expect(keyPart(a, { caseSensitive: true })).not.toBe(keyPart(b, { caseSensitive: true }));
      }),
    );
  });

  test.each([
    ["agent:Main:DM:U1", "agent:main:direct:U1"],
    [" agent:main:main ", "agent:main:main"],
    ["agent:main:telegram:dm:42", "agent:main:telegram:direct:42"],
    ["agent:main:feishu:GROUP:oc_X:topic:Y", "agent:main:feishu:group:oc_X:topic:Y"],
    ["agent:main:main:dm", "agent:main:main:dm"],
  ])("%s is read as %s", (written, meant) => {
    expect(normalizeSessionKey(written)).toBe(meant);
  });

  test.each([
    "",
    "main",
    "agent:main",
    "agent::main",
    "agent:main::",
    "agent:main:a\u0000b",
    "agent:main:a\ud800",
    `agent:main:${"x".repeat(1000)}`,
  ])("%j is no session key", (key) => {
    expect(isSessionKey(key)).toBe(false);
  });

  test.each([
    ["agent:main:main", "main"],
    ["global", "main"],
    ["agent:main:feishu:group:oc_1", "group"],
    ["agent:main:slack:channel:C1:thread:2", "group"],
    ["cron:daily", "cron"],
    ["hook:7", "hook"],
    ["agent:main:node-4", "node"],
    ["agent:main:http:x", "other"],
    ["agent:main:direct:group", "other"],
  ] as const)("%s is of the kind %s", (key, kind) => {
    expect(sessionKind(key, "main")).toBe(kind);
  });

  test.each([
    ["agent:main:subagent:1f", true],
    ["agent:main:subagent", false],
    ["agent:main:http:subagent:1f", false],
    ["subagent:1f", false],
  ])("%s is the session of a sub-agent: %s", (key, expected) => {
    expect(isSubagentKey(key)).toBe(expected);
  });
});
