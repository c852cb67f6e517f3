import { messageId } from "@factotum/channel-contract";
import type { ChannelHost, Origin, SendOptions, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, raceAbort, rejectedReceipt, textProblem } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import { A2A_CAPABILITIES } from "../capabilities.ts";
import type { A2aConfig } from "../config.ts";
import { GivenUp, toReceipt } from "../errors.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { derivedId } from "../tasks/task-id.ts";
import { isOpen } from "../tasks/task-record.ts";
import type { TaskRecord, TaskText } from "../tasks/task-record.ts";

/** Puts texts into the tasks that they answer; one that answers none becomes an ended task of its own, which the peer finds in its list. */
export function createSender({ peers }: A2aConfig, { book, host }: { readonly book: TaskBook; readonly host: ChannelHost }): Sender {
  const queue = createSendQueue(host, { toReceipt });

  const add = async (peer: string, text: string, target: Origin, options: SendOptions): Promise<SendReceipt> => {
    const { idempotencyKey, replyContext, endsTurn } = options;
    const textId = derivedId("text", peer, idempotencyKey);
    const asked = replyContext === undefined ? undefined : await book.get(peer, replyContext);
    const task = asked ?? (await book.get(peer, derivedId("unasked", peer, idempotencyKey)));
    const accepted: SendReceipt = { type: "accepted", messageIds: [messageId(textId)] };
    // The peer wants nothing more of a task that it has cancelled.
    if (task?.phase === "canceled" || task?.texts.some(({ id }) => id === textId) === true) return accepted;
    const nowMs = host.clock.now();
    const isNew = task === undefined;
    const before: TaskRecord = task ?? {
      id: derivedId("unasked", peer, idempotencyKey),
      contextId: target.conversation.threadId ?? derivedId("unasked-context", peer),
      phase: "completed",
      createdAtMs: nowMs,
      changedAtMs: nowMs,
      texts: [],
    };
    await book.store(peer, withText(before, { id: textId, text, endsTurn, nowMs }), { isNew });
    return accepted;
  };

  return {
    send(target, outbound, options) {
      const peer = target.conversation.id;
      return queue.run({ key: peer, outbound, signal: options.signal }, async ({ signal }) => {
        if (outbound.type !== "text") return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
        if (outbound.onlyFor !== undefined) return rejectedReceipt("rejected", "this channel shows no message to one person alone");
        if (!Object.hasOwn(peers, peer)) return rejectedReceipt("not-found", "there is no such peer");
        const problem = textProblem(outbound.text, A2A_CAPABILITIES.text);
        if (problem !== undefined) return problem;
        const adding = book.exclusively(peer, () => add(peer, outbound.text, target, options));
        return raceAbort(adding, { signal }).catch((error: unknown) => {
          throw signal.aborted && error === signal.reason ? new GivenUp("given up", { cause: error }) : error;
        });
      });
    },
    stop: (options) => queue.stop(options),
  };
}

/** A task with another text. An ended task keeps its state. */
function withText(
  task: TaskRecord,
  { id, text, endsTurn, nowMs }: TaskText & { readonly nowMs: number; readonly endsTurn: SendOptions["endsTurn"] },
): TaskRecord {
  if (!isOpen(task)) return { ...task, changedAtMs: nowMs, texts: [...task.texts, { id, text }] };
  if (endsTurn === "failed" || endsTurn === "aborted") return { ...task, changedAtMs: nowMs, phase: "failed", note: text };
  const phase = endsTurn === "done" ? "completed" : "working";
  return { ...task, changedAtMs: nowMs, phase, texts: [...task.texts, { id, text }] };
}
