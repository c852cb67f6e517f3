import type { ChatEntry, RpcMethods } from "@factotum/protocol";
import * as z from "zod";
import type { CliContext } from "../runtime/cli-context.ts";
import { foreignText, plainText, terminalText } from "../runtime/foreign-text.ts";
import { paint } from "../runtime/paint.ts";
import { relativeTime } from "../runtime/relative-time.ts";

type ShownSession = RpcMethods["sessions.show"]["result"];

/** The part of a stored origin that is shown. */
const OriginSchema = z.object({
  channel: z.string(),
  accountId: z.string(),
  conversation: z.object({ kind: z.string(), id: z.string(), threadId: z.string().optional() }),
});

/** Where the newest message of a person came from; `undefined` if no person wrote there. */
export function describeOrigin({ entry }: ShownSession): string | undefined {
  const origin = OriginSchema.safeParse(entry["origin"]).data;
  if (origin === undefined) return undefined;
  const { channel, accountId, conversation } = origin;
  const thread = conversation.threadId === undefined ? "" : `, thread ${foreignText(conversation.threadId)}`;
  return `${channel}/${accountId}, ${conversation.kind} ${foreignText(conversation.id)}${thread}`;
}

/** A session and its newest messages, oldest first, for a person's terminal. */
export function sessionSummary(cli: CliContext, shown: ShownSession, messages: readonly ChatEntry[]): string {
  const { key, label, displayName, kind, agentId, model, activeAtMs, contextTokens, totalTokens, costUsd, running } = shown.session;
  const nowMs = Date.now();
  const count = (tokens: number): string => tokens.toLocaleString("en-US");
  const cost = costUsd === undefined ? "" : `, ${costUsd.toFixed(2)} US dollars`;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["name", plainText(label ?? displayName)],
    ["kind", kind],
    ["agent", agentId],
    ["model", model],
    ["active", `${relativeTime(activeAtMs, nowMs)}${running ? ", running now" : ""}`],
    ["from", describeOrigin(shown)],
    ["tokens", `${count(contextTokens)} in the context, ${count(totalTokens)} in all${cost}`],
  ];
  return [
    paint(cli, "heading", key),
    ...facts.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(8)}${text}`])),
    "",
    ...messages.flatMap((entry) => describeEntry(cli, entry, nowMs)),
    `Everything that is stored of it: factotum sessions show ${key} --json`,
    `The whole conversation: factotum sessions export ${key}`,
    "",
  ].join("\n");
}

function describeEntry(cli: CliContext, entry: ChatEntry, nowMs: number): readonly string[] {
  const [who, text] = contentOf(entry);
  if (text.trim() === "") return [];
  const head = paint(cli, "heading", `${who}, ${relativeTime(entry.timestampMs, nowMs)}`);
  return [
    head,
    ...terminalText(text.trim())
      .split("\n")
      .map((line) => `  ${line}`.trimEnd()),
    "",
  ];
}

/** Who wrote an entry, and its text. Results of tools are left out. */
function contentOf(entry: ChatEntry): readonly [string, string] {
  switch (entry.type) {
    case "user": {
      const files = entry.attachments === undefined ? "" : `\n[${entry.attachments} attached]`;
      const sender = entry.sender === undefined ? "Person" : foreignText(entry.sender).slice(1, -1);
      return [`${sender} (${entry.channel})`, `${entry.text}${files}`];
    }
    case "assistant": {
      const tools = entry.toolCalls.map(({ name }) => `[uses ${name}]`);
      return ["Assistant", [entry.text, ...tools, entry.errorMessage ?? ""].filter((part) => part !== "").join("\n")];
    }
    case "notice":
      return ["Gateway", entry.text];
    case "tool-result":
      return ["Tool", ""];
  }
}
