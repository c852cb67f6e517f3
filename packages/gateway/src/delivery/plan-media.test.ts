import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Channel } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const MEDIA: Channel["capabilities"]["media"] = [
  { kind: "image", maxBytes: 1_000 },
  { kind: "file", maxBytes: 2_000 },
];

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", { media: MEDIA });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<void> {
  running = await startTestGateway({ platform, patch: withModel(server.baseUrl), ...options });
  await mkdir(path.join(running.home, "workspace", "out"), { recursive: true });
}

const inWorkspace = (name: string): string => path.join(running.home, "workspace", name);

/** What is sent after these replies of the model. */
async function sentAfter(...replies: Parameters<AnthropicServer["script"]>[0]): Promise<unknown[]> {
  const before = platform.sent.length;
  server.script(replies);
  await platform.say(platform.message("go on"));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => {
    if (outbound.type === "text") return outbound.text;
    if (outbound.type !== "media") return outbound.type;
    const { kind, mimeType, fileName, bytes } = outbound.media;
    return { kind, mimeType, fileName, sizeBytes: bytes.length };
  });
}

const picture = { kind: "image", mimeType: "image/png", fileName: "a b.png", sizeBytes: PNG.length };

test("files are sent after the text, in order, with their kind", async () => {
  await start();
  await writeFile(inWorkspace("out/a b.png"), PNG);
  await writeFile(inWorkspace("notes.txt"), "words");
  const text = "Here:\n\nMEDIA:out/a b.png\nMEDIA:./notes.txt\n\nDone.";
  expect(await sentAfter(textReply(text))).toEqual([
    "Here:\n\n\nDone.",
    picture,
    { kind: "file", mimeType: "text/plain", fileName: "notes.txt", sizeBytes: 5 },
  ]);
});

test("files are one message where the platform has albums, and single files if it refuses that", async () => {
  platform = new TestPlatform("platform", { media: MEDIA, limits: { filesPerMessage: 2 } });
  await start();
  for (const name of ["a", "b", "c"]) await writeFile(inWorkspace(`${name}.txt`), name);
  const reply = textReply("MEDIA:a.txt\nMEDIA:b.txt\nMEDIA:c.txt");
  await sentAfter(reply);
  const names = platform.sent.map(({ outbound }) =>
    outbound.type === "album" ? outbound.media.map(({ fileName }) => fileName) : outbound.type === "media" ? outbound.media.fileName : "",
  );
  expect(names).toEqual([["a.txt", "b.txt"], "c.txt"]);
  platform.answer = ({ type }) => (type === "album" ? { type: "rejected", code: "rejected", retry: { type: "never" } } : undefined);
  expect(await sentAfter(reply)).toMatchObject([{ fileName: "a.txt" }, { fileName: "b.txt" }, { fileName: "c.txt" }]);
});

test("a text is the caption of its only file where it fits, and becomes text again if the file is refused", async () => {
  platform = new TestPlatform("platform", { media: MEDIA, limits: { captionLength: 10 } });
  await start();
  await writeFile(inWorkspace("a.txt"), "words");
  await writeFile(inWorkspace("b.txt"), "words");
  await sentAfter(textReply("It is here\nMEDIA:a.txt"));
  expect(platform.sent.map(({ outbound }) => outbound.type === "media" && outbound.caption)).toEqual(["It is here"]);
  expect(await sentAfter(textReply("It is there\nMEDIA:a.txt"))).toMatchObject(["It is there", { fileName: "a.txt" }]);
  expect(await sentAfter(textReply("Both\nMEDIA:a.txt\nMEDIA:b.txt"))).toMatchObject([
    "Both",
    { fileName: "a.txt" },
    { fileName: "b.txt" },
  ]);
  platform.answer = ({ type }) => (type === "media" ? { type: "rejected", code: "rejected", retry: { type: "never" } } : undefined);
  expect(await sentAfter(textReply("It is here\nMEDIA:a.txt"))).toEqual(["It is here\n\n📎 a.txt (this file could not be sent)"]);
});

test("a recording is sent as a voice message where there are any", async () => {
  const recording = Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(22), Buffer.from("OpusHead"), Buffer.alloc(40)]);
  const media = [...MEDIA, { kind: "audio" as const, maxBytes: 1_000 }];
  for (const [voiceMessages, expected] of [
    [true, true],
    [false, undefined],
  ] as const) {
    platform = new TestPlatform("platform", { media, voiceMessages });
    await start();
    await writeFile(inWorkspace("hello.ogg"), recording);
    await sentAfter(textReply("MEDIA:hello.ogg"));
    expect(platform.sent.map(({ outbound }) => outbound.type === "media" && [outbound.media.kind, outbound.media.voice])).toEqual([
      ["audio", expected],
    ]);
    if (voiceMessages) await running[Symbol.asyncDispose]();
  }
});

test("a file can be the whole answer, and a silent token beside it is ignored", async () => {
  await start();
  await writeFile(inWorkspace("out/a b.png"), PNG);
  expect(await sentAfter(textReply("MEDIA:out/a b.png"))).toEqual([picture]);
  expect(await sentAfter(textReply("NO_REPLY\nMEDIA:out/a b.png"))).toEqual([picture]);
});

test("a file outside the allowed folders is not sent, and the model gets the reason once", async () => {
  await start();
  await writeFile(path.join(running.home, "secret.txt"), "classified");
  await symlink(path.join(running.home, "secret.txt"), inWorkspace("link.txt"));
  await symlink(running.home, inWorkspace("up"));
  await mkdir(inWorkspace("folder"));
  const named = [
    "/etc/passwd",
    "~/a.png",
    "file:///etc/passwd",
    "../secret.txt",
    "link.txt",
    "up/secret.txt",
    "folder",
    "none.txt",
    "https://example.com/a.png",
  ];
  const text = ["See.", ...named.map((one) => `MEDIA:${one}`)].join("\n");
  const names = ["passwd", "a.png", "passwd", "secret.txt", "link.txt", "secret.txt", "folder", "none.txt", "a.png"];
  expect(await sentAfter(textReply(text))).toEqual([
    ["See.\n", ...names.map((name) => `📎 ${name} (this file could not be sent)`)].join("\n"),
  ]);
  expect(await sentAfter(textReply("I see."), textReply("No more."))).toEqual(["I see."]);
  const told = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
  for (const one of named) expect(told).toContain(`${one} was not sent: `);
  expect(told.split("/etc/passwd was not sent").length).toBe(3);
  await sentAfter();
  expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"]).split("~/a.png was not sent").length).toBe(2);
  expect(JSON.stringify(platform.sent.map(({ outbound }) => outbound))).not.toContain("classified");
});

test("files beyond the limit of one message are counted", async () => {
  await start();
  const named = Array.from({ length: 12 }, (_, index) => `MEDIA:none-${index}.txt`);
  const [said] = await sentAfter(textReply(["See.", ...named].join("\n")));
  expect(String(said).split("\n").slice(-2)).toEqual([
    "📎 none-9.txt (this file could not be sent)",
    "📎 2 more files (could not be sent)",
  ]);
});

test("a message whose only file could not be sent says so", async () => {
  await start();
  expect(await sentAfter(textReply("MEDIA:none.png"))).toEqual(["📎 none.png (this file could not be sent)"]);
});

test("a kind that the chat does not support is sent as a plain file, or by name if files are not supported", async () => {
  await start();
  await writeFile(inWorkspace("large.png"), Buffer.concat([PNG, Buffer.alloc(1_500)]));
  await writeFile(inWorkspace("huge.png"), Buffer.concat([PNG, Buffer.alloc(5_000)]));
  expect(await sentAfter(textReply("A.\nMEDIA:large.png"))).toMatchObject(["A.", { kind: "file", fileName: "large.png" }]);
  expect(await sentAfter(textReply("B.\nMEDIA:huge.png"))).toEqual(["B.\n\n📎 huge.png (this file could not be sent)"]);
});

test("a chat without file support gets the file's name and a hint", async () => {
  platform = new TestPlatform();
  await start();
  expect(await sentAfter(textReply("A.\nMEDIA:out/report.pdf"))).toEqual(["A.\n\n📎 report.pdf (this chat cannot show it)"]);
  expect(await sentAfter(textReply("MEDIA:out/report.pdf"))).toEqual(["📎 report.pdf (this chat cannot show it)"]);
});

test("web files are fetched with the chat's size limit", async () => {
  const asked: unknown[] = [];
  await start({
    remoteFiles: {
      fetch: async (url, { maxBytes }) => {
        asked.push([url, maxBytes]);
        return { type: "file", bytes: PNG, url: "https://cdn.example.com/x/a%20b.png?sig=1" };
      },
    },
  });
  expect(await sentAfter(textReply("MEDIA:https://example.com/a"))).toMatchObject([{ kind: "image", fileName: "a b.png" }]);
  expect(asked).toEqual([["https://example.com/a", 2_000]]);
});

test("the message tool sends files by the same rules, and returns refusals at once", async () => {
  await start();
  await writeFile(inWorkspace("out/a b.png"), PNG);
  const send = (input: Readonly<Record<string, string>>): ReturnType<typeof toolReply> =>
    toolReply({ name: "message", input: { action: "send", ...input } });
  expect(await sentAfter(send({ message: "Look:", media: "out/a b.png" }), textReply("NO_REPLY"))).toEqual(["Look:", picture]);
  expect(await sentAfter(send({ filePath: "out/a b.png" }), textReply("NO_REPLY"))).toEqual([picture]);
  expect(await sentAfter(send({ message: "Look:", path: "/etc/passwd" }), textReply("NO_REPLY"))).toEqual([]);
  expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).toContain("absolute paths are refused");
});

test("a disk that cannot store a file loses only the file", async () => {
  await start();
  await writeFile(inWorkspace("out/a b.png"), PNG);
  // A file occupies the path of the outbound folder.
  await mkdir(path.join(running.home, "media", "outbound"), { recursive: true });
  await writeFile(path.join(running.home, "media", "outbound", "kept"), "");
  expect(await sentAfter(textReply("Here.\nMEDIA:out/a b.png"))).toEqual(["Here.\n\n📎 a b.png (this file could not be sent)"]);
  expect((await running.store.listInputs({ state: "answered", limit: 2 })).items).toHaveLength(1);
  await sentAfter(textReply("I see."));
  expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).toContain("a b.png was not sent: the disk could not keep it");
});

test("a file that changes after it was named is sent as it was, also after a restart", async () => {
  await start();
  await writeFile(inWorkspace("out/a b.png"), PNG);
  platform.answer = ({ type }) =>
    type === "media" ? { type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 600_000 } } : undefined;
  server.script([textReply("Here.\nMEDIA:out/a b.png")]);
  await platform.say(platform.message("go on"));
  await platform.waitForSends(1);
  while (!(await running.store.listPendingOutbound({ limit: 5 })).some(({ attempts, state }) => attempts > 0 && state.type === "waiting"))
    await new Promise((resolve) => setImmediate(resolve));
  await writeFile(inWorkspace("out/a b.png"), "something else");
  const { home } = running;
  await running.stop();
  platform.answer = () => undefined;
  const soon = {
    now: () => Date.now() + 700_000,
    monotonic: () => performance.now(),
    schedule: () => ({ [Symbol.dispose]: () => undefined }),
  };
  running = await startTestGateway({ platform, home, patch: withModel(server.baseUrl), clock: soon });
  await platform.waitForSends(2);
  expect(platform.sent[1]?.outbound).toMatchObject({ type: "media", media: { fileName: "a b.png" } });
  const sent = platform.sent[1]?.outbound;
  expect(sent?.type === "media" && Buffer.from(sent.media.bytes).equals(PNG)).toBe(true);
});

test("with blocks, the files of every answer are sent at the end, each once", async () => {
  await start({
    accountConfig: { blockStreaming: true },
    patch: (config: FactotumConfig) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, blockStreamingDefault: "on" as const })) };
    },
  });
  await writeFile(inWorkspace("out/a b.png"), PNG);
  const first = {
    type: "message" as const,
    content: [
      { type: "text" as const, text: "First.\nMEDIA:out/a b.png" },
      { type: "tool_use" as const, name: "ls", input: {} },
    ],
  };
  expect(await sentAfter(first, textReply("Second.\nMEDIA:out/a b.png"))).toEqual(["First.", "Second.", picture]);
  expect(await sentAfter(first, textReply("NO_REPLY"))).toEqual(["First.", picture]);
});

test("a refused file leaves a warning in the gateway's own clients too, and the reason in the log", async () => {
  await start();
  const { engine } = running.gateway;
  using client = await TestClient.connect(running.gateway.url, running.token);
  server.script([textReply("See.\nMEDIA:/etc/passwd\nMEDIA:out/a.png")]);
  const result = await client.call("agent", { message: "go on", idempotencyKey: "k-1" });
  const reason = "/etc/passwd was not sent: absolute paths are refused; give the path from the workspace.";
  expect(result.notices).toEqual([reason]);
  const { entries } = await client.call("chat.history", { sessionKey: "agent:main:main" });
  expect(entries.at(-1)).toMatchObject({ type: "notice", level: "warning", text: reason });
  await engine.idle();
  expect(running.logger.lines.filter((line) => line.includes("A file that an answer names was not sent"))).toEqual([
    expect.stringContaining(reason),
  ]);
});
