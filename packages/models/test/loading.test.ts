import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ENTRY = fileURLToPath(new URL("../src/index.ts", import.meta.url));

/** Runs a program in a separate process and returns the files that it opened as modules. */
async function modulesAfter(code: string): Promise<string[]> {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const models = await import(${JSON.stringify(ENTRY)});
    ${code}
    process.stdout.write(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=factotum-source",
    "--input-type=module",
    "--eval",
    program,
  ]);
  return JSON.parse(stdout) as string[];
}

const CALL = `
  const clock = { now: Date.now, monotonic: () => performance.now(), schedule: () => ({ [Symbol.dispose]() {} }) };
  const random = { bytes: (n) => new Uint8Array(n), uuid: () => "", float: () => 0 };
  const info = (provider, id) => models.resolveModelInfo(provider, id);
  const client = (provider, id) => models.createModelClient({ info: info(provider, id), apiKey: "k", fetch: async () => new Response("{}", { status: 400 }), clock, random });
  const call = async (one) => {
    const request = { system: { stable: "", session: "" }, messages: [{ role: "user", content: [{ type: "text", text: "hi" }], timestamp: 1 }], tools: [] };
    for await (const event of one.stream(request, { signal: new AbortController().signal })) if (event.type === "message-end") throw new Error("unexpected");
  };`;

test("importing the package, and making a client, loads no SDK and no wire format", async () => {
  const loaded = await modulesAfter(`${CALL} client("anthropic", "claude-sonnet-5"); client("mistral", "m"); client("demo", "demo");`);
  expect(loaded.some((url) => url.endsWith("/src/create-model-client.ts"))).toBe(true);
  expect(loaded.filter((url) => /@ai-sdk|\/zod\/|-format\.ts|\/demo\//.test(url))).toEqual([]);
});

test("a call loads the one SDK that it needs", async () => {
  const loaded = await modulesAfter(`${CALL} await call(client("mistral", "mistral-medium-latest"));`);
  const sdks = new Set(loaded.flatMap((url) => /@ai-sdk\/(anthropic|openai|openai-compatible|google|mistral)\//.exec(url)?.[1] ?? []));
  expect([...sdks]).toEqual(["mistral"]);
});
