import { expect, test } from "vitest";
import { answerServer, type RequestContext } from "./server-requests.ts";

test("a server has 1,000 registrations, however many it asks for", () => {
  const registrations: RequestContext["registrations"] = new Map();
  const context: RequestContext = { settings: {}, folders: [], registrations, onRegistered: () => undefined };
  for (const part of ["a", "b", "c"]) {
    const wanted = Array.from({ length: 600 }, (_, index) => ({ id: `${part}${index}`, method: "textDocument/hover" }));
    expect(answerServer("client/registerCapability", { registrations: wanted }, context)).toEqual({ result: null });
  }
  expect(registrations.size).toBe(1_000);
  answerServer("client/unregisterCapability", { unregisterations: [{ id: "a0" }] }, context);
  expect(registrations.size).toBe(999);
});

test("an answer has 100 sections of the settings", () => {
  const context: RequestContext = { settings: { a: 1 }, folders: [], registrations: new Map(), onRegistered: () => undefined };
  const items = Array.from({ length: 500 }, () => ({ section: "a" }));
  expect(answerServer("workspace/configuration", { items }, context)?.result).toHaveLength(100);
});
