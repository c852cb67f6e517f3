import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FakeWebhookService } from "@factotum/testing-channels";
import { installExtension, runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { callTools, sayText } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";

const REPORT = Buffer.from("quarter,sales\n1,4711\n");

/** A service of its own, the product with the installed channel, and a scripted model. */
interface Scene extends AsyncDisposable {
  readonly service: FakeWebhookService;
  readonly model: StrictServer;
  readonly workspace: string;
  readonly product: Product;
  /** Posts an event of Alice in her direct chat; `id` is that of the request. */
  post(id: string, event: object): Promise<number>;
  killAndStart(): Promise<void>;
}

async function startScene(): Promise<Scene> {
  const service = await FakeWebhookService.start();
  const model = await startSceneModel(ANTHROPIC, []);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-webhook-"));
  const [workspace, home] = [path.join(folder, "agent"), path.join(folder, "home")];
  await mkdir(workspace);
  await installExtension(home, "webhook");
  const { reference, providers } = ANTHROPIC.config(model.baseUrl);
  const config = {
    agents: { defaults: { model: reference }, list: [{ id: "main", workspaceDir: workspace }] },
    models: { providers },
    commands: { ownerAllowFrom: ["webhook:alice"] },
    channels: { webhook: { secret: service.secret, outboundUrl: service.outboundUrl, allowFrom: ["alice", "ada"], groupPolicy: "open" } },
  };
  const start = (): Promise<Product> => startProduct({ config, home });
  let product = await start();
  return {
    service,
    model,
    workspace,
    get product() {
      return product;
    },
    async post(id, event) {
      const whole = { conversation: { id: "alice", kind: "direct" }, sender: { id: "alice", name: "Alice" }, ...event };
      const body = Buffer.from(JSON.stringify(whole));
      const { status } = await fetch(`${product.url}/channels/webhook/default`, { method: "POST", body, headers: service.sign(body, id) });
      return status;
    },
    async killAndStart() {
      await product.end("SIGKILL");
      product = await start();
    },
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      await model.close();
      await service[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function newestPrompt({ model }: Scene): string {
  return JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
}

/** The number of messages without a receipt, as `/metrics` has it. */
async function unsentMessages({ url, token }: Product): Promise<string | undefined> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return /^factotum_outbox\{state="waiting"\} (\d+)$/m.exec(await response.text())?.[1];
}

test("a text is answered once, also when it is posted again after a kill; edits and reactions are seen", async () => {
  await using scene = await startScene();
  const { service, model } = scene;
  model.respond(() => sayText("**Hello**, Alice"));
  const question = { type: "message", id: "m1", text: "Good morning" };
  expect(await scene.post("e1", question)).toBe(200);
  const [answer] = await service.shown((received) => received.length === 1);
  expect(answer).toMatchObject({ conversation: { kind: "direct", id: "alice" }, text: "**Hello**, Alice" });
  // A reaction is known to be on an answer once the receipt of the answer is stored.
  await expect.poll(async () => unsentMessages(scene.product)).toBe("0");
  await scene.killAndStart();
  for (const id of ["e1", "e1-under-another-id"]) expect(await scene.post(id, question)).toBe(200);
  expect(await scene.post("e2", { type: "edit", targetId: "m1", text: "Good evening" })).toBe(200);
  expect(await scene.post("e3", { type: "reaction", targetId: answer?.id, emoji: "🎉" })).toBe(200);
  model.respond(() => sayText("Still here"));
  expect(await scene.post("e4", { type: "message", id: "m2", text: "And now?" })).toBe(200);
  const received = await service.shown((all) => all.length >= 2);
  expect(received.map(({ text }) => text)).toEqual(["**Hello**, Alice", "Still here"]);
  for (const shown of ["Good evening", "🎉"]) expect(newestPrompt(scene)).toContain(shown);
  expect(model.requests).toHaveLength(2);
  expect(scene.product.output()).not.toContain(service.secret);
});

test("the status says where the account listens, also after a restart", async () => {
  await using scene = await startScene();
  const line = async (): Promise<string> => {
    const { stdout } = await runCommand(["channels", "status"], { home: scene.product.home });
    return stdout.split("\n").find((one) => one.startsWith("webhook/default")) ?? "";
  };
  for (const id of ["e1", "e2"]) {
    const address = `${scene.product.url}/channels/webhook/default`;
    await expect.poll(line).toMatch(`listening at ${address}, by webhook`);
    expect(await line()).toContain("(no verified request since the start; let the service post its messages to this account's address)");
    expect(await scene.post(id, { type: "reaction", targetId: "m0", emoji: "🎉" })).toBe(200);
    expect(await line()).toContain(`connected at ${address}, by webhook`);
    await scene.killAndStart();
  }
});

test("files arrive and are sent byte for byte", async () => {
  await using scene = await startScene();
  const { service, model } = scene;
  await writeFile(path.join(scene.workspace, "report.csv"), REPORT);
  service.files.set("/in.csv", REPORT);
  model.respond(() => sayText("Here it is.\nMEDIA:report.csv"));
  const attachments = [{ url: `${service.url}/in.csv`, name: "in.csv", mimeType: "text/csv" }];
  expect(await scene.post("e1", { type: "message", id: "m1", text: "Send it back", attachments })).toBe(200);
  const received = await service.shown((all) => all.some((message) => message.attachments !== undefined));
  const files = received.flatMap((message) => message.attachments ?? []);
  expect(files).toMatchObject([{ name: "report.csv", data: REPORT.toString("base64") }]);
  const [, place = ""] = /file: (\/[^)]*)\)\]/.exec(newestPrompt(scene)) ?? [];
  expect(await readFile(place)).toEqual(REPORT);
});

test("a thread of a group is a conversation of its own, commands run, and the assistant can write elsewhere", async () => {
  await using scene = await startScene();
  const { service, model } = scene;
  model.respond(() => sayText("Noted."));
  const thread = { conversation: { id: "room", kind: "group", thread: "t1", name: "Team" }, mentionsBot: true };
  expect(await scene.post("e1", { type: "message", id: "m1", text: "remember it", ...thread })).toBe(200);
  const [answer] = await service.shown((all) => all.length === 1);
  expect(answer).toMatchObject({ conversation: { kind: "group", id: "room", thread: "t1" }, text: "Noted." });
  expect(await scene.post("e2", { type: "message", id: "m2", text: "/whoami" })).toBe(200);
  expect((await service.shown((all) => all.length === 2)).at(-1)?.text).toContain("alice");
  const replies = [
    callTools({ name: "message", arguments: { action: "send", target: "group:hall", message: "Lunch is ready" } }),
    sayText("I have told them."),
  ];
  model.respond(() => replies.shift() ?? sayText("Nothing more."));
  expect(await scene.post("e3", { type: "message", id: "m3", text: "Call everybody" })).toBe(200);
  const received = await service.shown((all) => all.length === 4);
  expect(received.slice(2).map(({ conversation, text }) => [conversation.id, text])).toEqual([
    ["hall", "Lunch is ready"],
    ["alice", "I have told them."],
  ]);
});

test("strangers and changed requests are refused", async () => {
  await using scene = await startScene();
  const body = Buffer.from(JSON.stringify({ type: "message", id: "m1", text: "Hi" }));
  const post = (headers: Record<string, string>) =>
    fetch(`${scene.product.url}/channels/webhook/default`, { method: "POST", body, headers });
  expect((await post({})).status).toBe(401);
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  expect((await post(scene.service.sign(body, "e1", { secret }))).status).toBe(401);
  expect((await post(scene.service.sign(Buffer.from(`${body.toString()} `), "e1"))).status).toBe(401);
  expect(scene.model.requests).toHaveLength(0);
});

test("the service of the page is a chat at a terminal", async () => {
  await using scene = await startScene();
  const page = await readFile(fileURLToPath(new URL("../../../docs/webhook.md", import.meta.url)), "utf8");
  const [, source = ""] = /```js no-test\n(.*?)```/s.exec(page) ?? [];
  const { port } = new URL(scene.service.outboundUrl);
  const secret = scene.service.secret;
  await scene.service[Symbol.asyncDispose]();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    env: { WEBHOOK_SECRET: secret, PORT: port, FACTOTUM_WEBHOOK: `${scene.product.url}/channels/webhook/default` },
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    scene.model.respond(() => sayText("Good morning, Ada."));
    child.stdin.write("Good morning\n");
    for await (const line of createInterface({ input: child.stdout })) {
      expect(line).toBe("Good morning, Ada.");
      break;
    }
  } finally {
    child.kill();
  }
  expect(newestPrompt(scene)).toContain("Good morning");
});
