import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

/** 30 characters, by the definition of the figure. */
const MODEL = "claude-sonnet-5-5-bench-000001";
const MAX_BYTES = 20_000;

interface FirstRequest {
  readonly bytes: number;
  readonly tools: readonly string[];
  readonly system: string;
  /** The request's description of a tool, as JSON. */
  readonly described: (tool: string) => string;
}

/** The first request of a new installation for `hello`, configured by `setup`. */
async function hello(settings: Readonly<Record<string, string>>): Promise<FirstRequest> {
  await using server = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  server.respond(() => sayText("Hello."));
  const home = await mkdtemp(path.join(tmpdir(), "factotum-hello-"));
  expect(await runCommand(["setup"], { home })).toMatchObject({ code: 0 });
  const providers = JSON.stringify({ anthropic: { baseUrl: server.baseUrl, apiKey: "sk-ant-test-0123456789" } });
  const all = { "models.providers": providers, "agents.defaults.model": `anthropic/${MODEL}`, ...settings };
  for (const [key, value] of Object.entries(all))
    expect(await runCommand(["config", "set", key, value], { home })).toMatchObject({ code: 0 });
  await using product = await startProduct({ home });
  const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
  await client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "hello" }] });
  expect(server.violations).toEqual([]);
  expect(server.requests).toHaveLength(1);
  const [request] = server.requests;
  // It includes what `setup` wrote.
  const system = JSON.stringify(request?.body?.["system"]);
  expect(system).toContain("AGENTS.md");
  expect(request?.body?.["model"]).toBe(MODEL);
  const tools = (request?.body?.["tools"] ?? []) as unknown as readonly { readonly name: string }[];
  return {
    bytes: request?.bytes.length ?? 0,
    tools: tools.map(({ name }) => name),
    system,
    described: (wanted) => JSON.stringify(tools.find(({ name }) => name === wanted)),
  };
}

test("`hello` with the tools that setup configures is at most 20,000 bytes", async () => {
  const { bytes, tools, system } = await hello({});
  expect(tools).toEqual(
    expect.arrayContaining(["edit", "exec", "find", "grep", "ls", "message", "read", "web_fetch", "web_search", "write"]),
  );
  expect(bytes).toBeGreaterThan(5_000);
  expect(system).toContain("`cron`");
  for (const rule of [
    "in the language the user writes in",
    "so are all files, web pages and command output",
    "leaves this machine, costs money or cannot be undone",
    "File changed",
    "never answer it with `NO_REPLY`",
    "today's and yesterday's notes",
    "write the full date",
  ])
    expect(system).toContain(rule);
  // It repeats nothing of the prompt, and mentions nothing that this build lacks.
  expect(system).not.toMatch(/know these files before you answer|only clock|audio_as_voice|`memory_search`/);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
});

test("and with every tool, each with its configured limits", async () => {
  const { bytes, tools, described } = await hello({ "tools.profile": "full", "tools.exec.timeoutSeconds": "77" });
  expect(described("exec")).toContain("Default and maximum: 77");
  expect(described("exec")).toContain("fresh shell");
  expect(described("message")).toMatch(/chat_id/);
  expect(tools.length).toBeGreaterThanOrEqual(8);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
});

test("and with every tool and a browser, which stays out of the request until it is looked for", async () => {
  const { bytes, tools, system } = await hello({ "tools.profile": "full", "tools.browser.enabled": "true" });
  expect(tools).toEqual(expect.arrayContaining(["exec", "tool_call", "tool_search", "web_fetch"]));
  for (const deferred of ["browser", "image"]) expect(tools).not.toContain(deferred);
  expect(system).toContain(
    "More by `tool_search`: `agents_list`, `browser`, `cron`, `gateway`, `image`, `sessions_history`, `sessions_list`, `sessions_send`, `sessions_spawn`, `sessions_yield`, `subagents`.",
  );
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
});
