import { afterEach, expect, test } from "vitest";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { gatewayText, setGatewayTexts } from "./gateway-text.ts";
import errors from "./gateway-texts/errors.zh-CN.json" with { type: "json" };
import things from "./gateway-texts/things.zh-CN.json" with { type: "json" };
import { loadCatalogue } from "./load-catalogue.ts";

const IDENTITY = (text: string): string => text;
afterEach(() => setGatewayTexts(IDENTITY));

const all: readonly (readonly [string, string])[] = [errors, things].flatMap((texts) => Object.entries<string>(texts));

test("no text has two translations where it is looked for", () => {
  expect(Object.keys(errors).filter((english) => Object.hasOwn(things, english))).toEqual([]);
});

test("each translation has the placeholders of its text, with characters between them", () => {
  const placeholders = (text: string): readonly string[] => [...new Set([...text.matchAll(/\{\d+\}/g)].map(([one]) => one))].sort();
  const wrong = all.filter(
    ([english, translation]) =>
      translation.trim() === "" || placeholders(english).join() !== placeholders(translation).join() || /\}\{/.test(english),
  );
  expect(wrong).toEqual([]);
});

test("a template has words of its own: otherwise it would describe what others say", () => {
  expect(all.filter(([english]) => !/\p{L}{2,}/u.test(english.replaceAll(/\{\d+\}/g, " ")))).toEqual([]);
});

test.each([
  [
    "a test of an account",
    "unauthorized: Telegram refused getMe: 401 Unauthorized; the token is wrong or was revoked: get the present one from @BotFather",
    "凭据被拒绝：Telegram 拒绝了 getMe：401 Unauthorized；令牌有误或已撤销：请从 @BotFather 获取当前令牌",
  ],
  [
    "what the program of a job has printed",
    'exit code 2: "There are 6 entries: it ended with exit code 2."',
    "退出码 2：“There are 6 entries: it ended with exit code 2.”",
  ],
  [
    "the state of an account",
    "messages are refused until Slack names the bot: no answer from slack.com: ETIMEDOUT; 2 messages could not be read and are lost; see the log",
    "在 Slack 给出机器人的名称之前，消息会被拒绝：slack.com 没有应答：ETIMEDOUT；有 2 条消息无法读取，已丢失；参见日志",
  ],
  [
    "what is said about a thing of the platform's",
    "Discord refused the message: 50001 Missing Access; the bot does not see this channel: give it the permission View Channel",
    "Discord 拒绝了消息：50001 Missing Access；机器人看不到此频道：请授予 View Channel 权限",
  ],
  [
    "a login with its advice and the words of the server",
    "the IMAP server imap.example.org refuses the login: check imap.user and imap.password; many providers want a password made for programs (NO [AUTH] Invalid credentials)",
    "IMAP 服务器 imap.example.org 拒绝登录：请检查 imap.user 和 imap.password；许多提供商要求使用应用专用密码（NO [AUTH] Invalid credentials）",
  ],
  [
    "the channels of a network",
    "not in the channel #a (475 Cannot join channel (+k)); not in the channel #b (not joined yet)",
    "没有加入频道 #a（475 Cannot join channel (+k)）；没有加入频道 #b（尚未加入）",
  ],
  [
    "an id and its form",
    '"@ann" has not the form of the id of a person there and matches nobody. Write it like this: the number that Telegram gives the person, such as 123456789; a @username does not count.',
    "“@ann”不符合该平台用户 ID 的形式，匹配不到任何人。请这样写：Telegram 给该用户的数字，例如 123456789；@用户名无效。",
  ],
])("what the gateway says is translated, and not what it quotes: %s", async (_what, english, chinese) => {
  expect((await loadCatalogue("zh-CN")).translate(english)).toBe(chinese);
});

test("the reason of a refusal is in the language in which the page is when it is shown", async () => {
  const error = new RpcError("not-found", 'There is no agent "nora".');
  expect(error.message).toBe('There is no agent "nora".');
  setGatewayTexts((await loadCatalogue("zh-CN")).translate);
  expect(error.message).toBe("没有智能体“nora”。");
  expect(String(error)).toBe("RpcError: 没有智能体“nora”。");
  expect(gatewayText("Nothing of the gateway's.")).toBe("Nothing of the gateway's.");
  setGatewayTexts((await loadCatalogue("en")).translate);
  expect(error.message).toBe('There is no agent "nora".');
});
