import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSentences, type SentenceFilter } from "../source/read-sentences.ts";
import { trackedFiles } from "../source/tracked-files.ts";
import { ROOT } from "../workspace.ts";

/** Advice to run a command, which the page is not shown (`desk-error.ts`). */
const COMMAND = /\bfactotum |--\w|kill -9/;

interface Row extends SentenceFilter {
  /** Folders and files, from the root. */
  readonly in: readonly string[];
  /** Texts that no client is shown. */
  readonly leaves?: RegExp;
}

/** Where the messages come from that clients are shown: reasons of refusals, results of tests, ends of runs. */
const SOURCES: readonly Row[] = [
  { in: ["packages/gateway/src/rpc"] },
  { in: ["packages/gateway/src"], constructors: ["RpcError", "SessionRequestError", "ChannelRequestError"] },
  {
    in: [
      "access/authorize.ts",
      "agents/agent-directory.ts",
      "agents/configured-models.ts",
      "http/handle-upload.ts",
      "http/read-body.ts",
      "http/same-site.ts",
      "media/read-session-file.ts",
      "requests/test-model.ts",
      "run/run-model.ts",
      "schedule/check-spec.ts",
      "schedule/heartbeat-desk.ts",
      "schedule/job-service.ts",
      "schedule/owner-authority.ts",
      "schedule/system-events.ts",
      "storage/disk-reserve.ts",
      "subagents/subagent-control.ts",
    ].map((file) => `packages/gateway/src/${file}`),
    leaves: /^You are asked whether|^Can you be reached/,
  },
  { in: ["packages/schedule/src"] },
  { in: ["packages/schedule/src"], constructors: ["ScheduleError"] },
  { in: ["packages/gateway/src/channels/channel-inspector.ts"], phrases: true },
  {
    in: ["packages/store/src/sqlite/tables", "packages/store/src/sqlite/transactions.ts", "packages/store/src/session-file"],
    constructors: ["StoreError"],
  },
  { in: ["packages/skills/src"], constructors: ["SkillInstallError", "SkillFileError"], leaves: COMMAND },
  { in: ["packages/tools/src/file-access"] },
  {
    in: ["validate", "document", "models", "write", "suggestion.ts", "state/make-folder.ts"].map((name) => `packages/config/src/${name}`),
    phrases: true,
    leaves: /^BEGIN EXCLUSIVE$|^Factotum configuration$|^to be resolved$|^did you mean$|^Bearer/,
  },
  { in: ["packages/gateway/src/notices/failure-text.ts"], phrases: true },
  {
    in: ["packages/models/src/provider-check", "packages/models/src/errors"],
    phrases: true,
    leaves: /^Bearer |^(?:Google Gemini|Ollama \(local\)|Moonshot AI|Together AI|Fireworks AI)$/,
  },
  {
    in: ["apps/factotum/src/compose", "apps/factotum/src/commands/channel-desk.ts"],
    constructors: ["RpcError", "ChannelRequestError"],
  },
  {
    in: [
      "commands/account-access.ts",
      "commands/channel-desk.ts",
      "commands/channel-packages.ts",
      "compose/agent-changes.ts",
      "compose/create-workspace.ts",
      "compose/file-desk.ts",
      "compose/installed-packages.ts",
      "compose/note-desk.ts",
      "compose/plugin-desk.ts",
      "compose/restore-marks.ts",
      "compose/server-desk.ts",
      "compose/skill-desk.ts",
      "compose/skill-scan.ts",
      "compose/stage-package.ts",
      "compose/switch-plugins.ts",
      "extensions/installed-source.ts",
      "extensions/lock-extensions.ts",
      "extensions/npm-project.ts",
      "extensions/package-source.ts",
      "extensions/run-npm.ts",
      "extensions/stage-bundle.ts",
      "first-run",
    ].map((file) => `apps/factotum/src/${file}`),
    leaves: COMMAND,
  },
];

const catalogue = JSON.parse(readFileSync(join(ROOT, "apps/web/src/i18n/gateway-texts/errors.zh-CN.json"), "utf8")) as Record<
  string,
  string
>;

const found = SOURCES.flatMap(({ in: places, leaves, ...filter }) =>
  trackedFiles(...places)
    .filter((file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file))
    .flatMap((file) => readSentences(file, readFileSync(join(ROOT, file), "utf8"), filter).map((one) => ({ file, ...one })))
    .filter(({ template }) => leaves?.test(template) !== true),
);

test.each(SOURCES)("messages are read from each of $in", ({ in: places }) => {
  const files = new Set(found.map(({ file }) => file));
  expect(places.filter((place) => ![...files].some((file) => file.startsWith(place)))).toEqual([]);
});

test("each message that a client can be shown has its translation", () => {
  const missing = found.filter(({ template }) => catalogue[template] === undefined);
  expect(missing.map(({ file, line, template }) => `${file}:${line} ${template}`)).toEqual([]);
});

test("no translation is of a message that is not there any more", () => {
  const templates = new Set(found.map(({ template }) => template));
  expect(Object.keys(catalogue).filter((english) => !templates.has(english))).toEqual([]);
});

test("the reader finds whole messages, in all their forms", () => {
  const source = `import "Two words.";
    type T = "Two words here.";
    const limit = \`Name at least \${min} characters.\`;
    if (a === "Two words.") throw new RpcError("not-found", "There is " + (many ? "one" : "no") + " job.", { cause });
    const words = { "A key is none.": value ?? "As it is." };
    return log.info("For the log.") + "; did you mean";`;
  const templates = (filter: SentenceFilter): readonly string[] => readSentences("x.ts", source, filter).map(({ template }) => template);
  expect(templates({ except: /^log\./ })).toEqual(["Name at least {0} characters.", "There is one job.", "There is no job.", "As it is."]);
  expect(templates({ constructors: ["RpcError"] })).toEqual(["There is one job.", "There is no job."]);
  expect(templates({ phrases: true, except: /^log\./ })).toContain("{0}; did you mean");
});
