import type { FactotumConfig } from "@factotum/config";
import type { SessionOverrides } from "@factotum/store";
import { DROP_POLICIES, QUEUE_MODES, resolveQueueSettings } from "../queue/queue-settings.ts";
import type { QueueSettings } from "../queue/queue-settings.ts";
import type { TargetSession } from "./command-target.ts";
import { defineCommand } from "./define-command.ts";
import type { Command } from "./define-command.ts";

/** Shows or sets how messages are queued while the assistant works. */
export const queueCommand: Command = defineCommand<{ readonly words: readonly string[] }>({
  name: "/queue",
  summary:
    "show what happens to messages that come while I work; /queue steer, followup, collect or interrupt chooses, /queue default undoes that",
  hint: "[steer | followup | collect | interrupt | default] [debounce:2s] [cap:20] [drop:summarize | old | new]",
  words: ["steer", "followup", "collect", "interrupt", "default"],
  access: "anyone",
  parse: (written) => {
    const found = /^(?:[ \t]+(\S.*))?$/.exec(written);
    const words = (found?.[1] ?? "").split(/[ \t]+/).filter((word) => word !== "");
    return found !== null && isQueueWish(words) ? { words } : undefined;
  },
  changes: ({ words }) => words.length > 0,
  run: ({ words }, { session, running }) => chooseQueue(session, words, running.config),
});

type QueueOverride = NonNullable<SessionOverrides["queue"]>;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const MAX_DEBOUNCE_MS = 10 * 60_000;
const MAX_CAP = 1000;
const USAGE = `/queue takes ${QUEUE_MODES.join(", ")} or default, and debounce:2s, cap:20, drop:${DROP_POLICIES.join("|")}.`;

/** The answer of `/queue`, after it has applied the setting. */
async function chooseQueue(session: TargetSession, words: readonly string[], config: FactotumConfig): Promise<string> {
  if (words.length === 0) return `${await settingsLine(session, config)}\n${USAGE}`;
  if (words.length === 1 && words[0]?.toLowerCase() === "default") {
    await session.choose({ queue: null });
    return `From the next message on: ${await settingsLine(session, config)}`;
  }
  const wish = parseQueueWords(words);
  if (typeof wish === "string") return `${wish} ${USAGE}`;
  const { record } = await session.read();
  await session.choose({ queue: { ...record?.overrides.queue, ...wish } });
  return `From the next message on: ${await settingsLine(session, config)}`;
}

/** True for text that only `/queue` can mean; with other text after it the message is an ordinary one. */
function isQueueWish(words: readonly string[]): boolean {
  const [first, ...rest] = words;
  return rest.every((word) => OPTION.test(word)) && (rest.length === 0 || OPTION.test(first ?? "") || isMode(first?.toLowerCase()));
}

const OPTION = /^(debounce|cap|drop):(\S+)$/i;

/** The parsed setting, or the error. */
function parseQueueWords(words: readonly string[]): QueueOverride | string {
  let wish: QueueOverride = {};
  for (const word of words) {
    const [, name = "", value = ""] = OPTION.exec(word) ?? [];
    const chosen = name === "" ? parseMode(word) : parseOption(name.toLowerCase(), value.toLowerCase());
    if (chosen === undefined) return `"${word}" is not understood.`;
    wish = { ...wish, ...chosen };
  }
  return wish;
}

function parseMode(word: string): QueueOverride | undefined {
  const mode = word.toLowerCase();
  return isMode(mode) ? { mode } : undefined;
}

function isMode(word: string | undefined): word is QueueSettings["mode"] {
  return QUEUE_MODES.some((mode) => mode === word);
}

function parseOption(name: string, value: string): QueueOverride | undefined {
  if (name === "drop") {
    const drop = DROP_POLICIES.find((known) => known === value);
    return drop === undefined ? undefined : { drop };
  }
  const [, digits = "", unit = "ms"] = /^(\d{1,6})(ms|s|m)?$/.exec(value) ?? [];
  if (digits === "") return undefined;
  const count = Number(digits);
  if (name === "cap") return value === digits && count >= 1 && count <= MAX_CAP ? { cap: count } : undefined;
  const debounceMs = count * (UNIT_MS[unit] ?? 1);
  return debounceMs <= MAX_DEBOUNCE_MS ? { debounceMs } : undefined;
}

async function settingsLine(session: TargetSession, config: FactotumConfig): Promise<string> {
  const { record } = await session.read();
  const override = record?.overrides.queue;
  const settings = resolveQueueSettings(config.messages.queue, { channel: session.target.input.message.origin.channel, override });
  const origin = override === undefined ? "as configured" : "as it was chosen for this conversation";
  return `queue ${settings.mode}, ${origin}: ${MEANING[settings.mode](settings)} At most ${settings.cap} wait; ${BEYOND[settings.drop]}`;
}

const MEANING: Readonly<Record<QueueSettings["mode"], (settings: QueueSettings) => string>> = {
  steer: () => "what you say while I work I hear after my next step.",
  followup: () => "what you say while I work is answered one by one afterwards.",
  collect: ({ debounceMs }) =>
    `what you say while I work is answered together, once you have been quiet for ${(debounceMs / 1000).toLocaleString("en")} s.`,
  interrupt: () => "what you say while I work ends that work and comes next.",
};

const BEYOND: Readonly<Record<QueueSettings["drop"], string>> = {
  summarize: "of more I hear the oldest in a line each.",
  old: "of more the oldest are dropped, and their senders are told.",
  new: "more are not taken, and their senders are told.",
};
