import { execFile } from "node:child_process";
import { ContextReportSchema, ReplayResultSchema } from "@factotum/protocol";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { productEntry, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const KEY = "sk-ant-test-0123456789";

let model: AnthropicServer;
let product: Product;

beforeAll(async () => {
  model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: KEY } } },
    },
  });
  model.script([toolReply({ name: "ls", input: { path: "." } }), textReply("Nothing there."), textReply("Still nothing.")]);
  await cli("agent", "--message", `look around, and my key is ${KEY}`);
  await cli("agent", "--message", "look again");
});

afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
});

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function cli(...args: readonly string[]): Promise<Result> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: product.home, FACTOTUM_HOME: product.home };
  return new Promise((resolve) => {
    execFile(process.execPath, [productEntry, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

test("`factotum context` shows the five parts of the newest request, and that the prefix held", async () => {
  const { code, stdout } = await cli("context");
  expect(code).toBe(0);
  for (const line of [
    /^request +turn 2, request 1 \(user\)/m,
    /^model +anthropic\/claude-sonnet-4-6/m,
    /^usage +[\d,]+ new, [\d,]+ read/m,
  ]) {
    expect(stdout).toMatch(line);
  }
  for (const part of ["system prompt", "session messages", "effective prompt", "prompt-local images", "tools"]) {
    expect(stdout).toMatch(new RegExp(`^${part} +[\\d,]+ +[\\d,]+ +[\\d,]+$`, "m"));
  }
  expect(stdout).toContain("since turn 1, request 2: the prefix held, byte for byte");
  // Of the texts only what was asked.
  expect(stdout).toMatch(/^asked +look again$/m);
  expect(stdout).not.toContain("Still nothing.");
});

test("`--json --texts` prints the whole report, without the secrets of the process", async () => {
  const { code, stdout } = await cli("context", "--turn", "1", "--request", "1", "--texts", "--json");
  expect(code).toBe(0);
  const report = ContextReportSchema.parse(JSON.parse(stdout));
  expect(report).toMatchObject({ exact: true, request: { turn: 1, request: 1, causes: ["new-session"] } });
  expect(report.parts.find(({ type }) => type === "prompt")?.sections.at(-1)?.text).toMatch(/^look around, and my key is (?!sk-)/);
  expect(stdout).not.toContain(KEY);
});

test("`--diff` compares with the given turn", async () => {
  const { stdout } = await cli("context", "--turn", "2", "--diff", "1", "--json");
  const { diff } = ContextReportSchema.parse(JSON.parse(stdout));
  expect(diff).toMatchObject({ turn: 1, request: 2, prefixHeld: true });
});

test("`factotum replay` sends the same bytes, prints the answer, and does not change the conversation", async () => {
  const before = await cli("context", "--json");
  model.script([textReply("Once more: nothing.")]);
  const count = model.requests.length;
  const { code, stdout, stderr } = await cli("replay", "1", "--request", "2");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Once more: nothing.\n" });
  expect(stderr).toContain("the same bytes as then");
  expect(model.requests[count]?.bytes).toEqual(model.requests[1]?.bytes);
  expect((await cli("context", "--json")).stdout).toBe(before.stdout);
});

test("finds a turn by its id too, and another model can be asked", async () => {
  const { request } = ContextReportSchema.parse(JSON.parse((await cli("context", "--json")).stdout));
  model.script([textReply("I am smaller.")]);
  const { stdout } = await cli("replay", request.turnId, "--model", "anthropic/claude-haiku-4-5", "--json");
  expect(ReplayResultSchema.parse(JSON.parse(stdout))).toMatchObject({
    model: "anthropic/claude-haiku-4-5",
    exact: false,
    text: "I am smaller.",
    request: { turn: 2 },
  });
  expect(model.requests.at(-1)?.body?.["model"]).toBe("claude-haiku-4-5");
});

test.each([
  [["context", "--turn", "9"], 1, "no turn 9"],
  [["replay", "nothing"], 1, 'no turn "nothing"'],
  [["replay", "1", "--model", "nowhere/x"], 1, "nowhere"],
  [["context", "--request", "0"], 2, "number from 1"],
  [["replay"], 2, "missing required argument"],
])("%j reports the error", async (args, code, words) => {
  const result = await cli(...args);
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(words);
});
