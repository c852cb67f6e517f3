import type { UsageTotals } from "@factotum/agent-contract";
import type { SpendRecord } from "@factotum/store";
import type { CommandAnswer } from "../notices/notice-text.ts";
import { changesNothing, defineCommand, parseNothing } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";

/** Shows the usage of the conversation. */
export const usageCommand: Command = defineCommand({
  name: "/usage",
  summary: "show what this conversation has used",
  access: "anyone",
  parse: parseNothing,
  changes: changesNothing,
  run: (_, call) => usageText(call),
});

/** The answer of `/usage`: the usage of the conversation since its start, and for the owner the agent's usage today. */
async function usageText({ session, store, clock }: CommandCall): Promise<CommandAnswer> {
  const { record, agent } = await session.read();
  const own = record === undefined || record.usage.calls === 0 ? "This conversation has used nothing yet." : conversationLine(record.usage);
  if (!session.target.input.admission.owner) return own;
  const day = agent.time.day(clock.now());
  const spent = await store.readSpend(day, agent.config.id);
  if (spent.length === 0) return own;
  return [
    { type: "text", text: own },
    { type: "text", text: `Today the agent ${agent.config.id} has used:` },
    { type: "list", items: spent.map(causeLine) },
  ];
}

function conversationLine({ calls, input, output, cacheRead, cacheWrite, costUsd }: UsageTotals): string {
  const read = input + cacheRead + cacheWrite;
  return `This conversation has used ${times(calls)}: ${count(read)} tokens read, ${count(cacheRead)} of them from the cache, and ${count(output)} written${cost(costUsd)}.`;
}

function causeLine({ cause, calls, tokens, costUsd }: SpendRecord): string {
  return `${cause}: ${times(calls)}, ${count(tokens)} tokens${cost(costUsd)}`;
}

function times(calls: number): string {
  return `${count(calls)} model ${calls === 1 ? "call" : "calls"}`;
}

function cost(costUsd: number | undefined): string {
  return costUsd === undefined ? "" : `, ${costUsd.toFixed(4)} US dollars`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
