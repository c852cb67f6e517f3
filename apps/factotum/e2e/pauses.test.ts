import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ContextReportSchema } from "@factotum/protocol";
import { prefixReport, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { checkedOfficially } from "./check-official.ts";

/** Thinks between its answers, and accepts its thoughts back only after an unchanged prefix. */
const MODEL = "anthropic/claude-sonnet-5-5";
const DAY_MINUTES = 24 * 60;

/** Preloaded into the product: its clock is ahead by the value in the file. */
const CLOCK = `import { readFileSync } from "node:fs";
const real = Date.now;
Date.now = () => real() + Number(readFileSync(process.env.CLOCK_FILE, "utf8"));
`;

let folder: string;
let model: AnthropicServer;
let product: Product;
let passedMs = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-pauses-"));
  await mkdir(path.join(folder, "workspace"));
  await writeFile(path.join(folder, "clock.mjs"), CLOCK);
  await writeFile(path.join(folder, "workspace", "AGENTS.md"), "Be brief.");
  await wait(0);
  model = checkedOfficially(await startAnthropicServer({ now: () => Date.now() + passedMs }), "anthropic-messages");
  model.respond(({ body }) =>
    isSummary(body)
      ? textReply("Known: the lease ends in May.")
      : {
          type: "message",
          content: [
            { type: "thinking", thinking: `Thought ${model.requests.length}.` },
            { type: "text", text: `Answer ${model.requests.length}.` },
          ],
        },
  );
  product = await start();
});

afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

function isSummary(body: unknown): boolean {
  return JSON.stringify(body).includes("You condense the record of a conversation");
}

async function start(home?: string): Promise<Product> {
  const config = {
    session: { reset: { mode: "none" } },
    agents: { defaults: { model: MODEL, workspaceDir: path.join(folder, "workspace") } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
  };
  const env = { NODE_OPTIONS: `--import=${path.join(folder, "clock.mjs")}`, CLOCK_FILE: path.join(folder, "ahead") };
  return startProduct({ config, env, ...withoutUndefined({ home }) });
}

/** Advances the product's clock. */
async function wait(minutes: number): Promise<void> {
  passedMs += minutes * 60_000;
  await writeFile(path.join(folder, "ahead"), String(passedMs));
}

/** Makes a message so long that five of them are worth a compaction. */
async function sayAtLength(text: string): Promise<void> {
  await say(`${text}${" And so on.".repeat(600)}`);
}

async function say(text: string): Promise<void> {
  const { code, stderr } = await runCommand(["agent", "--message", text], product);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

/** The JSON of each turn's trusted block in a request, oldest first. */
function turnsIn(index: number): readonly Readonly<Record<string, unknown>>[] {
  const texts: string[] = [];
  JSON.stringify(model.requests.at(index)?.body?.["messages"], (_, value: unknown) => {
    if (typeof value === "string") texts.push(value);
    return value;
  });
  return texts.flatMap((text) =>
    [...text.matchAll(/^Inbound context \(trusted\):\n(\{.*\})$/gm)].map(([, json = ""]) => JSON.parse(json) as Record<string, unknown>),
  );
}

test("pauses of minutes and days, a changed file, a command, a kill and a compaction: no request refused, every turn keeps its date", async () => {
  await sayAtLength("The lease ends in May.");
  await wait(6);
  await sayAtLength("And what of it?");
  await writeFile(path.join(folder, "workspace", "AGENTS.md"), "Be brief, and rhyme.");
  await wait(70);
  await sayAtLength("Seventy minutes later.");
  await say("/think low");
  await sayAtLength("Think less.");
  await product.end("SIGKILL");
  product = await start(product.home);
  await wait(DAY_MINUTES);
  await sayAtLength("A day later.");

  expect(model.requests).toHaveLength(5);
  expect(model.violations).toEqual([]);
  const bodies = model.requests.map(({ body = {} }) => body);
  const breaks = bodies.slice(1).map((body, index) => prefixReport(bodies[index] ?? {}, body).type);
  expect(breaks).toEqual(["prefix", "broken", "broken", "prefix"]);
  expect(await Promise.all([2, 3, 4, 5].map(causesOf))).toEqual([[], ["cold-cache"], ["model-change"], []]);
  expect(turnsIn(-1)).toMatchObject([0, 1, 2, 3, 4].map((index) => ({ timestamp: turnsIn(index).at(-1)?.["timestamp"], owner: true })));
  const stamps = turnsIn(-1).map(({ timestamp }) => String(timestamp));
  expect(new Set(stamps.map((stamp) => stamp.slice(0, 14))).size).toBe(2);
  expect(stamps).not.toContainEqual("undefined");

  await say("/compact");
  await say("What do you know?");
  expect(model.violations).toEqual([]);
  expect(JSON.stringify(bodies.at(-1))).toContain("Thought");
  const summary = JSON.stringify(model.requests.find(({ body }) => isSummary(body))?.body?.["messages"]);
  for (const stamp of stamps.slice(0, 2)) expect(summary).toContain(stamp);
  expect(JSON.stringify(model.requests.at(-1)?.body?.["messages"])).toMatch(
    /Until \w{3} \d{4}-\d\d-\d\d [^"]*Known: the lease ends in May\./,
  );
});

/** The causes that the command line shows for the first request of a turn. */
async function causesOf(turn: number): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runCommand(["context", "--turn", String(turn), "--request", "1", "--json"], product);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return ContextReportSchema.parse(JSON.parse(stdout)).request.causes;
}
