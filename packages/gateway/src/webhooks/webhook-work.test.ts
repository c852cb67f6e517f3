import type { WebhooksConfig } from "@factotum/config";
import { expect, test } from "vitest";
import { mappedWork, parseAgent, parseWake } from "./webhook-work.ts";

const CONFIG: WebhooksConfig = {
  enabled: true,
  path: "/hooks",
  maxBodyBytes: 1000,
  allowRequestSessionKey: true,
  allowedSessionKeyPrefixes: ["hook:ci:"],
  deliverTo: ["chat:7", "chat/work:8"],
  mappings: [],
};

test("a request reaches the owner, listed addresses, and sessions with an allowed prefix", () => {
  const ask = (extra: object, config = CONFIG): unknown => {
    const parsed = parseAgent({ message: "x", ...extra }, config);
    return parsed.type === "refused" ? parsed.field : [parsed.work.type, parsed.work.deliver, parsed.work.sessionKey];
  };
  expect(ask({})).toEqual(["agent", "owner", undefined]);
  expect(ask({ deliver: false, channel: "chat", to: "1" })).toEqual(["agent", "none", undefined]);
  expect(ask({ channel: "chat", to: "7" })).toEqual(["agent", "chat:7", undefined]);
  expect(ask({ channel: "chat", to: "8", accountId: "work" })).toEqual(["agent", "chat/work:8", undefined]);
  expect([ask({ channel: "chat", to: "8" }), ask({ to: "7" }), ask({ channel: "chat" })]).toEqual(["to", "channel", "to"]);
  expect(ask({ accountId: "work" })).toBe("channel");
  expect(ask({ sessionKey: "hook:ci:1" })).toEqual(["agent", "owner", "hook:ci:1"]);
  expect(ask({ sessionKey: "hook:1" })).toBe("sessionKey");
  expect(ask({ sessionKey: "hook:ci:1" }, { ...CONFIG, allowRequestSessionKey: false })).toBe("sessionKey");
  expect(ask({ sessionKey: "hook:ci:\u0007" })).toBe("sessionKey");
  expect(ask({ sessionKey: "hook:ci:1", model: "a/b" })).toBe("model");
  expect(ask({ sessionKey: "hook:ci:1", toolsAllow: ["read"] })).toBe("toolsAllow");
  expect(ask({ wakeMode: "next-heartbeat" })).toEqual(["wake", "owner", undefined]);
});

test("an event has a text of at most 1,000 characters", () => {
  expect(parseWake({ text: "x" })).toMatchObject({ work: { type: "wake", wakeMode: "now", payload: "x" } });
  expect(parseWake({ text: " " })).toMatchObject({ type: "refused", field: "text" });
  expect(parseWake({ text: "x".repeat(1001) })).toMatchObject({ type: "refused", field: "text" });
});

test("values of a request become parts of a session's key, and cannot name another session", () => {
  const mapping = { name: "m", scheme: "bearer", match: {}, action: "agent", wakeMode: "now", deliver: "none" } as const;
  const facts = { body: { id: "1:agent:main:main", n: 7 }, headers: {} };
  const keyOf = (sessionKey: string): unknown => {
    const parsed = mappedWork({ ...mapping, sessionKey }, facts);
    return parsed.type === "work" ? parsed.work.sessionKey : parsed.field;
  };
  expect(keyOf("hook:m:{{id}}:{{n}}")).toBe("hook:m:1%3Aagent%3Amain%3Amain:7");
  expect(keyOf("{{id}}")).toBe("sessionKey");
  // Requests without the value would share one session.
  expect([keyOf("hook:m:{{x.y}}"), keyOf("hook:m:{{headers.x-id}}"), keyOf("hook:m:{{ n }}")]).toEqual([
    "sessionKey",
    "sessionKey",
    "hook:m:7",
  ]);
  expect(mappedWork(mapping, facts)).toMatchObject({ work: { payload: JSON.stringify(facts.body, undefined, 1) } });
});
