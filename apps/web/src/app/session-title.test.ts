import type { SessionSummary } from "@factotum/protocol";
import { expect, test } from "vitest";
import { sessionTitle } from "./session-title.ts";

const summary = (facts: Partial<SessionSummary>) =>
  ({ key: "agent:main:x", createdAtMs: Date.UTC(2026, 0, 2, 12), displayName: "Ada", ...facts }) as SessionSummary;

test("titles a session by its own name, then Main, then the gateway's name, and never by its key", () => {
  expect(sessionTitle("agent:main:x", summary({ label: "Trip" }), "agent:main:x")).toBe("Trip");
  expect(sessionTitle("agent:main:x", summary({}), "agent:main:x")).toBe("Main");
  expect(sessionTitle("agent:main:x", summary({}), "agent:main:main")).toBe("Ada");
  expect(sessionTitle("agent:main:x", undefined, "agent:main:main")).toBe("New chat");
  expect(sessionTitle(undefined, undefined, undefined)).toBe("New chat");
  expect(sessionTitle("agent:main:x", summary({ displayName: "webchat: agent:main:x" }), "agent:main:main")).toMatch(/^Chat of .*2/);
});
