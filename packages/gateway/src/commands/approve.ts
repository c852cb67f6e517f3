import { withoutUndefined } from "@factotum/agent-contract";
import { APPROVAL_DECISIONS } from "@factotum/protocol";
import type { ApprovalDecision } from "@factotum/protocol";
import { decidedText, listedCall, listedInShared, notWaiting, requestText } from "../approvals/approval-texts.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import { parseShortCode } from "../kernel/short-code.ts";
import { defineCommand } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";

interface Approve {
  readonly id?: string;
  readonly decision?: string;
}

/** Decides on a tool call that waits. */
export const approveCommand: Command = defineCommand<Approve>({
  name: "/approve",
  summary: "<id> allow-once, allow-session, allow-always or deny decides on a tool call that waits; <id> shows it; alone it lists them",
  hint: "[ID [DECISION]]",
  access: "owner",
  parse: (words) => {
    const [id, decision, ...others] = words.trim().split(/\s+/).filter(Boolean);
    if (others.length > 0 || !/^(?:\s|$)/.test(words)) return undefined;
    return withoutUndefined({ id, decision });
  },
  changes: () => true,
  isGivenOnce: true,
  run: async ({ id, decision }, call) => {
    const { approvals } = call;
    if (id === undefined) {
      const waiting = await approvals.waiting();
      if (waiting.length === 0) return "No tool call waits for a decision.";
      return [{ type: "list", items: waiting.map(isShared(call) ? listedInShared : listedCall) }];
    }
    if (decision === undefined) return show(id, call);
    const wish = decision.toLowerCase();
    if (!isDecision(wish)) return `/approve ${id} needs a decision: ${APPROVAL_DECISIONS.join(", ")}.`;
    try {
      return decidedText(await approvals.decide(id, wish));
    } catch (error) {
      // The service's message names a command for a shell; a button of an old request is pressed in a chat.
      if (error instanceof RpcError) return error.code === "not-found" ? notWaiting(id) : error.message;
      throw error;
    }
  },
});

/** The whole request again. */
async function show(id: string, call: CommandCall): Promise<string> {
  const { approvals, channels, clock, session } = call;
  const found = (await approvals.waiting()).find((one) => one.id === parseShortCode(id));
  if (found === undefined) return notWaiting(id);
  if (isShared(call)) return listedInShared(found);
  const minutes = Math.max(1, Math.ceil((found.expiresAtMs - clock.now()) / 60_000));
  const { codeBlocks } = channels.channelFor(session.target.input.message.origin)?.capabilities.text ?? {};
  return requestText(found, { minutes, ...withoutUndefined({ codeBlocks }) });
}

/** True where others read the answer: what waits is for the owner alone. */
function isShared({ session }: CommandCall): boolean {
  return session.target.input.message.origin.conversation.kind !== "direct";
}

function isDecision(text: string | undefined): text is ApprovalDecision {
  return APPROVAL_DECISIONS.some((decision) => decision === text);
}
