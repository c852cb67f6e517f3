import { expect, test } from "vitest";
import { webhookList } from "./webhook-list.ts";

test("mappings come first, then the addresses of the gateway itself, each with its proof", () => {
  const github = { name: "github", scheme: "github", secret: "***", action: "agent", task: "Say what is new.", deliver: "owner" };
  const bearer = { name: "build", scheme: "bearer", action: "wake", deliver: "none" };
  const hooks = { enabled: true, path: "/in", mappings: [github, bearer] };
  const { isOn, rows } = webhookList({ effective: { hooks } }, "https://a.example");
  expect(isOn).toBe(true);
  expect(rows.map(({ name, url, hasSecret, action }) => [name, url, hasSecret, action])).toEqual([
    ["github", "https://a.example/in/github", true, "agent"],
    ["build", "https://a.example/in/build", false, "wake"],
    ["wake", "https://a.example/in/wake", false, "wake"],
    ["agent", "https://a.example/in/agent", false, "agent"],
  ]);
  expect(webhookList({ effective: { hooks: { ...hooks, token: "***" } } }, "").rows.every(({ hasSecret }) => hasSecret)).toBe(true);
});

test("without a configuration they are off", () => {
  expect(webhookList({ effective: {} }, "")).toMatchObject({ isOn: false });
});
