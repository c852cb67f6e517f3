import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const exporter = new InMemorySpanExporter();

beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});

afterAll(() => trace.disable());

test("a turn, its calls and its send are one trace, without any message text", async () => {
  await using server = await startAnthropicServer();
  server.script([
    toolReply({ name: "write", input: { path: "canary-path.txt", content: "canary-content" } }),
    toolReply({ name: "canary_tool", input: {} }),
    textReply("canary-answer"),
    { type: "error", errorType: "authentication_error", message: "canary-error" },
  ]);
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await platform.say(platform.message("canary-text", { sender: { id: "owner-1", name: "canary-name", isBot: false } }));
  await running.gateway.engine.idle();
  const spans = exporter.getFinishedSpans();
  const turn = spans.find(({ name }) => name === "turn");
  expect(turn?.attributes).toMatchObject({ "factotum.run.kind": "user", "factotum.outcome": "done" });
  expect(spans.map(({ name }) => name).toSorted()).toEqual(["model call", "model call", "model call", "send", "tool call", "turn"]);
  for (const span of spans) {
    expect(span.spanContext().traceId).toBe(turn?.spanContext().traceId);
    expect(span.attributes["factotum.turn.id"]).toBe(turn?.attributes["factotum.turn.id"]);
    if (span !== turn) expect(span.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId);
  }
  expect(spans.find(({ name }) => name === "tool call")?.attributes).toMatchObject({
    "gen_ai.tool.name": "write",
    "factotum.outcome": "ok",
  });
  expect(spans.find(({ name }) => name === "send")?.attributes).toMatchObject({
    "factotum.channel": "test",
    "factotum.receipt": "accepted",
  });

  exporter.reset();
  await platform.say(platform.message("again"));
  await running.gateway.engine.idle();
  const failed = exporter.getFinishedSpans();
  expect(failed.find(({ name }) => name === "model call")?.status).toEqual({ code: 2, message: "unauthorized" });
  expect(failed.find(({ name }) => name === "turn")?.status).toMatchObject({ code: 2 });
  const told = [...spans, ...failed]
    .map(({ name, attributes, status, events }) => JSON.stringify({ name, attributes, status, events }))
    .join("\n");
  expect(told).not.toMatch(/canary|again|owner-1|dm-1/);
});
