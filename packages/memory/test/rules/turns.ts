import type { ConversationTexts } from "../../src/rules/tool-outputs.ts";
import { ENGLISH, CHINESE } from "../recall/language.ts";
import type { SeededRandom } from "../recall/random.ts";

/** What an entry is, as the generator knows: only a fact belongs into the notes. */
export type Label = "fact" | "prompt" | "output" | "heartbeat" | "duplicate";

/** One turn: the entry that the model wants to add, and what the conversation holds. */
export interface Turn {
  readonly label: Label;
  readonly entry: string;
  /** Of a duplicate: the fact that it repeats. */
  readonly of?: string;
  readonly texts: ConversationTexts;
}

/** Turns of which 70 of 100 offer something else than a fact, in an order that the seed decides. */
export function generateTurns(count: number, random: SeededRandom): readonly Turn[] {
  const facts: string[] = [];
  return Array.from({ length: count }, (): Turn => {
    const kind = random.below(100);
    const texts = { outputs: [noise(random), noise(random)], said: ["Please see to it."] };
    if (kind < 30 || facts.length === 0) {
      const entry = factOf(random);
      facts.push(entry);
      return { label: "fact", entry, texts: { ...texts, said: [`Remember: ${entry}`] } };
    }
    if (kind < 50) return { label: "prompt", entry: disguised(random, promptLine(random)), texts };
    if (kind < 75) {
      const output = outputOf(random);
      return {
        label: "output",
        entry: disguised(random, partOf(random, output)),
        texts: { ...texts, outputs: [...texts.outputs, output] },
      };
    }
    if (kind < 87) return { label: "heartbeat", entry: disguised(random, random.pick(HEARTBEATS)), texts };
    const fact = random.pick(facts);
    return { label: "duplicate", entry: reworded(random, fact), of: fact, texts };
  });
}

function factOf(random: SeededRandom): string {
  const language = random.below(4) === 0 ? CHINESE : ENGLISH;
  const [scene, name] = [language.scene(random), language.name(random)];
  const detail = language.detail(random);
  return random.pick([language.named, language.prefers])(scene, `${name} ${language.name(random)}`, detail);
}

/** The same in nearly the same words. */
function reworded(random: SeededRandom, fact: string): string {
  const words = fact.split(" ");
  const changes = [
    () => fact,
    () => `${fact.replace(/[.。]$/u, "")}!`,
    () => fact.toUpperCase(),
    () => `**${fact}**`,
    () => words.toReversed().join(" "),
    () => (words.length >= 12 ? words.with(random.below(words.length), "indeed").join(" ") : fact),
  ];
  return random.pick(changes)();
}

const hex = (random: SeededRandom, length: number): string => Array.from({ length }, () => random.below(16).toString(16)).join("");
const day = (random: SeededRandom): string => `2026-0${1 + random.below(9)}-1${random.below(10)}`;

const TITLES = [
  "Sender",
  "Conversation info",
  "Replied message",
  "Daily notes",
  "Forwarded",
  "Chat history since the last reply",
  "Webhook payload",
];

function promptLine(random: SeededRandom): string {
  const id = hex(random, 12);
  const lines = [
    () => `[${id} ${random.pick(TITLES)} (untrusted)]`,
    () => `[/${id}]`,
    () => `[${id} Session hint]`,
    () => `Inbound context (trusted): {"schema":"factotum.inbound_meta.v1","delimiter":"${id}"}`,
    () => `{"schema":"factotum.inbound_meta.v1","delimiter":"${id}","chat_type":"direct"}`,
    () => `{"sender_id":"ou_${hex(random, 6)}","sender":"Anna","group_subject":"Trip"}`,
    () => `[{"sender":"Anna","timestamp_ms":17${random.below(1_000_000)},"body":"on my way"}]`,
    () => `System: [Tue ${day(random)} 10:0${random.below(10)}:00 GMT+1] The command npm test has ended.`,
    () => `[media attached ${1 + random.below(3)}/3: photo-${hex(random, 4)}.jpg (image/jpeg)]`,
    () => "[User sent media without caption]",
    () => `[Subagent Task]: look at shop ${hex(random, 4)}`,
    () => `The scheduled job "water-${hex(random, 3)}" is due. Its task: water the plants`,
    () =>
      `The older part of this conversation will soon be replaced by a summary, and its details will be lost. Add to memory/${day(random)}.md what will matter later`,
    () => `Conversation info (untrusted): chat ${hex(random, 4)}`,
    () => `AGENTS.md ${hex(random, 3)} [… cut here]`,
  ];
  return random.pick(lines)();
}

const HEARTBEATS = [
  "HEARTBEAT_OK",
  "Answered HEARTBEAT_OK at 10:30",
  "Heartbeat. If there is a HEARTBEAT.md, go through it and do what is due now. Do not resume earlier work.",
  "Heartbeat check at 10:30: inbox is empty",
  "Heartbeat ran, nothing to report",
  "NO_REPLY",
  "The last heartbeat found no changes",
  "Read HEARTBEAT.md and did what is due",
];

function outputOf(random: SeededRandom): string {
  const id = (): string => hex(random, 8);
  const outputs = [
    () => `total ${random.below(900)}\ndrwxr-xr-x 2 ada ada 4096 Mar 3 10:00 ${id()}\n-rw-r--r-- 1 ada ada 812 Mar 3 10:01 ${id()}.txt`,
    () => `Filesystem Size Used Avail Use% Mounted on\n/dev/sd${id()} 457G 1${random.below(99)}G 2${random.below(99)}G 31% /`,
    () => `CONTAINER ID IMAGE STATUS NAMES\n${id()} postgres:17 Up ${random.below(60)} minutes db-${id()}`,
    () => `commit ${hex(random, 40)}\nAuthor: Ada <ada@example.org>\nDate: Tue Mar 3 10:00:00 2026\n    fix the ${id()} parser`,
    () => `{"id":"${id()}","status":"open","total":${random.below(9_999)},"items":[1,2,3]}`,
    () => `name,city,amount\nAnna ${id()},Leipzig,${random.below(999)}\nBruno ${id()},Graz,${random.below(999)}`,
    () => `Error: ENOENT: no such file ${id()}\n    at open (node:internal/fs:42:7)\n    at load (/srv/app/${id()}.ts:12:3)`,
    () => `${day(random)} 10:00:0${random.below(10)} INFO request ${id()} took ${random.below(900)} ms`,
    () => `src/${id()}.ts:${random.below(400)}: const timeout = ${random.below(9_000)};`,
    () => `HTTP/1.1 200 OK\ncontent-type: text/html\netag: ${id()}`,
    () => `Wrote notes/${id()}.md (${random.below(9_000)} bytes)`,
    () => `Applied the patch: changed src/${id()}.ts, added src/${id()}.test.ts`,
    () => `PING ${id()}.example.org: 64 bytes, time=${random.below(90)} ms\n3 packets transmitted, 3 received, ${id()}`,
    () => `Linux host-${id()} 6.12.${random.below(90)} #1 SMP x86_64 GNU/Linux`,
    () => `${id()} 的天气：晴，气温 ${random.below(30)} 度，湿度 ${random.below(99)}%`,
  ];
  return random.pick(outputs)();
}

/** A line of an output, the whole of it, or two lines. */
function partOf(random: SeededRandom, output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  return random.pick([output, random.pick(lines.filter((line) => line.length >= 12)), lines.slice(0, 2).join("\n")]);
}

function noise(random: SeededRandom): string {
  return `checked ${hex(random, 8)}\nnothing new in ${hex(random, 8)}`;
}

/** As a model may copy it. */
function disguised(random: SeededRandom, text: string): string {
  const forms = [
    (line: string) => line,
    (line: string) => `\\${line}`,
    (line: string) => `"${line}"`,
    (line: string) => `\u200b${line}`,
    (line: string) => `> ${line}`,
  ];
  const form = random.pick(forms);
  return text.split("\n").map(form).join("\n  ");
}
