import type { Engine } from "../../engine/engine.ts";
import type { Answer } from "./answer.ts";
import { answerInSession } from "./answer-in-session.ts";
import { answerPlain } from "./answer-plain.ts";
import { admitClientTools } from "./client-tools.ts";
import type { CompletionCaller } from "./completion-caller.ts";
import { CompletionRequestError } from "./completion-request-error.ts";
import { encodeHeaderText } from "./header-text.ts";
import { findModel } from "./model-ids.ts";
import { parseCompletionRequest } from "./parse-request.ts";
import type { CompletionRequest } from "./parse-request.ts";
import { renderError } from "./render-response.ts";
import { respondStreaming, respondWhole } from "./respond.ts";

/** `POST /v1/chat/completions` for any OpenAI client. The caller is authorised; never rejects for a problem of the request. */
export async function handleCompletion(caller: CompletionCaller, body: unknown, engine: Engine): Promise<Response> {
  const { clock, logger } = engine.parts;
  try {
    const parsed = parseCompletionRequest(body, clock.now());
    const { model, stream, includeUsage } = parsed;
    const answer = await answerCompletion(caller, parsed, engine);
    const identity = { id: `chatcmpl-${answer.id}`, created: Math.floor(clock.now() / 1000), model };
    return stream ? respondStreaming(answer, identity, { includeUsage, clock, logger }) : await respondWhole(answer, identity);
  } catch (error) {
    return renderRequestError(error);
  }
}

/** Answers a parsed request, by an agent or its model alone. Throws a `CompletionRequestError` for one that cannot be answered. */
export async function answerCompletion(caller: CompletionCaller, parsed: CompletionRequest, engine: Engine): Promise<Answer> {
  const { agents } = engine.parts.running;
  const found = findModel(parsed.model, agents);
  if (found.type === "unknown") throw new CompletionRequestError(found.message, { status: 404, param: "model", code: "model_not_found" });
  const requested = await admitClientTools(parsed.tools, agents.get(found.agentId) ?? agents.default, found);
  const completion = { ...parsed, tools: requested.tools };
  const answer = found.isPlain
    ? await answerPlain(caller, completion, found.agentId, engine)
    : await answerInSession(caller, completion, found.agentId, engine);
  // Nothing distinguishes clients without a session.
  const ignored = [...completion.ignored, ...requested.ignored, ...(found.isPlain && completion.user !== undefined ? ["user"] : [])];
  if (ignored.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, "x-factotum-ignored": encodeHeaderText(ignored.join(", ")) } };
}

/** The response to a request that was refused; throws any other error. */
export function renderRequestError(error: unknown): Response {
  if (!(error instanceof CompletionRequestError)) throw error;
  const { message, param, code, status } = error;
  return Response.json(renderError(message, { type: "invalid_request_error", param, code }), { status });
}
