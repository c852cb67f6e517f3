import { expect, test } from "vitest";
import { readModules } from "../source/module-graph.ts";
import { workspaceFolders } from "../workspace.ts";

/**
 * Platforms whose names may occur only in their own extension, in `apps/factotum` and in tests. Names that are also common words (signal, line, email, webhook) are not
 * listed. WebChat is not a foreign platform: its socket is the gateway's own.
 */
const PLATFORMS = new Set([
  "feishu",
  "lark",
  "telegram",
  "slack",
  "discord",
  "whatsapp",
  "wechat",
  "dingtalk",
  "mattermost",
  "msteams",
  "imessage",
  "googlechat",
  ...workspaceFolders().flatMap((folder) => /^extensions\/(?!(?:email|webchat|webhook)$)(.+)$/.exec(folder)?.[1] ?? []),
]);

/** Literals that name a platform as an example in a sentence for people. */
const EXAMPLES = new Set(["channel:id is expected, such as feishu:ou_881e, or channel/account:id"]);

/** What checks and makes the signatures of webhooks, whose schemes and headers have the names of their platforms. */
const SIGNATURES = new Set([
  "packages/config/src/schema/webhooks.ts",
  "packages/gateway/src/webhooks/sign-request.ts",
  "packages/gateway/src/webhooks/verify-request.ts",
]);

/** Splits a name or a text into words: `larkDomain` is lark and domain, `slack-mrkdwn` is slack and mrkdwn. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u);
}

const shared = readModules("packages", "apps/web", "apps/bench").filter(
  ({ isTest, folder, file }) => !isTest && !folder.startsWith("packages/testing-") && !SIGNATURES.has(file),
);

test("no platform is named outside its extension, the composition root and tests", () => {
  expect(shared.length).toBeGreaterThan(250);
  const named = shared.flatMap(({ file, identifiers, literals }) =>
    [...identifiers, ...literals.filter(({ text }) => !EXAMPLES.has(text))]
      .filter(({ text }) => wordsOf(text).some((word) => PLATFORMS.has(word)))
      .map(({ text, line }) => `${file}:${line} ${text}`),
  );
  expect(named).toEqual([]);
});

/** The table of adapters that a bridge to other platforms was tested with. */
const KNOWN_ADAPTERS = "extensions/chat-sdk/src/known-adapters.ts";

test("no extension names another platform", () => {
  const named = readModules("extensions")
    .filter(({ file, isTest }) => !isTest && file !== KNOWN_ADAPTERS)
    .flatMap(({ file, folder, identifiers, literals }) => {
      const own = ownNames(folder.split("/")[1] ?? "");
      return [...identifiers, ...literals]
        .filter(({ text }) => wordsOf(text).some((word) => PLATFORMS.has(word) && !own.includes(word)))
        .map(({ text, line }) => `${file}:${line} ${text}`);
    });
  expect(named).toEqual([]);
});

test("names are recognised inside other names", () => {
  expect(wordsOf("larkDomain")).toContain("lark");
  expect(wordsOf("TELEGRAM_TOKEN")).toContain("telegram");
  expect(wordsOf("isSlackMessage")).toContain("slack");
  expect(wordsOf("slackening")).not.toContain("slack");
});

/** Lark is the international name of Feishu: one SDK, one extension. */
function ownNames(extension: string): string[] {
  return extension === "feishu" ? ["feishu", "lark"] : [extension];
}
