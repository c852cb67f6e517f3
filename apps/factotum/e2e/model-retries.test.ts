import { sayText, startStrictServer, WIRE_FORMATS } from "@factotum/testing-providers";
import type { ScriptedReply, StrictServer, WireFormatName } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { SCENE_MODELS } from "./scene-model.ts";

const LONG = "Once upon a time there was a gateway that told everything it knew, and it told it once. ".repeat(600);
const OVERLOADED: ScriptedReply = { type: "error", errorType: "overloaded", message: "Come back later." };

function limited(retryAfter?: string): ScriptedReply {
  const headers = retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } };
  return { type: "error", errorType: "rate-limit", message: "Slow down.", ...headers };
}

/** One product, an agent for each wire format. Each agent's tests wait for real delays, so the formats run in parallel. */
let product: Product;
let client: OpenAI;
const servers = new Map<WireFormatName, StrictServer>();

beforeAll(async () => {
  for (const format of WIRE_FORMATS) servers.set(format, checkedOfficially(await startStrictServer(format), format));
  // Each format has a separate provider: two of them are from the same vendor.
  const models = WIRE_FORMATS.map((format) => {
    const { reference } = SCENE_MODELS[format].config("");
    const model = reference.slice(reference.indexOf("/") + 1);
    return {
      format,
      reference: `${format}/${model}`,
      provider: { api: format, baseUrl: serverOf(format).baseUrl, apiKey: "sk-ant-test-0123456789" },
    };
  });
  product = await startProduct({
    config: {
      agents: { list: models.map(({ format, reference }) => ({ id: format, model: reference })) },
      models: { providers: Object.fromEntries(models.map(({ format, provider }) => [format, provider])) },
    },
  });
  client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
});

afterAll(async () => {
  await product[Symbol.asyncDispose]();
  for (const server of servers.values()) await server.close();
});

function serverOf(format: WireFormatName): StrictServer {
  const server = servers.get(format);
  if (server === undefined) throw new Error(`no server speaks ${format}`);
  return server;
}

/** Asks the agent of a format, streaming; returns the received chunks, and the requests that it took. */
async function ask(
  format: WireFormatName,
  replies: readonly ScriptedReply[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<{ readonly text: string; readonly failure: unknown; readonly requests: StrictServer["requests"] }> {
  const server = serverOf(format);
  const before = server.requests.length;
  server.script(replies);
  let text = "";
  let failure: unknown;
  try {
    const stream = await client.chat.completions.create(
      { model: `factotum/${format}`, messages: [{ role: "user", content: "hello" }], stream: true },
      options,
    );
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  } catch (error) {
    failure = error;
  }
  return { text, failure, requests: server.requests.slice(before) };
}

describe.each(WIRE_FORMATS)("%s", { concurrent: true }, (format) => {
  test("a provider that is overloaded twice answers at the third request, once", { concurrent: false }, async ({ expect: check }) => {
    const { text, failure, requests } = await ask(format, [OVERLOADED, OVERLOADED, sayText("Here I am.")]);
    check({ text, failure }).toEqual({ text: "Here I am.", failure: undefined });
    check(requests).toHaveLength(3);
    check(new Set(requests.map(({ bytes }) => bytes.toString())).size).toBe(1);
  });

  test("an answer that is cut before its first text is retried", { concurrent: false }, async ({ expect: check }) => {
    const cut: ScriptedReply = { ...sayText("Never read."), fault: { type: "cut", afterBytes: 1 } };
    const { text, failure, requests } = await ask(format, [cut, sayText("Whole.")]);
    check({ text, failure }).toEqual({ text: "Whole.", failure: undefined });
    check(requests).toHaveLength(2);
  });

  test(
    "an answer that is cut after text was shown is not retried: nothing is shown twice",
    { concurrent: false },
    async ({ expect: check }) => {
      const cut: ScriptedReply = { ...sayText(LONG), fault: { type: "cut", afterBytes: 40_000 } };
      const { text, failure, requests } = await ask(format, [cut]);
      check(text).not.toBe("");
      check(LONG.startsWith(text)).toBe(true);
      check(failure).toMatchObject({ code: "truncated" });
      check(requests).toHaveLength(1);
    },
  );
});

describe("a provider that requests a delay", () => {
  let server: StrictServer;
  beforeEach(() => {
    server = serverOf("anthropic-messages");
  });

  test("gets it", async () => {
    const { text, requests } = await ask("anthropic-messages", [limited("2"), sayText("Rested.")]);
    expect(text).toBe("Rested.");
    const [first, second] = requests;
    expect((second?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  test("that is too long is not waited for: the client learns when, and that it is not a limit of this gateway", async () => {
    const before = server.requests.length;
    server.script([limited("120")]);
    const eager = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 2 });
    const asked = eager.chat.completions.create({ model: "factotum/anthropic-messages", messages: [{ role: "user", content: "hi" }] });
    await expect(asked).rejects.toMatchObject({ status: 503, code: "rate-limited", message: expect.stringContaining("in 2 minutes") });
    // The client's own retries would add the message to the conversation again.
    expect(server.requests).toHaveLength(before + 1);
  });

  test("forever is asked three times, and the client is notified once", async () => {
    const before = server.requests.length;
    server.script([limited(), limited(), limited()]);
    const args = ["agent", "--agent", "anthropic-messages", "--message", "hello"];
    const { code, stdout, stderr } = await runCommand(args, { home: product.home });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.match(/Try again/g)).toHaveLength(1);
    expect(server.requests).toHaveLength(before + 3);
  });

  test("is not asked again for a client that has left meanwhile", async () => {
    const abort = new AbortController();
    const before = server.requests.length;
    const asked = ask("anthropic-messages", [limited("25")], { signal: abort.signal });
    await expect.poll(() => server.requests.length).toBe(before + 1);
    await server.requests[before]?.ended;
    abort.abort();
    expect((await asked).requests).toHaveLength(1);
    // The session ends at once, not after the delay: the next question is answered.
    expect((await ask("anthropic-messages", [sayText("Next.")])).text).toBe("Next.");
  });
});

test("the log and the metrics show retries", async () => {
  await ask("mistral", [OVERLOADED, sayText("Here I am.")]);
  const scrape = await fetch(`${product.url}/metrics`, { headers: { authorization: `Bearer ${product.token}` } });
  expect(await scrape.text()).toMatch(/factotum_model_retries_total\{provider="mistral",cause="user",reason="overloaded"\} [1-9]/);
  expect(product.output()).toMatch(/A model request is retried/);
});
