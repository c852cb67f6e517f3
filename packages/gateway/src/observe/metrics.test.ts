import { readFile } from "node:fs/promises";
import { textReply, toolReply, startAnthropicServer } from "@factotum/testing-providers";
import fc from "fast-check";
import parse from "parse-prometheus-text-format";
import type { ParsedFamily } from "parse-prometheus-text-format";
import { describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { hastyClock } from "../../test/hasty-clock.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { METRICS } from "./metric-table.ts";
import type { MetricName } from "./metric-table.ts";
import { renderMetrics } from "./render-metrics.ts";
import type { CollectedMetrics } from "./render-metrics.ts";
import { Durations } from "./tally.ts";

async function scrape(running: TestGateway): Promise<{ readonly text: string; readonly families: ReadonlyMap<string, ParsedFamily> }> {
  const response = await fetch(`${running.gateway.url}/metrics`, { headers: { authorization: `Bearer ${running.token}` } });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  return { text, families: new Map(parse(text).map((family) => [family.name, family])) };
}

function empty(): CollectedMetrics {
  return Object.fromEntries(Object.keys(METRICS).map((name) => [name, []])) as unknown as CollectedMetrics;
}

test("the families and their labels are these", () => {
  const table = Object.entries(METRICS).map(
    ([name, { type, labels }]) => `${type} ${name}${labels.length === 0 ? "" : ` {${labels.join(", ")}}`}`,
  );
  expect(table).toEqual([
    "gauge factotum_build_info {version}",
    "counter factotum_inputs_accepted_total {channel, result}",
    "counter factotum_bot_messages_stopped_total {channel}",
    "gauge factotum_inputs {state}",
    "gauge factotum_queue_depth",
    "gauge factotum_turns_running",
    "counter factotum_turns_total {kind, outcome}",
    "histogram factotum_turn_duration_seconds {kind}",
    "counter factotum_model_calls_total {provider, cause, outcome}",
    "counter factotum_model_retries_total {provider, cause, reason}",
    "counter factotum_model_tokens_total {provider, cause, type}",
    "counter factotum_model_cost_usd_total {provider, cause}",
    "counter factotum_tool_calls_total {effect, outcome}",
    "gauge factotum_outbox {state}",
    "gauge factotum_outbox_oldest_seconds",
    "gauge factotum_outbox_blocked {channel, reason}",
    "gauge factotum_outbox_next_try_seconds",
    "counter factotum_sends_total {channel, receipt}",
    "gauge factotum_channel_accounts {channel, state}",
    "gauge factotum_sessions",
    "counter process_cpu_seconds_total",
    "gauge process_resident_memory_bytes",
    "gauge process_start_time_seconds",
    "gauge nodejs_heap_size_used_bytes",
    "gauge nodejs_heap_size_total_bytes",
    "gauge nodejs_external_memory_bytes",
    "gauge nodejs_eventloop_lag_p50_seconds",
    "gauge nodejs_eventloop_lag_p99_seconds",
    "gauge nodejs_eventloop_lag_max_seconds",
  ]);
});

test("the manual lists them exactly", async () => {
  const manual = await readFile(new URL("../../../../docs/observing.md", import.meta.url), "utf8");
  const rows = Object.entries(METRICS).map(
    ([name, { type, labels, help }]) => `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
  );
  expect(manual.split("\n").filter((line) => /^\| `\w+_/.test(line))).toEqual(rows);
});

describe("the text", () => {
  test("label values are escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.double({ noNaN: true }), (channel, value) => {
        const text = renderMetrics({ ...empty(), factotum_sends_total: [{ labels: { channel, receipt: "accepted" }, value }] });
        const sends = parse(text).find(({ name }) => name === "factotum_sends_total");
        expect(sends?.metrics).toHaveLength(1);
        expect(sends?.metrics[0]?.labels).toEqual({ channel, receipt: "accepted" });
        expect(Number(sends?.metrics[0]?.value?.replace("Inf", "Infinity"))).toBe(value === 0 ? Number(String(value)) : value);
      }),
    );
  });

  test("a histogram's buckets are cumulative, and its sum and count cover all values", () => {
    const durations = new Durations("factotum_turn_duration_seconds");
    for (const seconds of [0.05, 0.1, 0.3, 9, 5000]) durations.observe({ kind: "user" }, seconds);
    const lines = renderMetrics({ ...empty(), factotum_turn_duration_seconds: durations.samples() })
      .split("\n")
      .filter((line) => line.startsWith("factotum_turn_duration_seconds"));
    const value = (part: string): string | undefined =>
      lines
        .find((line) => line.includes(part))
        ?.split(" ")
        .at(-1);
    expect(["0.1", "0.25", "0.5", "5", "10", "1800", "+Inf"].map((le) => value(`_bucket{kind="user",le="${le}"}`))).toEqual([
      "2",
      "2",
      "3",
      "3",
      "4",
      "4",
      "5",
    ]);
    expect(Number(value("_sum{"))).toBeCloseTo(5009.45);
    expect(value('_count{kind="user"}')).toBe("5");
  });
});

describe("a scrape", () => {
  test("needs the token", async () => {
    await using running = await startTestGateway();
    expect((await fetch(`${running.gateway.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${running.gateway.url}/metrics`, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
  });

  test("counts events, and contains nothing that others have written", async () => {
    await using server = await startAnthropicServer();
    server.script([
      toolReply({ name: "write", input: { path: "canary-path.txt", content: "canary-content" } }),
      toolReply({ name: "canary_tool", input: {} }),
      textReply("canary-answer"),
    ]);
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    const message = platform.message("canary-text", {
      sender: { id: "owner-1", name: "canary-name", isBot: false },
      origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "canary-chat" } },
    });
    for (let time = 0; time < 2; time += 1) await platform.say(message);
    await running.gateway.engine.idle();
    const { text, families } = await scrape(running);

    expect([...families.keys()]).toEqual(Object.keys(METRICS));
    const samples = (name: MetricName): unknown => families.get(name)?.metrics;
    expect(samples("factotum_inputs_accepted_total")).toEqual([
      { value: "1", labels: { channel: "test", result: "accepted" } },
      { value: "1", labels: { channel: "test", result: "duplicate" } },
    ]);
    expect(samples("factotum_turns_total")).toEqual([{ value: "1", labels: { kind: "user", outcome: "done" } }]);
    expect(families.get("factotum_turn_duration_seconds")?.metrics).toHaveLength(1);
    expect(text).toContain('factotum_turn_duration_seconds_count{kind="user"} 1\n');
    expect(samples("factotum_model_calls_total")).toEqual([
      { value: "3", labels: { provider: "anthropic", cause: "user", outcome: "answered" } },
    ]);
    const tokens = families.get("factotum_model_tokens_total")?.metrics ?? [];
    expect(tokens.map(({ labels }) => labels?.["type"])).toEqual(["input", "output", "cacheRead", "cacheWrite"]);
    const { usage } = await running.store.counts();
    expect(tokens.reduce((sum, { value }) => sum + Number(value), 0)).toBe(usage.total);
    expect(families.get("factotum_model_cost_usd_total")?.metrics).toHaveLength(1);
    expect(samples("factotum_tool_calls_total")).toEqual([
      { value: "1", labels: { effect: "write", outcome: "ok" } },
      { value: "1", labels: { effect: "unknown", outcome: "not-run" } },
    ]);
    expect(samples("factotum_sends_total")).toEqual([{ value: "1", labels: { channel: "test", receipt: "accepted" } }]);
    expect(samples("factotum_channel_accounts")).toEqual([{ value: "1", labels: { channel: "test", state: "connected" } }]);
    expect(samples("factotum_queue_depth")).toEqual([{ value: "0" }]);
    expect(samples("factotum_turns_running")).toEqual([{ value: "0" }]);
    expect(samples("factotum_sessions")).toEqual([{ value: "1" }]);
    expect(Number(families.get("process_resident_memory_bytes")?.metrics[0]?.value)).toBeGreaterThan(1e6);
    for (const { name, metrics } of families.values()) {
      for (const { labels = {} } of metrics)
        for (const label of Object.keys(labels)) expect(METRICS[name as MetricName].labels).toContain(label);
    }
    expect(text).not.toMatch(/canary|owner-1|agent:|default/);
  });

  test("shows waiting work while a turn runs, and a failed call", async () => {
    await using server = await startAnthropicServer();
    const gate = server.hold();
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, clock: hastyClock, patch: withModel(server.baseUrl) });
    server.respond(() => textReply("Yes."));
    for (const text of ["one", "two", "three"]) await platform.say(platform.message(text));
    await server.nextRequest();
    const busy = await scrape(running);
    expect(busy.text).toContain("factotum_turns_running 1\n");
    expect(busy.text).toContain("factotum_queue_depth 2\n");
    expect(busy.text).toContain('factotum_inputs{state="waiting"} ');
    gate.open();
    await running.gateway.engine.idle();
    await server[Symbol.asyncDispose]();
    await platform.say(platform.message("nobody answers"));
    await running.gateway.engine.idle();
    const after = await scrape(running);
    expect(after.text).toMatch(/factotum_model_calls_total\{provider="anthropic",cause="user",outcome="failed"\} [1-9]/);
    expect(after.text).toContain('factotum_turns_total{kind="user",outcome="failed"} 1\n');
    expect(after.text).toContain("factotum_queue_depth 0\n");
  });
});
