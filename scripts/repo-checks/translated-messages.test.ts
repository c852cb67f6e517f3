import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSentences, type SentenceFilter } from "../source/read-sentences.ts";
import { trackedFiles } from "../source/tracked-files.ts";
import { ROOT } from "../workspace.ts";

/** Advice to run a command, which the page is not shown (`service-error.ts`). */
const COMMAND = /\bfactotum |--\w|kill -9/;
/** Titles and descriptions of keys begin with a capital letter; the catalogue of the settings has them. */
const DESCRIPTION = /^[\p{Lu}`]/u;
/** Names and texts for programs. */
const NO_MESSAGE =
  /^(?:BEGIN EXCLUSIVE|Factotum configuration|Bearer .*|Google Gemini|Ollama \(local\)|Moonshot AI|Together AI|Fireworks AI|to be resolved|did you mean)$/;
/** What a model is asked. */
const QUESTION = /^You are asked whether|^Can you be reached|^Do this with the skill/;
/** What a model is told in a tool's result, and a command for the terminal. */
const FOR_MODEL = /^No one can be asked|was not answered|^The gateway has not started|factotum /;
const LOG = /\b(?:log|logger)\.\w+$/;
/** Titles and descriptions of an account's settings, which the catalogue of the settings has. */
const ACCOUNT_SETTING = /^[\p{Lu}`]|\.$/u;
/** What a webhook answers the platform, and a line of the log. */
const HTTP_ANSWER = /^(?:stopped|not stored), send it again$|^POST only$|^the body |^this event belongs|^event ignored$/;
const ACCOUNT_SCHEMAS: readonly string[] = [
  "a2a",
  "chat-sdk",
  "discord",
  "email",
  "feishu",
  "irc",
  "matrix",
  "slack",
  "telegram",
  "webhook",
].map((channel) => `${channel}/src/config.ts`);

interface Row extends SentenceFilter {
  readonly folder: string;
  /** Folders and files in it; all by default. */
  readonly in?: readonly string[];
  /** Texts that no client is shown. */
  readonly leaves?: RegExp;
}

/** Where the messages come from that clients are shown: reasons of refusals, results of tests, ends of runs, warnings. */
const SOURCES: readonly Row[] = [
  { folder: "packages/gateway/src/rpc" },
  { folder: "packages/gateway/src", constructors: ["RpcError"] },
  {
    folder: "packages/gateway/src",
    in: [
      "access/authorize.ts",
      "agents/agent-directory.ts",
      "agents/configured-models.ts",
      "commands",
      "delivery/wait-notices.ts",
      "http/admit-request.ts",
      "http/handle-upload.ts",
      "http/read-body.ts",
      "http/same-site.ts",
      "media/read-session-file.ts",
      "requests",
      "run/run-model.ts",
      "schedule/check-spec.ts",
      "schedule/heartbeat-service.ts",
      "schedule/job-service.ts",
      "schedule/owner-authority.ts",
      "schedule/system-events.ts",
      "spend",
      "storage",
      "subagents/subagent-control.ts",
      "turn/turn-conclusion.ts",
    ],
    leaves: QUESTION,
    except: LOG,
  },
  {
    folder: "packages/gateway/src",
    in: ["approvals/approval-texts.ts", "approvals/questions.ts", "focus/session-focus.ts"],
    leaves: FOR_MODEL,
    except: LOG,
  },
  {
    folder: "packages/gateway/src",
    in: [
      "channels/channel-inspector.ts",
      "channels/channel-supervisor.ts",
      "delivery/dispatcher.ts",
      "delivery/expired-row.ts",
      "delivery/row-sender.ts",
      "notices/failure-text.ts",
      "rpc/send-test-message.ts",
      "schedule/job-outcome.ts",
      "schedule/job-programs.ts",
      "schedule/job-runner.ts",
      "schedule/owner-target.ts",
      "status/gateway-warnings.ts",
    ],
    phrases: true,
    except: LOG,
  },
  { folder: "packages/schedule/src" },
  { folder: "packages/schedule/src", constructors: ["ScheduleError"] },
  { folder: "packages/store/src", in: ["sqlite/tables", "sqlite/transactions.ts", "session-file"], constructors: ["StoreError"] },
  { folder: "packages/skills/src", constructors: ["SkillInstallError", "SkillFileError"], leaves: COMMAND },
  {
    folder: "packages/skills/src/install",
    in: ["entry-path.ts", "read-folder.ts", "read-tar.ts", "read-zip.ts", "skill-source.ts", "staged-files.ts"],
    phrases: true,
    leaves: COMMAND,
  },
  { folder: "packages/plugin-mcp/src/oauth", constructors: ["LoginError"] },
  {
    folder: "packages/channel-kit/src",
    in: [
      "bot-identity.ts",
      "cached-lookup.ts",
      "card-rows.ts",
      "command-registrar.ts",
      "connection-supervisor.ts",
      "error-classifier.ts",
      "failure-line.ts",
      "http-client.ts",
      "poller.ts",
      "sdk-fetch.ts",
      "send-in-parts.ts",
      "send-problems.ts",
      "send-queue.ts",
      "unreadable-events.ts",
      "unstored-health.ts",
      "web-socket.ts",
      "webhook-health.ts",
      "webhook-receiver.ts",
    ],
    phrases: true,
    leaves: HTTP_ANSWER,
    except: LOG,
  },
  { folder: "packages/tools/src/file-access" },
  { folder: "packages/config/src/schema", phrases: true, leaves: DESCRIPTION },
  {
    folder: "packages/config/src",
    in: [
      "describe-command-policy.ts",
      "document",
      "load-config.ts",
      "models",
      "package-servers.ts",
      "secrets",
      "state/make-folder.ts",
      "state/missing-config.ts",
      "suggestion.ts",
      "validate",
      "write",
    ],
    phrases: true,
    leaves: NO_MESSAGE,
  },
  {
    folder: "packages/models/src",
    in: [
      "check-window.ts",
      "create-model-client.ts",
      "default-model.ts",
      "errors",
      "failover/failover-plan.ts",
      "media",
      "model-info.ts",
      "ollama",
      "provider-check",
      "stream/judge-finish.ts",
      "stream/stream-message.ts",
      "transport",
    ],
    phrases: true,
    leaves: NO_MESSAGE,
  },
  { folder: "apps/factotum/src", in: ["compose", "admin"], constructors: ["RpcError"] },
  {
    folder: "apps/factotum/src",
    in: [
      "accounts",
      "compose/agent-changes.ts",
      "compose/create-workspace.ts",
      "compose/installed-packages.ts",
      "compose/skill-scan.ts",
      "compose/stage-package.ts",
      "compose/switch-plugins.ts",
      "admin",
      "extensions/id-forms.ts",
      "extensions/installed-source.ts",
      "extensions/lock-extensions.ts",
      "extensions/npm-project.ts",
      "extensions/package-source.ts",
      "extensions/run-npm.ts",
      "extensions/stage-bundle.ts",
      "first-run",
    ],
    leaves: COMMAND,
  },
  { folder: "extensions", in: ACCOUNT_SCHEMAS, phrases: true, leaves: ACCOUNT_SETTING },
  {
    folder: "extensions/a2a/src",
    in: ["errors.ts", "http/endpoint.ts", "outbound/sender.ts"],
    phrases: true,
    leaves:
      /^this channel \{0\}$|^too many requests|^the body |^GET\b|^given up$|^(?:stopped|the message).*send it again$|\((?:no longer kept|this file could not be sent)\)$/,
    except: LOG,
  },
  {
    folder: "extensions/chat-sdk/src",
    in: [
      "adapter/adapter-session.ts",
      "adapter/call-adapter.ts",
      "adapter/find-adapter.ts",
      "adapter/load-adapter.ts",
      "channel.ts",
      "errors.ts",
      "known-adapters.ts",
      "outbound",
      "transport",
    ],
    phrases: true,
    leaves: /^(?:stopped|not stored|not handled), |^the body |^the adapter (?:took too long|cannot read)/,
    except: LOG,
  },
  {
    folder: "extensions/discord/src",
    in: [
      "api",
      "channel.ts",
      "command-menu.ts",
      "context/directory.ts",
      "context/guild-roles.ts",
      "context/places.ts",
      "errors.ts",
      "gateway",
      "outbound",
      "snowflake.ts",
    ],
    phrases: true,
    leaves: /^HTTP \{0\}$|^View Channel$|^discord event$|^the request$|^not stored$|^the file is on|^what follows|^too many events/,
    except: LOG,
  },
  {
    folder: "extensions/email/src",
    in: [
      "errors.ts",
      "inbound/accept-mail.ts",
      "inbound/loop-guard.ts",
      "inbound/prove-sender.ts",
      "login",
      "outbound/deliver-mail.ts",
      "outbound/sender.ts",
      "probe.ts",
      "transport",
    ],
    phrases: true,
    leaves: /^(?:AUTH|user=)|^its (?:headers|texts)|^it is (?:gone|one of)|^it exceeds|^a thread is kept/,
    except: LOG,
  },
  {
    folder: "extensions/feishu/src",
    in: ["api", "context/lookups.ts", "outbound", "transport"],
    phrases: true,
    leaves: /^HTTP \{0\}$|^application\/json|^<at/,
    except: LOG,
  },
  {
    folder: "extensions/irc/src",
    in: ["connection", "errors.ts", "network", "outbound"],
    phrases: true,
    leaves: /^@label=|^sasl failed$|^socket close$/,
    except: LOG,
  },
  {
    folder: "extensions/matrix/src",
    in: [
      "api",
      "channel.ts",
      "context/directory.ts",
      "context/known-events.ts",
      "errors.ts",
      "outbound",
      "rooms/direct-rooms.ts",
      "rooms/room-book.ts",
      "rooms/upgraded-room.ts",
      "transport",
    ],
    phrases: true,
    leaves: /^(?:\{0\}: )?HTTP \{\d\}$|^Bearer|^<a |^the file$|^this is not the address/,
    except: LOG,
  },
  {
    folder: "extensions/slack/src",
    in: ["api", "context/lookups.ts", "outbound", "transport"],
    phrases: true,
    leaves: /^HTTP \{0\}$|^Bearer|^application\/json|^the file /,
    except: LOG,
  },
  {
    folder: "extensions/telegram/src",
    in: ["api", "channel.ts", "errors.ts", "outbound", "transport"],
    phrases: true,
    leaves: /^HTTP \{0\}$|^<a |^the Bot API server|^the file is not|^it is not a part/,
    except: LOG,
  },
  { folder: "extensions/webchat/src", in: ["channel.ts", "errors.ts", "outbound"], phrases: true, leaves: /webhook\.$|^The attachment / },
  { folder: "extensions/webhook/src", in: ["api", "outbound", "signature.ts", "transport"], phrases: true },
];

function catalogue(name: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(ROOT, `apps/web/src/i18n/gateway-texts/${name}.zh-CN.json`), "utf8")) as Record<string, string>;
}

const errors = catalogue("errors");
const known = { ...catalogue("things"), ...errors };

const found = SOURCES.flatMap(({ folder, in: places = [""], leaves, ...filter }) =>
  trackedFiles(...places.map((place) => join(folder, place)))
    .filter((file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file))
    .flatMap((file) => readSentences(file, readFileSync(join(ROOT, file), "utf8"), filter).map((one) => ({ file, ...one })))
    .filter(({ template }) => leaves?.test(template) !== true),
);

test.each(SOURCES)("messages are read from each of $folder $in", ({ folder, in: places = [""] }) => {
  const files = [...new Set(found.map(({ file }) => file))];
  expect(places.filter((place) => !files.some((file) => file.startsWith(join(folder, place))))).toEqual([]);
});

test("messages are read from each channel", () => {
  const channels = new Set(trackedFiles("extensions").map((file) => file.split("/").slice(0, 3).join("/")));
  const rows = SOURCES.map(({ folder }) => folder);
  expect([...channels].filter((folder) => folder.endsWith("/src") && !rows.includes(folder))).toEqual([]);
});

test("each message that a client can be shown has its translation", () => {
  const missing = found.filter(({ template }) => known[template] === undefined);
  expect(missing.map(({ file, line, template }) => `${file}:${line} ${template}`)).toEqual([]);
});

test("no translation is of a message that is not there any more", () => {
  const templates = new Set(found.map(({ template }) => template));
  expect(Object.keys(errors).filter((english) => !templates.has(english))).toEqual([]);
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
