import type { NoteEntry } from "../entries/note-entries.ts";

/** What an entry is, instead of something to remember. */
export type Junk =
  /** The gateway's own frame around a message: block headers, facts of a turn, tasks. */
  | "prompt"
  /** What a tool has answered, as it was. */
  | "output"
  /** The text of a heartbeat, or that there was nothing to report. */
  | "heartbeat"
  /** A word that means silence. */
  | "silence";

/** What hides the beginning of a line, or its end: invisible characters, spaces, backslashes and quotation marks. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const FRAME: ReadonlySet<string> = new Set("\\>\"'`*_“”„| \t\u00a0");

/** What shows that a line is output stands at its beginning. */
const MAX_HEAD_CHARS = 400;

const TITLES =
  "conversation info|sender|replied message|thread starter|thread history - for context|chat history since the last reply|forwarded|daily notes|webhook payload|further context";

const PROMPT: readonly RegExp[] = [
  /^inbound context \(trusted\)/iu,
  /\[\/?[0-9a-f]{12}(?: [^\]\n]{0,200})?\]/iu,
  new RegExp(`\\b(?:${TITLES}) \\(untrusted\\)`, "iu"),
  /"schema"\s*:\s*"factotum\./u,
  /^\[(?:media attached|user sent media|subagent (?:context|task)|plugin context|\[?bootstrap|summary)\b/iu,
  /^system: \[[^\]]*\d{4}/iu,
  /^the scheduled job ".*" is due/iu,
  /^the older part of this conversation will soon be replaced/iu,
  /^your last run was (?:stopped on request|cut short by a restart)/iu,
  /^the user has started a new conversation\. if agents\.md/iu,
  /^to send a file back, write `?media:/iu,
  /^project context holds only a part of the files/iu,
  /^(?:- )?\S+: \d+ of \d+ characters \((?:file|total) limit\)/iu,
  /\[(?:…|\.{3}) cut here\]/u,
];

const HEARTBEAT: readonly RegExp[] = [
  /HEARTBEAT_OK/u,
  /^heartbeat[.:]?$/iu,
  /^heartbeat\. if there is a heartbeat\.md/iu,
  /^read heartbeat\.md/iu,
  /^heartbeat(?:s)? (?:check|run|turn|poll|report|at \d)/iu,
  /\bheartbeat\b.{0,60}\b(?:nothing|no (?:change|changes|news|alerts?)|all (?:quiet|clear|good|well)|ok)\b/iu,
];

const SILENCE = /\b(?:NO_REPLY|__SILENT__|REPLY_SKIP|ANNOUNCE_SKIP)\b/u;

const OUTPUT: readonly RegExp[] = [
  /^(?:wrote .+ \(\d[\d,]* bytes?\)|edited .+ \(\d+ replacements?\)|applied the patch: |saved as .+ \(\d|queued for .+ on )/iu,
  /^\[?(?:tool[ _](?:result|output|call)s?|stdout|stderr|command output)\b\]?\s*:?/iu,
  /^\(?(?:exit|exited|ended)(?: with)?(?: code| status)?\s*:?\s*-?\d+\)?\.?$/iu,
  /^(?:\$ \S|[\w.-]+@[\w.-]+:[~/]\S*[$#] )/u,
  /^(?:total \d+$|[bcdlps-][rwxsStT-]{9}[.+@]?\s+\d+\s)/u,
  /^(?:at .+[(:].*:\d+:\d+\)?$|traceback \(most recent call last\)|file ".+", line \d+)/iu,
  /^(?:diff --git |index [0-9a-f]{7,}\.\.[0-9a-f]{7,}|@@ -\d+|--- a\/|\+\+\+ b\/|commit [0-9a-f]{40})/u,
  /^\[?\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}:\d{2}[.,\dz+:-]*\]?\s+\[?(?:trace|debug|info|warn(?:ing)?|error|fatal)\b/iu,
  /^HTTP\/\d(?:\.\d)? \d{3}\b/u,
  /^<(?:!doctype|html|head|body|div|table|script|span)\b/iu,
  /^[\w./-]+\.\w{1,6}:\d+(?::\d+)?:/u,
  /^(?:npm (?:err!|warn|error)|error ts\d+|[✓✗×✔✖] |(?:pass|fail) \S+\.\w+)/iu,
];

/** Why an entry is nothing to remember; `undefined` if it may be. Goes by its form alone, so that what only resembles a fact is not found. */
export function junkOf({ text, isCode }: Pick<NoteEntry, "text" | "isCode">): Junk | undefined {
  const lines = text
    .split("\n")
    .map((line) => line.normalize("NFKC").replace(UNSEEN, ""))
    .map(withoutFrame);
  const some = (patterns: readonly RegExp[]): boolean => lines.some((line) => patterns.some((pattern) => pattern.test(line)));
  if (some(PROMPT)) return "prompt";
  if (some(HEARTBEAT)) return "heartbeat";
  if (some([SILENCE])) return "silence";
  // A command or an example that is worth keeping.
  if (isCode) return undefined;
  // On a long line some of the patterns would take very long.
  const isOutput = lines.map((line) => line.slice(0, MAX_HEAD_CHARS)).some((line) => OUTPUT.some((pattern) => pattern.test(line)));
  return isOutput || lines.some(isJson) || isJson(text) ? "output" : undefined;
}

/** By characters: a pattern for the end of a line would take the square of its length. */
function withoutFrame(line: string): string {
  let [start, end] = [0, line.length];
  while (start < end && FRAME.has(line.charAt(start))) start += 1;
  while (end > start && FRAME.has(line.charAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

function isJson(text: string): boolean {
  if (!/^[[{].*[\]}],?$/su.test(text.trim())) return false;
  try {
    JSON.parse(text.trim().replace(/,$/u, ""));
    return true;
  } catch {
    return false;
  }
}
