import { writeFile } from "node:fs/promises";
import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import type { AnthropicServer, MediaServer } from "@factotum/testing-providers";
import { startAnthropicServer, startMediaServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { speakableText } from "./speakable-text.ts";

const VOICE = Buffer.concat([Buffer.from("OggS\0\x02"), Buffer.alloc(20), Buffer.from("\x01\x13OpusHead\x01\x01"), Buffer.alloc(64)]);
const WAV = Buffer.concat([Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0"), Buffer.alloc(40)]);
const AUDIO = { kind: "audio", maxBytes: 1_000_000 } as const;

type Tts = FactotumConfig["messages"]["tts"];

let model: AnthropicServer;
let media: MediaServer;
let platform: TestPlatform;
const opened: AsyncDisposable[] = [];

beforeEach(async () => {
  model = await startAnthropicServer();
  media = await startMediaServer({ key: "sk-media" });
  media.respond(() => ({ type: "bytes", mimeType: "audio/ogg", bytes: VOICE }));
  platform = new TestPlatform("platform", { media: [AUDIO], voiceMessages: true });
});
afterEach(async () => {
  expect(model.violations).toEqual([]);
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
  await model.close();
});

async function start(tts: Partial<Tts>, options: NonNullable<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> {
  const mouth = { api: "openai-chat", baseUrl: media.baseUrl, apiKey: { type: "literal", value: "sk-media" } } as const;
  const running = await startTestGateway({
    platform,
    patch: (config) => {
      const { models, messages, ...rest } = withModel(model.baseUrl)(config);
      const providers = { ...models.providers, mouth: { ...mouth, credentials: {}, models: [], timeouts: {} } };
      return {
        ...rest,
        models: { ...models, providers },
        messages: { ...messages, tts: { ...messages.tts, provider: "mouth/tts-1", ...tts } },
      };
    },
    accountConfig: { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open" },
    ...options,
  });
  opened.push(running);
  return running;
}

/** What the chat gets: texts, and files by kind. */
async function ask(answer: string, sends: number, extra: Partial<MsgContext> = {}): Promise<readonly unknown[]> {
  model.respond(() => textReply(answer));
  const before = platform.sent.length;
  await platform.say(platform.message("hello", extra));
  await platform.waitForSends(before + sends);
  return platform.sent.slice(before).map(({ outbound }) => {
    if (outbound.type === "text") return outbound.text;
    return outbound.type === "media"
      ? [outbound.media.kind, outbound.media.voice ?? false, Buffer.from(outbound.media.bytes)]
      : outbound.type;
  });
}

const warnings = ({ gateway }: TestGateway): readonly string[] => gateway.engine.parts.mediaProblems.list().map(({ text }) => text);

describe("always", () => {
  test("an answer is a voice message in place of its text, without markup", async () => {
    await start({ auto: "always", voice: "nova" });
    expect(await ask("**Good** _morning_", 1)).toEqual([["audio", true, VOICE]]);
    expect(media.requests[0]?.fields).toMatchObject({ model: "tts-1", input: "Good morning", voice: "nova", response_format: "opus" });
  });

  test("what cannot be said aloud is read: the text goes too", async () => {
    await start({ auto: "always" });
    expect(await ask("Run this:\n```sh\nrm x\n```", 2)).toEqual(["Run this:\n```sh\nrm x\n```", ["audio", true, VOICE]]);
    expect(media.requests[0]?.fields["input"]).toBe("Run this:");
  });

  test("a long answer is spoken up to maxChars, and sent as text", async () => {
    await start({ auto: "always", maxChars: 20 });
    expect(await ask("One sentence. Another sentence.", 2)).toEqual(["One sentence. Another sentence.", ["audio", true, VOICE]]);
    expect(media.requests[0]?.fields["input"]).toBe("One sentence.");
  });

  test("other audio than Opus in Ogg is a file beside the text", async () => {
    await start({ auto: "always" });
    media.respond(() => ({ type: "bytes", mimeType: "audio/wav", bytes: WAV }));
    expect(await ask("Hi", 2)).toEqual(["Hi", ["audio", false, WAV]]);
  });

  test("a chat without files gets the text, and nothing is spoken", async () => {
    platform = new TestPlatform();
    await start({ auto: "always" });
    expect(await ask("Hi", 1)).toEqual(["Hi"]);
    expect(media.requests).toEqual([]);
  });

  test.each([
    ["an error", { type: "json", status: 500, body: { error: { message: "no voice today" } } }, "no voice today"],
    ["a page", { type: "page", html: "<h1>hi</h1>" }, "web page"],
    ["JSON in place of audio", { type: "json", body: { ok: true } }, "in place of audio"],
  ] as const)("with %s of the provider the text is sent, and the owner learns the reason", async (_name, reply, reason) => {
    const running = await start({ auto: "always" });
    media.respond(() => reply);
    expect(await ask("Hi", 1)).toEqual(["Hi"]);
    expect(warnings(running)).toEqual([expect.stringContaining(reason)]);
    media.respond(() => ({ type: "bytes", mimeType: "audio/ogg", bytes: VOICE }));
    await ask("Hi", 1);
    expect(warnings(running)).toEqual([]);
  });

  test("a recording that the platform refuses is sent as text", async () => {
    await start({ auto: "always" });
    platform.answer = ({ type }) =>
      type === "media" ? { type: "rejected", code: "rejected", message: "no", retry: { type: "never" } } : undefined;
    const [text] = await ask("Good morning", 1);
    expect(text).toContain("Good morning");
  });
});

test("inbound speaks answers to voice messages alone", async () => {
  await start({ auto: "inbound" });
  expect(await ask("Hi", 1)).toEqual(["Hi"]);
  expect(await ask("Hi", 1, { attachments: [platform.attachment(VOICE, { kind: "audio", voice: true })] })).toEqual([
    ["audio", true, VOICE],
  ]);
});

test("tagged speaks the answers that the model marks, and the mark is not shown or said", async () => {
  await start({ auto: "tagged" });
  expect(await ask("Hi", 1)).toEqual(["Hi"]);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("[[tts]]");
  expect(await ask("Write `[[tts]]` first", 1)).toEqual(["Write `[[tts]]` first"]);
  expect(await ask("[[tts]] Good night", 1)).toEqual([["audio", true, VOICE]]);
  expect(media.requests.map(({ fields }) => fields["input"])).toEqual(["Good night"]);
});

test("/tts chooses for one conversation, and says what is missing", async () => {
  const running = await start({ auto: "off" });
  expect(await ask("Hi", 1)).toEqual(["Hi"]);
  const command = async (text: string): Promise<unknown> => {
    const before = platform.sent.length;
    await platform.say(platform.message(text));
    await platform.waitForSends(before + 1);
    const { outbound } = platform.sent[before] ?? {};
    return outbound?.type === "text" ? outbound.text : outbound;
  };
  expect(await command("/tts always")).toBe("From the next message on: every answer is spoken.");
  expect(await ask("Hi", 1)).toEqual([["audio", true, VOICE]]);
  expect(await command("/tts loud")).toContain("/tts takes off, always, inbound, tagged or default");
  expect(await command("/tts default")).toContain("answers are not spoken");
  expect(await ask("Hi", 1)).toEqual(["Hi"]);
  const { config } = running.gateway.engine.parts.running;
  await running.gateway.reload(running.settings({ ...config, messages: { ...config.messages, tts: { auto: "off", maxChars: 4000 } } }));
  expect(await command("/tts always")).toContain("the owner has to set messages.tts.provider");
  expect(await ask("Hi", 1)).toEqual(["Hi"]);
});

describe("espeak-ng", () => {
  const ended = { output: "no such voice", outputBytes: 0, durationMs: 1 } as const;

  test("reads the text from a file and writes the audio to one", async () => {
    let args: readonly string[] = [];
    await start(
      { auto: "always", provider: "espeak-ng", voice: "de" },
      {
        hostCommands: {
          run: async ({ command }) => {
            if (command.type === "argv") args = [command.file, ...command.args];
            await writeFile(args.at(-1) ?? "", WAV);
            return { ...ended, end: { type: "exited", exitCode: 0 } };
          },
        },
      },
    );
    expect(await ask("Hi", 2)).toEqual(["Hi", ["audio", false, WAV]]);
    expect(args).toEqual(["espeak-ng", "-v", "de", "-f", expect.stringMatching(/\/text$/), "-w", expect.stringMatching(/\/audio\.wav$/)]);
  });

  test.each([
    [{ type: "not-started", message: "ENOENT" }, "install the package espeak-ng"],
    [{ type: "exited", exitCode: 1 }, "no such voice"],
    [{ type: "timed-out" }, "timed-out"],
  ] as const)("the end %o leaves the text, and a reason", async (end, reason) => {
    const running = await start({ auto: "always", provider: "espeak-ng" }, { hostCommands: { run: async () => ({ ...ended, end }) } });
    expect(await ask("Hi", 1)).toEqual(["Hi"]);
    expect(warnings(running)).toEqual([expect.stringContaining(reason)]);
  });
});

test.each([
  ["# Title\n\nSome *text* and `code`.", "Title\n\nSome text and code.", true],
  ["- one\n- two", "one\ntwo", true],
  ["See [the page](https://example.com/x).", "See the page.", false],
  ["https://example.com/x", "", false],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "", false],
  ["![cat](cat.png)", "", false],
  ["> quoted **words**", "quoted words", true],
])("of %j is said %j", (markdown, text, isWhole) => {
  expect(speakableText(markdown, 4000)).toEqual({ text, isWhole });
});
