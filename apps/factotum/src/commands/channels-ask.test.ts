import { ChatSdkConfigSchema } from "@factotum/chat-sdk";
import { accountJsonSchema } from "@factotum/config";
import { EmailConfigSchema } from "@factotum/email";
import { TelegramConfigSchema } from "@factotum/telegram";
import { afterEach, beforeEach, expect, test } from "vitest";
import type * as z from "zod";
import { CliHome } from "../../test/cli.ts";
import { writeInstalled } from "../../test/extension-package.ts";
import { ScriptedPrompts, type ScriptedAnswer } from "../../test/scripted-prompts.ts";

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(async () => home[Symbol.asyncDispose]());

/** An extension that accepts what its JSON Schema accepts. */
const ENTRY = `
export const pigeonExtension = {
  id: "pigeon", api: 1, create: () => { throw new Error("it is not started here"); },
  configSchema: { parse: (config) => config, safeParse: (data) => ({ success: true, data }) },
};
`;

const install = async (schema: z.ZodType): Promise<void> => {
  await writeInstalled(home.factotumHome, [{ schema: JSON.stringify(accountJsonSchema(schema)), entry: ENTRY }]);
};

interface Answered {
  readonly code: number | null;
  readonly prompts: ScriptedPrompts;
}

const answer = async (channel: string, answers: readonly ScriptedAnswer[]): Promise<Answered> => {
  const prompts = new ScriptedPrompts(answers);
  const { code } = await home.runWith({ prompts: async () => prompts }, "channels", "add", channel);
  return { code, prompts };
};

const written = async (): Promise<unknown> =>
  (JSON.parse((await home.run("config", "get", "channels.pigeon", "--json")).stdout) as { value: unknown }).value;

test("a terminal asks again for what is refused, with the answer before, and for nothing else", async () => {
  const { code, prompts } = await answer("feishu", [
    [/^appId: .* \[\]$/, "cli_demo"],
    [/^appSecret: /, "secret-one"],
    [/^transport\.type: /, "websocket"],
    [/^appId: .* \[cli_demo\]$/, "cli_0123456789abcdef"],
  ]);
  expect([code, prompts.left]).toEqual([0, []]);
  expect(prompts.said).toEqual([expect.stringContaining("channels.feishu.appId: the App ID is expected")]);
  expect(await home.read("credentials/feishu-default-appSecret")).toBe("secret-one\n");
});

test("a terminal asks for the transport of Telegram, and proposes its default", async () => {
  await install(TelegramConfigSchema);
  const { code, prompts } = await answer("pigeon", [
    [/^token: /, "123456:abcdefghijklmnopqrstuvwxyz0123456789"],
    [/^transport\.type: .* \[polling\]$/, "webhook"],
    [/^transport\.secretToken: /, "secret-token-of-16"],
  ]);
  expect([code, prompts.left]).toEqual([0, []]);
  expect(await written()).toEqual({
    token: { file: "credentials/pigeon-default-token" },
    transport: { type: "webhook", secretToken: { file: "credentials/pigeon-default-transport-secretToken" } },
  });
});

const MAILBOX = ["address=a@example.org", "imap.host=imap.example.org", "imap.user=a", "imap.password=p", "smtp.host=smtp.example.org"];
const flagsOf = (pairs: readonly string[]): readonly string[] => pairs.flatMap((pair) => ["--set", pair]);

test("an e-mail account without senderVerification is told of it, and flags can set it", async () => {
  await install(EmailConfigSchema);
  const { code, stdout } = await home.run("channels", "add", "pigeon", ...flagsOf(MAILBOX));
  expect([code, stdout]).toEqual([0, expect.stringContaining("Not set: channels.pigeon.senderVerification. How senders are proved.")]);
  await home.run("channels", "remove", "pigeon");
  const set = await home.run("channels", "add", "pigeon", ...flagsOf([...MAILBOX, "senderVerification.authservId=mx.example.org"]));
  expect([set.code, set.stdout.includes("Not set")]).toEqual([0, false]);
  expect(await written()).toMatchObject({ senderVerification: { authservId: "mx.example.org" } });
});

const OPTIONS = { mode: "webhook", limits: { perMinute: 5 }, botToken: { file: "credentials/pigeon-default-options-botToken" } };

test("flags set the options of an adapter one by one, with its secrets in files", async () => {
  await install(ChatSdkConfigSchema);
  const options = ["options.mode=webhook", "options.botToken=12345", "options.limits.perMinute=5"];
  expect((await home.run("channels", "add", "pigeon", ...flagsOf(["adapter=@chat-adapter/x", ...options]))).code).toBe(0);
  expect(await written()).toEqual({ adapter: "@chat-adapter/x", options: OPTIONS });
  expect(await home.read("credentials/pigeon-default-options-botToken")).toBe("12345\n");
  await home.run("channels", "remove", "pigeon");
  await expect(home.read("credentials/pigeon-default-options-botToken")).rejects.toThrow("ENOENT");
});

test("a terminal asks for the options of an adapter until an empty name, and does not show its secrets", async () => {
  await install(ChatSdkConfigSchema);
  const { code, prompts } = await answer("pigeon", [
    [/^adapter: /, "@chat-adapter/x"],
    [/^options: The options of the adapter .* Name of the first, or nothing \[\]$/, "mode"],
    [/^options\.mode \[\]$/, "webhook"],
    [/^options: name of the next, or nothing \[\]$/, "botToken"],
    // A password has no initial text.
    [/^options\.botToken$/, "12345"],
    [/^options: name of the next/, "limits.perMinute"],
    [/^options\.limits\.perMinute/, "5"],
    [/^options: name of the next/, ""],
  ]);
  expect([code, prompts.left]).toEqual([0, []]);
  expect(await written()).toEqual({ adapter: "@chat-adapter/x", options: OPTIONS });
});
