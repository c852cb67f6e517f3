import { callTools, sayText, startStrictServer, WIRE_FORMATS } from "@factotum/testing-providers";
import type { ScriptedReply, StrictServer, WireFormatName } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { SCENE_MODELS } from "./scene-model.ts";

let product: Product;
let client: OpenAI;
const servers = new Map<WireFormatName, StrictServer>();

beforeAll(async () => {
  for (const format of WIRE_FORMATS) servers.set(format, checkedOfficially(await startStrictServer(format), format));
  const models = WIRE_FORMATS.map((format) => {
    const { reference } = SCENE_MODELS[format].config("");
    const provider = { api: format, baseUrl: serverOf(format).baseUrl, apiKey: "sk-ant-test-0123456789" };
    return { format, reference: `${format}/${reference.slice(reference.indexOf("/") + 1)}`, provider };
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

interface Asked {
  readonly text: string;
  readonly finish: string | undefined;
  /** The content of each model request, as text. */
  readonly bodies: readonly string[];
}

async function ask(format: WireFormatName, replies: readonly ScriptedReply[]): Promise<Asked> {
  const server = serverOf(format);
  const before = server.requests.length;
  server.script(replies);
  const answer = await client.chat.completions.create({ model: `factotum/${format}`, messages: [{ role: "user", content: "hello" }] });
  expect(server.violations).toEqual([]);
  const [choice] = answer.choices;
  return {
    text: choice?.message.content ?? "",
    finish: choice?.finish_reason,
    bodies: server.requests.slice(before).map(({ bytes }) => bytes.toString()),
  };
}

/** The output of `factotum agent`. */
async function run(format: WireFormatName, replies: readonly ScriptedReply[]): ReturnType<typeof runCommand> {
  serverOf(format).script(replies);
  return runCommand(["agent", "--agent", format, "--message", "hello"], { home: product.home });
}

const EMPTY: ScriptedReply = { type: "message", content: [] };
const CUT_TEXT = '{"path":"story.txt","content":"Once upon a ti';

describe.each(WIRE_FORMATS)("%s", (format) => {
  const inText = format !== "google-generative-ai";

  test("a tool call cut at the output limit is answered with an error, and the run continues", async () => {
    const call = {
      name: "write",
      arguments: { path: "story.txt", content: "Once upon a time" },
      ...(inText ? { argumentsText: CUT_TEXT } : {}),
    };
    const { text, bodies } = await ask(format, [{ ...callTools(call), stop: "length" }, sayText("In parts, then.")]);
    expect(text).toBe("In parts, then.");
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain("write was not run: the answer reached its length limit");
  });

  test.runIf(inText)("a tool call whose arguments are not JSON is answered with an error, and the run continues", async () => {
    const call = { name: "write", arguments: {}, argumentsText: '{"path": story.txt}' };
    const { text, bodies } = await ask(format, [callTools(call), sayText("Properly, then.")]);
    expect(text).toBe("Properly, then.");
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain("write was not run: the arguments are not a valid JSON object");
    expect(bodies[1]).toContain("story.txt}");
  });

  test("an empty answer is retried once with the same request", async () => {
    const { text, bodies } = await ask(format, [EMPTY, sayText("Here.")]);
    expect(text).toBe("Here.");
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toBe(bodies[0]);
  });

  test("an answer cut at the output limit says so, and the model does not see that", async () => {
    const cut = "Once upon a time there was";
    const { text, finish } = await ask(format, [{ ...sayText(cut), stop: "length" }]);
    expect({ text, finish }).toEqual({ text: cut, finish: "length" });
    const told = await run(format, [{ ...sayText(cut), stop: "length" }]);
    expect(told).toMatchObject({ code: 0, stdout: `${cut}\n`, stderr: expect.stringContaining("limit of the model's output") });
    const server = serverOf(format);
    const before = server.requests.length;
    await run(format, [sayText("a gateway.")]);
    const body = server.requests[before]?.bytes.toString() ?? "";
    expect(body).toContain(cut);
    expect(body).not.toContain("limit of the model's output");
  });
});

describe("the text fits the cause", () => {
  const FORMAT = "anthropic-messages";

  test.each<readonly [string, readonly ScriptedReply[], RegExp]>([
    ["nothing, twice", [EMPTY, EMPTY], /no answer, twice/],
    ["nothing but thoughts up to the limit", [{ type: "message", content: [], stop: "length" }], /limit of its length before/],
    ["a refusal", [{ type: "message", content: [], stop: "refusal" }], /declined to answer/],
    [
      "a content filter",
      [{ type: "error", errorType: "invalid-request", message: "Output blocked by content filtering policy" }],
      /content filter/,
    ],
    [
      "calls cut three times",
      Array.from({ length: 3 }, () => ({ ...callTools({ name: "ls", arguments: {} }), stop: "length" as const })),
      /limit of its length/,
    ],
    [
      "calls broken three times",
      Array.from({ length: 3 }, () => callTools({ name: "ls", arguments: {}, argumentsText: "{nonsense" })),
      /tool calls that cannot be read/,
    ],
  ])("%s", async (_cause, replies, words) => {
    const { code, stdout, stderr } = await run(FORMAT, replies);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(words);
  });
});
