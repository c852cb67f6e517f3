import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { checkLedger, describeLedger } from "@factotum/testing-chaos";
import type { Ledger } from "@factotum/testing-chaos";
import type { MixedEvent, MixedKind, MixedPlatform, ShownReply } from "./mixed-platform.ts";

/** An event and its outcome, as the platform saw them. Times are positions in the order of what happened. */
export interface MixedInput {
  readonly event: MixedEvent;
  isAcknowledged: boolean;
  /** The model was asked to answer it. */
  isAsked: boolean;
  /** An input of its conversation had begun a turn before it was sent: otherwise the gateway drops an event that no turn is for. */
  hasSession: boolean;
  firstSentAt: number | undefined;
  acknowledgedAt: number | undefined;
}

/** Everything that a run has recorded. */
export interface MixedRecord {
  readonly seed: number;
  readonly kills: number;
  readonly inputs: readonly MixedInput[];
  readonly home: string;
  /** Bodies of all requests to the model. */
  readonly prompts: readonly string[];
  readonly duplicates: number;
  readonly disconnects: number;
}

/** The result of a run. */
export interface MixedReport {
  /** Figures in one line, with the seed. */
  readonly summary: string;
  /** For people; empty on success. */
  readonly problems: readonly string[];
}

const CHANGES: ReadonlySet<MixedKind> = new Set(["edit", "delete", "reaction"]);
/** The gateway's notice that an answer may be missing, on channels that cannot tell. */
const UNCERTAIN = /It is not certain that a message of mine has reached you/;
/** The reason of an input whose turn was killed too often. */
const GIVEN_UP = /gateway stopped while it worked on this, \d+ times/;
/** The gateway's answer to such an input; only owners get the reason, and in no group. */
const FAILURE = /Something went wrong on my side while I worked on this message/;
const WAITS = /Your message (?:waits for its turn|comes after it)/;

/** Joins what went in with what came out: the address, the order in each conversation, and once, or what the channel declares. */
export function judgeMixed(platform: MixedPlatform, record: MixedRecord): MixedReport {
  const asked = record.inputs.filter(({ event }) => !CHANGES.has(event.kind));
  const isAtMostOnce = platform.guarantee.outbound === "at-most-once";
  const all = platform.shown;
  const notices = isAtMostOnce ? all.filter(({ text }) => UNCERTAIN.test(text)) : [];
  const shown = all.filter((reply) => !WAITS.test(reply.text) && !notices.includes(reply));
  // Such an answer names no input: it is for the oldest one of its conversation that was received and has no other, or that was sent and may have been stored without an acknowledgement.
  const named = new Set(shown.map(({ text }) => /input-\d+/.exec(text)?.[0]));
  const givenUpIn = ({ conversation, text }: ShownReply): string | undefined => {
    if (!FAILURE.test(text)) return undefined;
    const open = asked.filter(
      ({ event, firstSentAt }) => event.conversation === conversation && firstSentAt !== undefined && !named.has(event.id),
    );
    const found = open.find(({ isAsked, isAcknowledged }) => isAsked || isAcknowledged) ?? open[0];
    if (found !== undefined) named.add(found.event.id);
    return found?.event.id;
  };
  const sends = shown.map((reply) => ({
    id: `${reply.id} (${reply.text})`,
    conversation: reply.conversation,
    answers: /input-\d+/.exec(reply.text)?.[0] ?? givenUpIn(reply),
    part: 0,
    shown: true,
    onWireAtKill: false,
  }));
  const inputs = asked.map(({ event, isAcknowledged, isAsked }) => {
    const isReceived = isAcknowledged || (isAsked && platform.guarantee.inbound === "once");
    return { id: event.id, conversation: event.conversation, acknowledged: isReceived };
  });
  const ledger: Ledger = { inputs, sends, idempotentSends: true };
  const report = checkLedger(ledger);
  const { ambiguous, dead } = readGivenUp(record.home);
  // A notice in the same conversation says that an answer may be missing.
  const isDeclared = (id: string, conversation: string): boolean =>
    ambiguous.some((text) => new RegExp(`${id}\\b`).test(text)) && notices.some((notice) => notice.conversation === conversation);
  const wrong = report.verdicts.filter((verdict) => !(verdict.type === "lost" && isDeclared(verdict.input, verdict.conversation)));
  const unshown = report.verdicts.length - wrong.length;
  const missed = inputs.filter(({ acknowledged, id }) => !acknowledged && !sends.some(({ answers }) => answers === id)).length;
  const counts = Object.entries(report.counts).map(([type, count]) => `${type === "lost" ? count - unshown : count} ${type}`);
  const kinds = [...Map.groupBy(record.inputs, ({ event }) => event.kind)].map(([kind, all]) => `${all.length} ${kind}`);
  return {
    summary: [
      `${platform.name}, seed ${record.seed}: ${record.inputs.length} events (${kinds.join(", ")}), ${record.kills} kills`,
      `${record.duplicates} duplicates, ${record.disconnects} disconnects`,
      `${shown.length} replies, ${report.answered} answered once, ${counts.join(", ")}`,
      `${missed} never received, ${unshown} not repeated because they may be shown, ${notices.length} notices of that, ${shown.filter(({ text }) => FAILURE.test(text)).length} answered with a failure`,
    ].join("; "),
    problems: [
      ...(wrong.length > 0 ? [describeLedger(ledger, { ...report, verdicts: wrong })] : []),
      ...dead.filter((row) => !GIVEN_UP.test(row)).map((row) => `given up by the product: ${row}`),
      ...disorder(asked, shown),
      ...unseenEdits(record),
    ],
  };
}

/** Of two inputs of a conversation whose first was acknowledged before the second was sent, the first is answered first. Commands do not wait for turns. */
function disorder(inputs: readonly MixedInput[], shown: readonly ShownReply[]): readonly string[] {
  const place = new Map(shown.map(({ text }, index) => [/input-\d+/.exec(text)?.[0], index]));
  const turns = inputs.filter(({ event }) => event.kind !== "command");
  return turns.flatMap((first) =>
    turns.flatMap((second) => {
      const isPair = first.event.conversation === second.event.conversation && isBefore(first, second);
      const [firstAt, secondAt] = [place.get(first.event.id), place.get(second.event.id)];
      if (!isPair || firstAt === undefined || secondAt === undefined || firstAt < secondAt) return [];
      return [`${first.event.id} was answered after ${second.event.id} in ${first.event.conversation}`];
    }),
  );
}

function isBefore(first: MixedInput, second: MixedInput): boolean {
  return first.acknowledgedAt !== undefined && second.firstSentAt !== undefined && first.acknowledgedAt < second.firstSentAt;
}

/** Edits of conversations with a session that were acknowledged and that the model never saw. */
function unseenEdits({ inputs, prompts }: MixedRecord): readonly string[] {
  const edits = inputs.filter(({ event, isAcknowledged, hasSession }) => event.kind === "edit" && isAcknowledged && hasSession);
  const unseen = edits.filter(({ event }) => !prompts.some((prompt) => new RegExp(`${event.id}\\b`).test(prompt)));
  return unseen.map(({ event }) => `the model never saw the edit ${event.id} in ${event.conversation}`);
}

/** Texts of rows that may be shown and are not repeated, and rows and inputs that were given up. */
function readGivenUp(home: string): { readonly ambiguous: readonly string[]; readonly dead: readonly string[] } {
  const database = new DatabaseSync(path.join(home, "state", "factotum.sqlite"), { readOnly: true });
  try {
    const rows = database.prepare("SELECT state, payload, result FROM outbox WHERE state IN ('ambiguous', 'dead')").all();
    const inputs = database.prepare("SELECT id, reason FROM inbox WHERE state = 'dead'").all();
    const text = ({ payload }: Readonly<Record<string, unknown>>): string => String(payload);
    return {
      ambiguous: rows.filter(({ state }) => state === "ambiguous").map(text),
      dead: [
        ...rows.filter(({ state }) => state === "dead").map((row) => `${text(row)} (${String(row["result"])})`),
        ...inputs.map(({ id, reason }) => `input ${String(id)} (${String(reason)})`),
      ],
    };
  } finally {
    database.close();
  }
}
