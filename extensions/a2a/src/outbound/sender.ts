import { messageId } from "@factotum/channel-contract";
import type { ChannelHost, Media, MessageId, Origin, Outbound, SendOptions, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, raceAbort, rejectedReceipt, textProblem } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import { A2A_CAPABILITIES } from "../capabilities.ts";
import type { A2aConfig } from "../config.ts";
import { GivenUp, toReceipt } from "../errors.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { MAX_FILE_BYTES } from "../tasks/task-files.ts";
import type { TaskFiles } from "../tasks/task-files.ts";
import { derivedId } from "../tasks/task-id.ts";
import { isOpen } from "../tasks/task-record.ts";
import type { TaskRecord, TaskText } from "../tasks/task-record.ts";

/** A text for a peer: a new one, or the whole of one that was sent before. */
interface SentText {
  readonly targetId?: MessageId | undefined;
  readonly text: string;
  readonly isGrowing: boolean;
  readonly media?: Media;
}

/** Puts texts into the tasks that they answer; one that answers none becomes an ended task of its own, which the peer finds in its list. */
export function createSender(
  { peers }: A2aConfig,
  { book, files, host }: { readonly book: TaskBook; readonly files: TaskFiles; readonly host: ChannelHost },
): Sender {
  const queue = createSendQueue(host, { toReceipt });

  const add = async (peer: string, sent: SentText, target: Origin, options: SendOptions): Promise<SendReceipt> => {
    const { idempotencyKey, replyContext, endsTurn } = options;
    const textId = derivedId("text", peer, idempotencyKey);
    const asked = replyContext === undefined ? undefined : await book.get(peer, replyContext);
    const task = asked ?? (await book.get(peer, derivedId("unasked", peer, idempotencyKey)));
    const id = task?.id ?? derivedId("unasked", peer, idempotencyKey);
    const accepted: SendReceipt = { type: "accepted", messageIds: [sentId(id, textId)] };
    // The peer wants nothing more of a task that it has cancelled.
    if (task?.phase === "canceled" || task?.texts.some((text) => text.id === textId) === true) return accepted;
    const nowMs = host.clock.now();
    const isNew = task === undefined;
    const before: TaskRecord = task ?? {
      id,
      contextId: target.conversation.threadId ?? derivedId("unasked-context", peer),
      phase: "completed",
      createdAtMs: nowMs,
      changedAtMs: nowMs,
      texts: [],
    };
    const kept = await withKeptFile(textId, sent, { peer, files });
    await book.store(peer, withText(before, kept, { endsTurn, nowMs }), { isNew });
    return accepted;
  };

  const change = async (peer: string, targetId: MessageId, sent: SentText, { endsTurn }: SendOptions): Promise<SendReceipt> => {
    const [taskId = "", textId = ""] = targetId.split("/");
    const task = await book.get(peer, taskId);
    if (task?.texts.some(({ id }) => id === textId) !== true) return rejectedReceipt("not-found", "the text to change is not there");
    if (task.phase !== "canceled")
      await book.store(peer, withText(task, textOf(textId, sent), { endsTurn, nowMs: host.clock.now() }), { isNew: false });
    return { type: "accepted", messageIds: [targetId] };
  };

  return {
    send(target, outbound, options) {
      const peer = target.conversation.id;
      return queue.run({ key: peer, outbound, signal: options.signal }, async ({ signal }) => {
        const sent = sentText(outbound);
        if (sent === undefined) return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
        if (outbound.type === "text" && outbound.onlyFor !== undefined)
          return rejectedReceipt("rejected", "this channel shows no message to one person alone");
        if (!Object.hasOwn(peers, peer)) return rejectedReceipt("not-found", "there is no such peer");
        const problem = textProblem(sent.text, A2A_CAPABILITIES.text);
        if (problem !== undefined) return problem;
        if ((sent.media?.bytes.length ?? 0) > MAX_FILE_BYTES)
          return rejectedReceipt("too-long", `a file has at most ${MAX_FILE_BYTES} bytes here`);
        const { targetId } = sent;
        const adding = book.exclusively(peer, () =>
          targetId === undefined ? add(peer, sent, target, options) : change(peer, targetId, sent, options),
        );
        return raceAbort(adding, { signal }).catch((error: unknown) => {
          throw signal.aborted && error === signal.reason ? new GivenUp("given up", { cause: error }) : error;
        });
      });
    },
    stop: (options) => queue.stop(options),
  };
}

function sentText(outbound: Outbound): SentText | undefined {
  switch (outbound.type) {
    case "text":
      return { text: outbound.text, isGrowing: false };
    case "stream":
      return { targetId: outbound.targetId, text: outbound.text, isGrowing: !outbound.isLast };
    case "edit":
      return { targetId: outbound.targetId, text: outbound.text, isGrowing: false };
    case "media":
      return { text: `📎 ${outbound.media.fileName ?? outbound.media.mimeType}`, isGrowing: false, media: outbound.media };
    default:
      return undefined;
  }
}

/** Names a text together with its task, so that it is found when it changes. */
function sentId(taskId: string, textId: string): MessageId {
  return messageId(`${taskId}/${textId}`);
}

function textOf(id: string, { text, isGrowing }: SentText): TaskText {
  return { id, text, ...(isGrowing && { isGrowing }) };
}

/** The text of a file whose bytes are kept. Where the account's state has no room for them, the peer learns of the file. */
async function withKeptFile(
  id: string,
  sent: SentText,
  { peer, files }: { readonly peer: string; readonly files: TaskFiles },
): Promise<TaskText> {
  const { text, media } = sent;
  if (media === undefined) return textOf(id, sent);
  try {
    await files.put(peer, id, media.bytes);
  } catch (error) {
    if (error instanceof RangeError) return { id, text: `${text} (this file could not be sent)` };
    throw error;
  }
  const { mimeType, fileName } = media;
  return { id, text: `${text} (no longer kept)`, file: { mimeType, ...(fileName !== undefined && { fileName }) } };
}

/** A task with another text, or with one that has changed. An ended task keeps its state. */
function withText(
  task: TaskRecord,
  text: TaskText,
  { endsTurn, nowMs }: { readonly nowMs: number; readonly endsTurn: SendOptions["endsTurn"] },
): TaskRecord {
  const isKnown = task.texts.some(({ id }) => id === text.id);
  const texts = isKnown ? task.texts.map((one) => (one.id === text.id ? text : one)) : [...task.texts, text];
  if (!isOpen(task)) return { ...task, changedAtMs: nowMs, texts };
  if (!isKnown && (endsTurn === "failed" || endsTurn === "aborted"))
    return { ...task, changedAtMs: nowMs, phase: "failed", note: text.text };
  return { ...task, changedAtMs: nowMs, phase: endsTurn === undefined ? "working" : endsTurn === "done" ? "completed" : "failed", texts };
}
