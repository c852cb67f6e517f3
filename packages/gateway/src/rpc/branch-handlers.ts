import { withoutUndefined } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import { createKeyedQueue } from "@factotum/channel-kit";
import type { AttachmentRef, MsgContext, Origin } from "@factotum/channel-contract";
import type { MessageVersions, RpcMethod, SentVersion } from "@factotum/protocol";
import { StoreError } from "@factotum/store";
import type { EntryVersions, SessionRecord, TranscriptEntry } from "@factotum/store";
import { toChatEntry } from "../delivery/chat-entries.ts";
import type { Engine } from "../engine/engine.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import { readSessionFile } from "../media/read-session-file.ts";
import { sessionOrigin } from "../routing/session-origin.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { SessionTasks } from "../sessions/session-tasks.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** Entries of a conversation in which the newest message of the person is looked for. */
const LOOK_BACK = 200;
const MAX_TEXT_CHARS = 200;

type BranchMethod = "chat.edit" | "chat.regenerate" | "chat.branches" | "chat.branch";
type AsideEntry = Extract<TranscriptEntry, { type: "ui-message" }>;
type UserEntry = Extract<TranscriptEntry, { type: "message" }> & { readonly message: { readonly role: "user" } };

/** The methods that send a message of the person again, or show another version of it: branches of the transcript. */
export function branchHandlers(engine: Engine): RpcHandlersOf<Extract<RpcMethod, BranchMethod>> {
  const { sessions, parts } = engine;
  /** Versions of one conversation are taken one by one: each finds the work of the one before. */
  const sendings = createKeyedQueue();
  const sessionOf = async (asked: string): Promise<SessionRecord> => {
    const sessionKey = await sessions.resolveRecipient({ sessionKey: asked });
    const session = await parts.store.readSession(sessionKey);
    if (session === undefined) throw new RpcError("not-found", `There is no session "${sessionKey}".`);
    return session;
  };
  return {
    "chat.edit": async ({ sessionKey, entryId, text, idempotencyKey }) => {
      const session = await sessionOf(sessionKey);
      return sendings.run(session.key, async () => {
        const aside = await asideOf(engine, session, entryId);
        if (aside !== undefined) return sendNew(engine, session, { aside, text, idempotencyKey });
        return sendVersion(engine, session, { entryId, text, idempotencyKey });
      });
    },
    "chat.regenerate": async ({ sessionKey, entryId, idempotencyKey }) => {
      const session = await sessionOf(sessionKey);
      return sendings.run(session.key, async () => {
        if ((await asideOf(engine, session, entryId)) !== undefined)
          throw new RpcError("invalid-request", "The model was not given this message, so it has no answer. Send it as a new message.");
        return sendVersion(engine, session, { entryId, idempotencyKey });
      });
    },
    "chat.branches": async ({ sessionKey }) => {
      const session = await sessionOf(sessionKey);
      const branches: MessageVersions[] = [];
      for (const found of await parts.store.readVersions(session.sessionId)) branches.push(await describeVersions(engine, found));
      return { branches };
    },
    "chat.branch": async ({ sessionKey, entryId }) => {
      const { key, sessionId } = await sessionOf(sessionKey);
      checkIdle(engine, key);
      const tasks = new SessionTasks({ queue: parts.queue, stopper: sessions.stopper });
      const changed = await tasks.runQueued(key, async () => {
        return toRequestErrors(parts.conversations.chooseBranch(key, { sessionId, entryId }));
      });
      return { sessionKey: key, changed };
    },
  };
}

/**
 * Sends another version of a message, with its own text by default. A version that was sent before under the same key is not sent again, whatever the conversation
 * is doing.
 */
async function sendVersion(
  engine: Engine,
  session: SessionRecord,
  { entryId, idempotencyKey, ...said }: { readonly entryId?: string | undefined; readonly text?: string; readonly idempotencyKey: string },
): Promise<SentVersion> {
  const { parts } = engine;
  const { key: sessionKey, sessionId } = session;
  const origin = pageOrigin(engine, sessionKey);
  if ((await parts.store.findInput({ origin, eventId: idempotencyKey })) !== undefined) return { sessionKey, status: "duplicate" };
  // Before the message is looked for: a version that begins has no message yet.
  checkIdle(engine, sessionKey);
  const entry = await ownMessage(engine, session, entryId);
  const text = said.text ?? textOf(entry);
  const files = entry.message.parts?.files ?? [];
  const attachments: AttachmentRef[] = [];
  for (const { id, kind, name } of files) {
    const file = await readSessionFile({ id, sessionKey }, parts);
    if (file === undefined) continue;
    const ref = await parts.media.uploads.put(file.bytes);
    attachments.push({ kind, ref, ...withoutUndefined({ fileName: name, mimeType: file.imageType }) });
  }
  if (text === "" && attachments.length === 0)
    throw new RpcError("invalid-request", "Nothing of this message is left that could be sent again.");
  const message = ownersMessage(engine, { origin, text, idempotencyKey, attachments });
  // A message of another client may have come meanwhile.
  checkIdle(engine, sessionKey);
  const branch = { sessionId, before: entry.id };
  // Words and files of others in it stay theirs, also after an edit (R23).
  const tainted = entry.message.tainted === true ? ({ tainted: true } as const) : {};
  const { status } = await engine.submit(message, { owner: true, kind: "user", ownTurn: true, sessionKey, branch, ...tainted });
  const leftOut = files.length - attachments.length;
  return { sessionKey, status, ...(leftOut === 0 ? {} : { leftOut }) };
}

/** Sends an edited aside: there is nothing before it from which a branch could begin. */
async function sendNew(
  engine: Engine,
  { key: sessionKey }: SessionRecord,
  { aside, text, idempotencyKey }: { readonly aside: AsideEntry; readonly text: string; readonly idempotencyKey: string },
): Promise<SentVersion> {
  if (text.trim() === "") throw new RpcError("invalid-request", "The message is empty. Write something, and send it again.");
  const message = ownersMessage(engine, { origin: pageOrigin(engine, sessionKey), text, idempotencyKey, attachments: [] });
  const { status } = await engine.submit(message, { owner: true, kind: "user", ownTurn: true, sessionKey });
  return { sessionKey, status, isNew: true, ...withoutUndefined({ leftOut: aside.attachments }) };
}

function ownersMessage(
  { parts }: Engine,
  {
    idempotencyKey,
    ...said
  }: Pick<MsgContext, "origin" | "text" | "attachments"> & {
    readonly idempotencyKey: string;
  },
): MsgContext {
  return {
    ...said,
    eventId: idempotencyKey,
    messageId: messageId(idempotencyKey),
    timestampMs: parts.clock.now(),
    event: { type: "message" },
    sender: { id: "owner", isBot: false },
    mentionsBot: true,
  };
}

/** The address of the page's messages, in which the answer stays. */
function pageOrigin({ parts }: Engine, sessionKey: string): Origin {
  const page = parts.channels.instances().find(({ capabilities }) => capabilities.addressing === "session-key");
  if (page === undefined) return sessionOrigin(sessionKey);
  return { channel: page.channel, accountId: page.accountId, conversation: { kind: "direct", id: sessionKey } };
}

function checkIdle({ parts }: Engine, sessionKey: string): void {
  if (parts.queue.lanes.isBusy(sessionKey))
    throw new RpcError("conflict", "The conversation is being answered. Stop the answer, or wait for it, and try again.");
}

/** The message with the id, or the newest one. */
async function ownMessage(engine: Engine, session: SessionRecord, entryId: string | undefined): Promise<UserEntry> {
  return entryId === undefined ? newestOwn(engine, session) : readOwn(engine, session, entryId);
}

async function newestOwn(engine: Engine, { sessionId }: SessionRecord): Promise<UserEntry> {
  const { items } = await engine.parts.store.readTranscript(sessionId, { limit: LOOK_BACK, exceptSilent: true });
  const entry = items.findLast(isPersons);
  if (entry === undefined) throw new RpcError("not-found", "This conversation has no message that could be answered again.");
  return checkOwn(engine, entry);
}

async function readOwn(engine: Engine, { sessionId }: SessionRecord, entryId: string): Promise<UserEntry> {
  const entry = await engine.parts.store.readEntry(entryId);
  if (entry?.sessionId !== sessionId || !isPersons(entry))
    throw new RpcError(
      "not-found",
      `This conversation has no message ${entryId}. It may have been reset since: send the text as a new message.`,
    );
  return checkOwn(engine, entry);
}

/** The entry, if it is one that only clients show. */
async function asideOf({ parts }: Engine, { sessionId }: SessionRecord, entryId: string | undefined): Promise<AsideEntry | undefined> {
  const entry = entryId === undefined ? undefined : await parts.store.readEntry(entryId);
  return entry?.type === "ui-message" && entry.sessionId === sessionId ? entry : undefined;
}

/** The message of another person, or of another session, would get the owner's authority. */
async function checkOwn({ parts }: Engine, entry: UserEntry): Promise<UserEntry> {
  const turn = entry.turnId === undefined ? undefined : await parts.store.readTurn(entry.turnId);
  if (turn?.owner !== true || !RUN_POLICY[turn.kind].isFromPerson)
    throw new RpcError("invalid-request", "Only your own messages can be sent again.");
  return entry;
}

function isPersons(entry: TranscriptEntry): entry is UserEntry {
  return entry.type === "message" && entry.message.role === "user" && toChatEntry(entry)?.type === "user";
}

function textOf(entry: TranscriptEntry): string {
  const shown = toChatEntry(entry);
  return shown?.type === "user" ? shown.text : "";
}

async function describeVersions({ parts }: Engine, { entryIds, shownId }: EntryVersions): Promise<MessageVersions> {
  const versions: MessageVersions["versions"][number][] = [];
  for (const entryId of entryIds) {
    const entry = await parts.store.readEntry(entryId);
    if (entry === undefined) continue;
    const text = textOf(entry);
    const cut = text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
    versions.push({ entryId, timestampMs: entry.timestampMs, text: cut, isShown: entryId === shownId });
  }
  return { versions };
}

async function toRequestErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!StoreError.isInstance(error) || (error.code !== "not-found" && error.code !== "invalid")) throw error;
    throw new RpcError(error.code === "invalid" ? "conflict" : "not-found", error.message, { cause: error });
  }
}
