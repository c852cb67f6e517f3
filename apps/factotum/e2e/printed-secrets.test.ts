import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { REDACTED } from "@factotum/config";
import { PROTOCOL_VERSION, RPC_EVENTS, ServerFrameSchema } from "@factotum/protocol";
import type { ChatEvent } from "@factotum/protocol";
import { FakeFeishu } from "@factotum/testing-channels";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig } from "./feishu-scene.ts";
import { order, startObedientModel } from "./obedient-model.ts";

const KEY = "sk-canary-0123456789abcdef";
const TOKEN = "gateway-canary-0123456789abcdef";

test("secrets that a command prints reach no request, transcript, session file or log; other text is unchanged", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  const plain = "héllo  \tsk-canary-other ==\n";
  model.respond(({ body }) => {
    const results = JSON.stringify(body).split('"tool_result"').length - 1;
    if (results === 0)
      return callTools({ name: "exec", arguments: { command: "cat $FACTOTUM_HOME/factotum.json5 $FACTOTUM_HOME/credentials/*; env" } });
    if (results === 1) return callTools({ name: "exec", arguments: { command: "cat $FACTOTUM_HOME/workspace/plain.txt" } });
    return sayText("Done.");
  });
  await using product = await startProduct({
    config: {
      tools: { exec: { mode: "full" } },
      gateway: { auth: { token: TOKEN } },
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: { file: "credentials/anthropic" } } } },
    },
    home: await homeWith({ "credentials/anthropic": KEY, "workspace/plain.txt": plain }),
  });
  const { stdout } = await runCommand(["agent", "--message", "print them"], { home: product.home });
  expect(stdout).toBe("Done.\n");
  await product.end("SIGTERM");
  const requests = JSON.stringify(model.requests.map(({ body }) => body));
  expect(requests.split(REDACTED).length - 1).toBeGreaterThanOrEqual(2);
  expect(requests).toContain(JSON.stringify(plain).slice(1, -1));
  // Only the copies of the configuration contain what the owner wrote into it.
  const written = (
    await filesBelow(path.join(product.home, "state"), path.join(product.home, "agents"), path.join(product.home, "logs"))
  ).filter((file) => !file.includes("config-versions") && !file.endsWith("config.last-good.json5"));
  expect(written.some((file) => file.endsWith(".jsonl"))).toBe(true);
  for (const canary of [KEY, TOKEN]) {
    expect(requests).not.toContain(canary);
    for (const file of written) expect(`${file} ${(await readFile(file)).includes(canary)}`).toBe(`${file} false`);
  }
});

test("keys of unused providers are redacted, from the first tool call on and after a reload", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  const [file, program, later] = ["file", "program", "later"].map((name) => `sk-${name}-canary-0123456789abcdef`);
  const home = await homeWith({ "keys/file": file ?? "", "keys/program": program ?? "", "keys/later": later ?? "" });
  model.respond(({ body }) => {
    // Only now the keyring opens: the tool waits for it.
    writeFileSync(path.join(home, "open"), "");
    const isAnswered = JSON.stringify((body?.["messages"] as readonly unknown[] | undefined)?.at(-1)).includes('"tool_result"');
    return isAnswered ? sayText("Done.") : callTools({ name: "exec", arguments: { command: "cat $FACTOTUM_HOME/keys/*" } });
  });
  await using product = await startProduct({
    config: {
      tools: { exec: { mode: "full" } },
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: {
        providers: {
          anthropic: { baseUrl: model.baseUrl, apiKey: KEY },
          openai: { credentials: { work: { apiKey: { file: "keys/file" } }, lost: { apiKey: { file: "keys/nowhere" } } } },
          groq: { apiKey: { exec: ["sh", "-c", `until test -e '${home}/open'; do sleep 0.05; done; cat '${home}/keys/program'`] } },
        },
      },
    },
    home,
  });
  const ask = async (): Promise<string> => {
    await runCommand(["agent", "--message", "print them"], { home: product.home });
    return JSON.stringify(model.requests.at(-1)?.body);
  };
  const first = await ask();
  expect(first.split(REDACTED).length - 1).toBe(2);
  expect([file, program, later].map((key) => first.includes(key ?? ""))).toEqual([false, false, true]);
  await runCommand(["config", "set", "models.providers.xai", '{ apiKey: { file: "keys/later" } }'], { home: product.home });
  const second = await ask();
  expect(second.split(REDACTED).length - 1).toBe(5);
});

test("no part of a secret is left where long output of a command is cut", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  const key = "cat $FACTOTUM_HOME/credentials/anthropic";
  const fill = (count: number): string => `head -c ${count} /dev/zero | tr '\\0' '~'`;
  // The beginning and the end that are kept have 7,900 bytes each.
  const command = [fill(7_900 - 12), key, fill(40_000), key, fill(7_900 - 12)].join("; ");
  model.respond(({ body }) =>
    JSON.stringify(body).includes('"tool_result"') ? sayText("Done.") : callTools({ name: "exec", arguments: { command } }),
  );
  await using product = await startProduct({
    config: {
      tools: { exec: { mode: "full" } },
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: { file: "credentials/anthropic" } } } },
    },
    home: await homeWith({ "credentials/anthropic": KEY }),
  });
  const { stdout } = await runCommand(["agent", "--message", "print it"], { home: product.home });
  expect(stdout).toBe("Done.\n");
  const requests = JSON.stringify(model.requests.map(({ body }) => body));
  expect(requests).toContain("bytes of output left out");
  for (let at = 0; at + 6 <= KEY.length; at += 1) expect(requests).not.toContain(KEY.slice(at, at + 6));
});

test("a secret configured while the gateway runs is redacted from then on", async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({
    config: {
      tools: { exec: { mode: "full" } },
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    },
  });
  for (const [key, value] of [
    ["models.providers.openai.apiKey", KEY],
    ["gateway.auth.token", TOKEN],
  ] as const)
    expect(await runCommand(["config", "set", key, value], { home: product.home })).toMatchObject({ code: 0 });
  const print = order({ name: "exec", arguments: { command: "cat $FACTOTUM_HOME/factotum.json5" } });
  await runCommand(["agent", "--message", `Please ${print}`], { home: product.home });
  const told = JSON.stringify(model.requests.at(-1)?.body);
  expect(told.split(REDACTED).length - 1).toBeGreaterThanOrEqual(2);
  for (const canary of [KEY, TOKEN]) expect(told).not.toContain(canary);
});

async function homeWith(files: Readonly<Record<string, string>>): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), "factotum-secrets-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(home, name)), { recursive: true, mode: 0o700 });
    await writeFile(path.join(home, name), text, { mode: 0o600 });
  }
  return home;
}

async function filesBelow(...folders: readonly string[]): Promise<string[]> {
  const lists = folders.map(async (folder) =>
    (await readdir(folder, { recursive: true, withFileTypes: true })).flatMap((entry) =>
      entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
    ),
  );
  return (await Promise.all(lists)).flat();
}

test("page events contain no generated token and no channel secret, live, split or encoded; similar text stays", async () => {
  await using feishu = await FakeFeishu.start();
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  const { appSecret, encryptKey, verificationToken } = feishu.app;
  const resembling = `${appSecret.slice(0, -1)} ${encryptKey.toUpperCase()} ${"QUJD".repeat(19)}`;
  const token = "$FACTOTUM_HOME/credentials/gateway-token";
  // Each part is a separate write, so that secrets arrive in chunks.
  const command = [
    `cat "${token}"; base64 -w 20 "${token}"; od -An -v -tx1 "${token}" | tr -d ' '`,
    `printf '\\n%s' '${appSecret.slice(0, 9)}'; printf '%s\\n' '${appSecret.slice(9)}'`,
    `printf '%s' 'padding before ${appSecret} and behind it, so that lines wrap' | base64 -w 76`,
    `printf '%s\\n' '${encryptKey}' '${verificationToken}' '${resembling}'`,
  ].join("; ");
  model.respond(({ body }) =>
    JSON.stringify(body).includes('"tool_result"') ? sayText("Done.") : callTools({ name: "exec", arguments: { command } }),
  );
  await using product = await startProduct({
    config: {
      tools: { exec: { mode: "full" } },
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: KEY } } },
      ...feishuConfig(feishu, "ou_alice"),
    },
  });
  using page = await openPage(product);
  await runCommand(["agent", "--message", "print them"], { home: product.home });
  await page.ended;
  const calls = page.events.flatMap((event) => (event.type === "tool-delta" ? [event.text] : []));
  expect(calls.length).toBeGreaterThan(0);
  const results = page.events.flatMap((event) =>
    event.type === "entry" && event.entry.type === "tool-result" ? [JSON.stringify(event.entry)] : [],
  );
  expect(results).toHaveLength(1);
  const requests = JSON.stringify(model.requests.map(({ body }) => body))
    .split('"tool_result"')
    .slice(1)
    .join("");
  const secrets = [product.token, appSecret, encryptKey, verificationToken];
  const encoded = [product.token, appSecret].flatMap((secret) => [
    Buffer.from(secret).toString("hex").slice(0, 40),
    Buffer.from(secret).toString("base64").slice(0, 16),
    Buffer.from(` ${secret}`).toString("base64").slice(2, 18),
    Buffer.from(`  ${secret}`).toString("base64").slice(3, 19),
  ]);
  for (const [where, text] of [
    ["deltas", calls.join("")],
    ["result", results.join("")],
    ["requests", requests],
  ] as const) {
    for (const secret of [...secrets, ...encoded]) expect(`${where} ${secret}: ${text.includes(secret)}`).toBe(`${where} ${secret}: false`);
    expect(text).toContain(resembling);
    expect(text.split(REDACTED).length - 1).toBeGreaterThanOrEqual(7);
  }
});

/** Everything that a page receives about the main session. */
async function openPage({
  url,
  token,
}: Product): Promise<Disposable & { readonly events: readonly ChatEvent[]; readonly ended: Promise<void> }> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  const events: ChatEvent[] = [];
  const [opened, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const send = (frame: object): void => socket.send(JSON.stringify(frame));
  socket.on("message", (data: Buffer) => {
    const frame = ServerFrameSchema.parse(JSON.parse(data.toString()));
    if (frame.type === "hello") send({ type: "req", id: "1", method: "chat.subscribe", params: { sessionKey: "agent:main:main" } });
    if (frame.type === "res") opened.resolve();
    if (frame.type !== "event" || frame.event !== "chat") return;
    const { event } = RPC_EVENTS.chat.parse(frame.payload);
    events.push(event);
    if (event.type === "run-end") ended.resolve();
  });
  await once(socket, "open");
  send({ type: "connect", minProtocol: 1, maxProtocol: PROTOCOL_VERSION, client: { name: "test", version: "0" }, auth: { token } });
  await opened.promise;
  return { events, ended: ended.promise, [Symbol.dispose]: () => socket.terminate() };
}
