import { messageId } from "@factotum/channel-contract";
import type { AttachmentRef, MsgContext } from "@factotum/channel-contract";
import type { ChatEvent } from "@factotum/protocol";
import type { InputAdmission } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage } from "@factotum/agent-contract";
import { readHistory } from "../../context/read-history.ts";
import type { Engine } from "../../engine/engine.ts";
import { RpcError } from "../../kernel/rpc-error.ts";
import { matchSessionKey } from "../../sessions/match-session-key.ts";
import { agentSessionKey, isSessionKey, keyPart, parseAgentSessionKey } from "../../routing/session-key.ts";
import type { RunReport } from "../../queue/run-report.ts";
import { RunReasoning } from "../run-reasoning.ts";
import { RunText } from "../run-text.ts";
import { AnswerQueue } from "./answer.ts";
import type { Answer, AnswerEnd } from "./answer.ts";
import type { CompletionCaller } from "./completion-caller.ts";
import { refuseWrongResults } from "./client-tools.ts";
import { CompletionRequestError } from "./completion-request-error.ts";
import { decodeHeaderText, encodeHeaderText } from "./header-text.ts";
import type { CompletionRequest } from "./parse-request.ts";

/** Lifetime of a session that the client did not name. */
const ANONYMOUS_SESSION_TTL_MS: number = 24 * 60 * 60 * 1000;

/** Runs an agent's turn in a session. Throws a `CompletionRequestError` for an invalid session. */
export async function answerInSession(
  caller: CompletionCaller,
  completion: CompletionRequest,
  agentId: string,
  engine: Engine,
): Promise<Answer> {
  const { random, clock, events, hideSecrets } = engine.parts;
  const target = await targetSession(caller.session, completion, agentId, engine);
  if (completion.results.length > 0)
    refuseWrongResults(target.anonymous ? completion.history : await readConversation(target.sessionKey, engine), completion.results);
  const id = random.uuid();
  const nowMs = clock.now();
  const message: MsgContext = {
    origin: { channel: "http", accountId: "default", conversation: { kind: "direct", id: target.sessionKey } },
    eventId: id,
    messageId: messageId(id),
    timestampMs: nowMs,
    event: { type: "message" },
    sender: { id: "owner", isBot: false },
    text: completion.text,
    mentionsBot: true,
    attachments: await keepImages(completion, engine),
  };
  const admission: InputAdmission = {
    owner: true,
    kind: "user",
    ownTurn: true,
    sessionKey: target.sessionKey,
    agentId: target.agentId,
    ...(caller.showsReasoning ? { showThoughts: true } : {}),
    ...withoutUndefined({ extra: completion.extra }),
    ...(completion.tools.length === 0 ? {} : { clientTools: completion.tools }),
    ...(completion.results.length === 0 ? {} : { clientResults: completion.results }),
    ...(target.anonymous ? { history: completion.history, expiresAtMs: nowMs + (caller.anonymousTtlMs ?? ANONYMOUS_SESSION_TTL_MS) } : {}),
  };
  const queue = new AnswerQueue();
  let text: RunText | undefined;
  let reasoning: RunReasoning | undefined;
  const subscription = events.subscribe(target.sessionKey, (event: ChatEvent) => {
    queue.push({ type: "withdrawal", characters: reasoning?.withdrawn(event) ?? 0 });
    queue.push({ type: "reasoning", text: reasoning?.push(event) ?? "" });
    queue.push({ type: "text", text: text?.push(event) ?? "" });
  });
  const notice = (said: string): void => {
    subscription[Symbol.dispose]();
    queue.push({ type: "notice", text: said });
  };
  const submitted = engine.submit(message, admission, {
    onClaimed: (claimed) => {
      text = new RunText(claimed);
      if (caller.showsReasoning) reasoning = new RunReasoning(claimed, hideSecrets);
    },
    onReport: (report) => {
      subscription[Symbol.dispose]();
      queue.push(endOf(report));
    },
    onAnswered: notice,
    onSettled: notice,
  });
  // A refused request has nothing to show.
  submitted.catch(() => subscription[Symbol.dispose]());
  const { inputId } = await submitted;
  const cancel = async (): Promise<void> => engine.cancelInput(target.sessionKey, { inputId, reason: "the client closed the connection" });
  // A disconnected client is not notified of the abort.
  if (caller.signal.aborted) void cancel();
  else caller.signal.addEventListener("abort", () => void cancel(), { once: true });
  return { id: inputId, headers: { "x-factotum-session": encodeHeaderText(target.sessionKey) }, events: queue, cancel };
}

function endOf(report: RunReport): AnswerEnd {
  const { outcome, stopReason, usage, failureText } = report;
  if (outcome.type === "done") return { type: "done", stopReason, usage, calls: outcome.clientCalls ?? [] };
  return { type: "failed", outcome, message: outcome.type === "failed" ? failureText : "The run was stopped." };
}

async function readConversation(sessionKey: string, { parts }: Engine): Promise<readonly AgentMessage[]> {
  const record = await parts.store.readSession(sessionKey);
  return record === undefined ? [] : (await readHistory(record.sessionId, parts)).messages;
}

/** The images are on disk before their message is committed: a turn after a crash finds them. */
async function keepImages({ images }: CompletionRequest, { parts }: Engine): Promise<readonly AttachmentRef[]> {
  const kept: AttachmentRef[] = [];
  for (const { bytes, mimeType } of images)
    kept.push({ kind: "image", ref: await parts.media.uploads.put(bytes), mimeType, sizeBytes: bytes.length });
  return kept;
}

/** A sub-agent that has ended takes no messages. */
async function checkRecipient(sessionKey: string, { sessions }: Engine): Promise<void> {
  try {
    await sessions.resolveRecipient({ sessionKey });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new CompletionRequestError(error.message, { status: 404, param: null, code: "invalid_session" });
  }
}

async function targetSession(
  header: string | undefined,
  completion: CompletionRequest,
  agentId: string,
  engine: Engine,
): Promise<{ readonly sessionKey: string; readonly agentId: string; readonly anonymous: boolean }> {
  const { running, random, store } = engine.parts;
  const { agents } = running;
  if (header !== undefined && header.trim() !== "") {
    const key = decodeHeaderText(header.trim());
    if (parseAgentSessionKey(key) === undefined)
      return { sessionKey: httpSessionKey(agentId, key, { from: "x-factotum-session" }), agentId, anonymous: false };
    if (!isSessionKey(key)) throw sessionError("x-factotum-session");
    const sessionKey = await matchSessionKey(key, store);
    const owner = parseAgentSessionKey(sessionKey)?.agentId ?? agentId;
    if (agents.get(owner) === undefined)
      throw new CompletionRequestError(`x-factotum-session names the agent "${owner}", which does not exist; GET /v1/models lists them.`, {
        status: 404,
        param: null,
        code: "invalid_session",
      });
    await checkRecipient(sessionKey, engine);
    return { sessionKey, agentId: owner, anonymous: false };
  }
  if (completion.user !== undefined)
    return { sessionKey: httpSessionKey(agentId, completion.user, { from: "user" }), agentId, anonymous: false };
  return { sessionKey: agentSessionKey(agentId, "http", random.uuid()), agentId, anonymous: true };
}

/** The session that the client calls `name`; refuses a name that no other request could use. */
function httpSessionKey(agentId: string, name: string, { from }: { readonly from: "user" | "x-factotum-session" }): string {
  const key = agentSessionKey(agentId, "http", (from === "user" ? "user-" : "") + keyPart(name, { caseSensitive: true }));
  if (!name.isWellFormed() || !isSessionKey(key)) throw sessionError(from);
  return key;
}

function sessionError(from: "user" | "x-factotum-session"): CompletionRequestError {
  return new CompletionRequestError(`${from}: this cannot name a session. Send at most 900 characters, none of them a control character.`, {
    status: 400,
    param: from === "user" ? "user" : null,
    code: "invalid_session",
  });
}
