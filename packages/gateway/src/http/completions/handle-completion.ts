import { messageId } from "@factotum/channel-contract";
import type { AttachmentRef, MsgContext } from "@factotum/channel-contract";
import type { ChatEvent } from "@factotum/protocol";
import type { InputAdmission } from "@factotum/store";
import type { Engine } from "../../engine.ts";
import { matchSessionKey } from "../../sessions/match-session-key.ts";
import { agentSessionKey, isSessionKey, keyPart, parseAgentSessionKey } from "../../routing/session-key.ts";
import type { RunReport } from "../../turn/run-report.ts";
import { RunText } from "../run-text.ts";
import { CompletionRequestError } from "./completion-request-error.ts";
import { decodeHeaderText, encodeHeaderText } from "./header-text.ts";
import { findModel } from "./model-ids.ts";
import { parseCompletionRequest } from "./parse-request.ts";
import type { CompletionRequest } from "./parse-request.ts";
import { renderChunk, renderCompletion, renderError, renderFinishReason, renderUsageChunk } from "./render-response.ts";
import type { CompletionIdentity } from "./render-response.ts";

/** A session that nobody named is kept this long (design 08). */
const ANONYMOUS_SESSION_TTL_MS: number = 24 * 60 * 60 * 1000;
/** Comments keep proxies from closing a stream while tools run. */
const KEEP_ALIVE_MS = 15_000;

/** Who asks, beside what the body says. */
export interface CompletionCaller {
  /** The header `x-factotum-session`. */
  readonly session: string | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** One run, watched from the moment its input was accepted. */
interface WatchedRun {
  readonly sessionKey: string;
  /** Everything that happens to the run, in order; the report comes last. */
  readonly events: AsyncIterable<
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "report"; readonly report: RunReport }
    | { readonly type: "settled"; readonly reason: string }
  >;
  readonly inputId: string;
}

/** `POST /v1/chat/completions` for any OpenAI client. The caller is authorised; rejects never. */
export async function handleCompletion(caller: CompletionCaller, body: unknown, engine: Engine): Promise<Response> {
  try {
    const completion = parseCompletionRequest(body, engine.services.clock.now());
    const run = await startRun(caller, completion, engine);
    const headers = {
      "x-factotum-session": encodeHeaderText(run.sessionKey),
      ...(completion.ignored.length === 0 ? {} : { "x-factotum-ignored": encodeHeaderText(completion.ignored.join(", ")) }),
    };
    const { model } = completion;
    const identity = { id: `chatcmpl-${run.inputId}`, created: Math.floor(engine.services.clock.now() / 1000), model };
    if (completion.stream)
      return new Response(streamRun(run, identity, completion.includeUsage, engine), {
        headers: { ...headers, "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
      });
    return await answerWhole(run, identity, headers);
  } catch (error) {
    if (!(error instanceof CompletionRequestError)) throw error;
    return Response.json(renderError(error.message, { type: "invalid_request_error", param: error.param, code: error.code }), {
      status: error.status,
    });
  }
}

async function startRun(caller: CompletionCaller, completion: CompletionRequest, engine: Engine): Promise<WatchedRun> {
  const { random, clock, events } = engine.services;
  const target = await targetSession(caller.session, completion, engine);
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
    ...(completion.extra === undefined ? {} : { extra: completion.extra }),
    ...(target.anonymous ? { history: completion.history, expiresAtMs: nowMs + ANONYMOUS_SESSION_TTL_MS } : {}),
  };
  const queue = new EventQueue();
  let text: RunText | undefined;
  const subscription = events.subscribe(target.sessionKey, (event: ChatEvent) => {
    const piece = text?.push(event) ?? "";
    if (piece !== "") queue.push({ type: "text", text: piece });
  });
  const submitted = engine.submit(message, admission, {
    onClaimed: (claimed) => {
      text = new RunText(claimed);
    },
    onReport: (report) => {
      subscription[Symbol.dispose]();
      queue.push({ type: "report", report });
    },
    onSettled: (reason) => {
      subscription[Symbol.dispose]();
      queue.push({ type: "settled", reason });
    },
  });
  // What was not taken has nothing to show.
  submitted.catch(() => subscription[Symbol.dispose]());
  const { inputId } = await submitted;
  const cancel = (): void => void engine.cancelInput(target.sessionKey, { inputId, reason: "the client closed the connection" });
  // Whoever has left by now is told of no abort any more.
  if (caller.signal.aborted) cancel();
  else caller.signal.addEventListener("abort", cancel, { once: true });
  return { sessionKey: target.sessionKey, events: queue, inputId };
}

/** The images lie on the disk before their message is committed: a turn after a crash finds them. */
async function keepImages({ images }: CompletionRequest, { services }: Engine): Promise<readonly AttachmentRef[]> {
  const kept: AttachmentRef[] = [];
  for (const { bytes, mimeType } of images)
    kept.push({ kind: "image", ref: await services.media.uploads.put(bytes), mimeType, sizeBytes: bytes.length });
  return kept;
}

async function targetSession(
  header: string | undefined,
  completion: CompletionRequest,
  engine: Engine,
): Promise<{ readonly sessionKey: string; readonly agentId: string; readonly anonymous: boolean }> {
  const { agents, random, store } = engine.services;
  const model = findModel(completion.model, agents);
  if (model.type === "unknown") throw new CompletionRequestError(model.message, { status: 404, param: "model", code: "model_not_found" });
  const { agentId } = model;
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
    return { sessionKey, agentId: owner, anonymous: false };
  }
  if (completion.user !== undefined)
    return { sessionKey: httpSessionKey(agentId, completion.user, { from: "user" }), agentId, anonymous: false };
  return { sessionKey: agentSessionKey(agentId, "http", random.uuid()), agentId, anonymous: true };
}

/** The session that the client calls `name`; refuses one that no other request could name. */
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

async function answerWhole(run: WatchedRun, identity: CompletionIdentity, headers: Readonly<Record<string, string>>): Promise<Response> {
  let text = "";
  for await (const event of run.events) {
    if (event.type === "text") text += event.text;
    else if (event.type === "settled") return Response.json(renderCompletion(identity, event.reason, "stop", NO_USAGE), { headers });
    else if (event.report.outcome.type === "done")
      return Response.json(renderCompletion(identity, text, renderFinishReason(event.report.stopReason), event.report.usage), { headers });
    else
      return Response.json(failure(event.report), {
        status: failureStatus(event.report),
        headers: { ...headers, ...retryHeaders(event.report) },
      });
  }
  throw new Error("the run's events ended without a report");
}

function streamRun(run: WatchedRun, identity: CompletionIdentity, includeUsage: boolean, engine: Engine): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => {
      const send = (data: object | string): void =>
        controller.enqueue(encoder.encode(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`));
      let keepAlive = engine.services.clock.schedule(KEEP_ALIVE_MS, beat);
      function beat(): void {
        controller.enqueue(encoder.encode(": still working\n\n"));
        keepAlive = engine.services.clock.schedule(KEEP_ALIVE_MS, beat);
      }
      const pump = async (): Promise<void> => {
        send(renderChunk(identity, { role: "assistant", content: "" }, null, includeUsage));
        for await (const event of run.events) {
          if (event.type === "text") {
            send(renderChunk(identity, { content: event.text }, null, includeUsage));
            continue;
          }
          if (event.type === "settled") send(renderChunk(identity, { content: event.reason }, null, includeUsage));
          if (event.type === "report" && event.report.outcome.type !== "done") {
            send(failure(event.report));
            return;
          }
          send(renderChunk(identity, {}, event.type === "report" ? renderFinishReason(event.report.stopReason) : "stop", includeUsage));
          if (includeUsage) send(renderUsageChunk(identity, event.type === "report" ? event.report.usage : NO_USAGE));
          send("[DONE]");
          return;
        }
      };
      pump().then(
        () => {
          keepAlive[Symbol.dispose]();
          controller.close();
        },
        (error: unknown) => {
          keepAlive[Symbol.dispose]();
          // The reader has gone; its own signal has stopped the run.
          engine.services.logger.debug("A completion stream ended early", { error });
        },
      );
    },
    cancel: async () => {
      await engine.cancelInput(run.sessionKey, { inputId: run.inputId, reason: "the client closed the connection" });
    },
  });
}

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  total: 0,
  calls: 0,
  lastInput: 0,
  lastCacheRead: 0,
  lastCacheWrite: 0,
};

function failure(report: RunReport): object {
  const { outcome } = report;
  const message = outcome.type === "failed" ? report.failureText : "The run was stopped.";
  return renderError(message, { type: "server_error", code: outcome.type === "failed" ? outcome.code : "aborted" });
}

function failureStatus(report: RunReport): number {
  const code = report.outcome.type === "failed" ? report.outcome.code : "aborted";
  // Never 429: it is the provider that wants fewer requests, and clients would take it for a limit of this gateway.
  if (code === "rate-limited" || code === "overloaded" || code === "budget") return 503;
  if (code === "context-overflow") return 400;
  if (code === "timeout") return 504;
  return code === "aborted" ? 499 : 502;
}

/** The run has retried what can be retried, and the message is in the conversation: a client that sends it again would say it twice. */
function retryHeaders({ outcome }: RunReport): Readonly<Record<string, string>> {
  const retryAfterMs = outcome.type === "failed" ? outcome.retryAfterMs : undefined;
  return {
    "x-should-retry": "false",
    ...(retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  };
}

type QueuedEvent = WatchedRun["events"] extends AsyncIterable<infer Event> ? Event : never;

/** Hands events from callbacks to one reader, in order; ends behind the report. */
class EventQueue implements AsyncIterable<QueuedEvent> {
  readonly #events: QueuedEvent[] = [];
  #wake: (() => void) | undefined;

  push(event: QueuedEvent): void {
    this.#events.push(event);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<QueuedEvent, void, undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      yield event;
      if (event.type !== "text") return;
    }
  }
}
