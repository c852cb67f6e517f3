import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ProductEndedError, runCommand, startProduct } from "@factotum/testing-product";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { decideApprovals } from "./decide-approvals.ts";
import { checkedOfficially } from "./check-official.ts";

let model: StrictServer;
let home: string;
const homes: string[] = [];
beforeAll(async () => {
  model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(({ body }) =>
    JSON.stringify(body).includes('"tool_result"') ? sayText("Done.") : callTools({ name: "exec", arguments: { command: "echo plover" } }),
  );
});
afterAll(async () => {
  await model.close();
  for (const each of homes) await rm(each, { recursive: true, force: true });
});

async function useNewHome(): Promise<void> {
  home = await mkdtemp(path.join(tmpdir(), "factotum-restrictions-"));
  homes.push(home);
}

/** A permissive configuration as JSON, with the tested members appended as JSON5. */
function json5(members = ""): string {
  const base = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
  };
  return `${JSON.stringify(base).slice(0, -1)}${members === "" ? "" : `,\n${members}`}}`;
}

const fileIn = (name: string): string => path.join(home, name);
const write = async (text: string, name = "factotum.json5"): Promise<void> => writeFile(fileIn(name), text);

/** Starts with a file and returns the result of one message: `refused`, or whether commands were offered. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<{ readonly outcome: string; readonly output: string }> {
  const before = model.requests.length;
  try {
    const product = await startProduct({ home, env });
    using _denied = await decideApprovals(product);
    try {
      await runCommand(["agent", "--message", "run it"], { home, env });
      const tools = (model.requests[before]?.body?.["tools"] ?? []) as readonly { readonly name: string }[];
      const outcome = tools.some(({ name }) => name === "exec") ? "exec offered" : "exec not offered";
      return { outcome, output: product.output() };
    } finally {
      await product.end("SIGTERM");
    }
  } catch (error) {
    if (!(error instanceof ProductEndedError)) throw error;
    return { outcome: `refused ${error.code}`, output: error.message };
  }
}

describe("a restriction that this build would lose refuses the start, although a last good copy exists", () => {
  // A refused start changes nothing.
  beforeAll(async () => {
    await useNewHome();
    await write(json5());
    expect((await start()).outcome).toBe("exec offered");
  });

  test.each([
    ["a provider's name is misspelt", `tools: {byProvider: {Anthropic: {deny: ["exec"]}}}`, "tools.byProvider.Anthropic: ", '"anthropic"'],
    ["a model string in place of a provider", `tools: {byProvider: {"anthropic/x": {deny: ["exec"]}}}`, "anthropic/x", '"anthropic"'],
    ["command hooks", `commandHooks: [{event: "pre-tool", command: ["/bin/false"]}]`, "commandHooks[0].event: ", "before_tool_call"],
    ["a setting for all agents in one", `agents: {list: [{id: "main", tools: {exec: {mode: "deny"}}}]}`, "tools.exec: ", "no such key"],
    ["a misspelt deny", `tools: {dney: ["exec"]}`, "tools.dney: ", 'did you mean "deny"?'],
    ["a misspelt parent", `tool: {deny: ["exec"]}`, "tool: ", 'did you mean "tools"?'],
    ["a misspelt sandbox", `sanbox: {mode: "all"}`, "sanbox: ", "agents.defaults"],
    ["a path with points as one key", `"tools.exec.mode": "deny"`, '["tools.exec.mode"]: ', "tools: { exec: { mode: … } }"],
    ["a mode in capitals", `tools: {exec: {mode: "Ask"}}`, "tools.exec.mode: ", 'did you mean "ask"?'],
    ["a text in place of a list", `tools: {deny: "exec"}`, "tools.deny: ", "a list of texts"],
    ["a text in place of the sandbox", `agents: {list: [{id: "main", sandbox: "all"}]}`, "sandbox: ", "object"],
  ])("%s", async (_name, members, key, told) => {
    await write(
      members.startsWith("agents") ? json5().replace('"agents":{', `"agents":{"list":${members.slice(15, -1)},`) : json5(members),
    );
    const { outcome, output } = await start();
    expect(outcome).toBe("refused 4");
    for (const text of [key, told]) expect(output).toContain(text);
  });
});

test("the same restrictions, spelled correctly, take commands away; other typos are warnings", async () => {
  await useNewHome();
  await write(json5(`tools: {byProvider: {anthropic: {deny: ["exec"]}}}`));
  expect((await start()).outcome).toBe("exec not offered");
  await write(json5(`tools: {byProvider: {openai: {deny: ["exec"]}}}, gatway: {}, messages: {queu: {}}`));
  expect(await start()).toMatchObject({ outcome: "exec offered", output: expect.stringContaining("messages.queu: ") as string });
});

describe("a duplicate key", () => {
  beforeEach(useNewHome);

  test("is a syntax error in JSON5 that names the key and its lines, and never drops a denial silently", async () => {
    await write(json5(`tools: {exec: {mode: "deny"}},\ntools: {deny: ["ls"]}`));
    const { outcome, output } = await start();
    expect(outcome).toBe("refused 4");
    expect(output).toContain('"tools" stands twice in one object, in lines 2 and 3');
    const validate = await runCommand(["config", "validate"], { home });
    expect(validate).toMatchObject({ code: 4, stdout: expect.stringContaining('"tools" stands twice') as string });
  });

  test("in different objects is no error", async () => {
    await write(json5(`tools: {exec: {mode: "deny"}, deny: ["ls"]}, session: {reset: {mode: "daily"}}, // tools: {}\n`));
    expect((await start()).outcome).toBe("exec not offered");
  });
});

test("a YAML merge key applies its denial, and a value in the object itself wins", async () => {
  await useNewHome();
  const yaml = (tools: string): string =>
    `locked: &locked\n  mode: deny\nagents: {defaults: {model: anthropic/claude-sonnet-5-5}}\nmodels: {providers: {anthropic: {baseUrl: "${model.baseUrl}", apiKey: sk-test}}}\n${tools}`;
  await write(yaml("tools:\n  exec:\n    <<: *locked\n"), "factotum.yaml");
  expect((await start()).outcome).toBe("exec not offered");
  await write(yaml("tools:\n  exec:\n    <<: *locked\n    mode: full\n"), "factotum.yaml");
  expect((await start()).outcome).toBe("exec offered");
});

test("only a copy of the same file replaces a broken one", async () => {
  await useNewHome();
  await write(json5());
  expect((await start()).outcome).toBe("exec offered");
  const strict = json5(`tools: {exec: {mode: "deny"}}`);
  const env = { FACTOTUM_CONFIG: fileIn("strict.json5") };
  await write(strict.slice(0, -1), "strict.json5");
  expect((await start(env)).outcome).toBe("refused 4");
  await write(strict, "strict.json5");
  expect((await start(env)).outcome).toBe("exec not offered");
  await write(strict.slice(0, -1), "strict.json5");
  expect(await start(env)).toMatchObject({ outcome: "exec not offered", output: expect.stringContaining("last good copy") as string });
  expect(await readFile(fileIn("state/config.last-good.json5"), "utf8")).toBe(strict);
});
