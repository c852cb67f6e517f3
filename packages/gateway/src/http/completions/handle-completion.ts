import type { Engine } from "../../engine/engine.ts";
import { answerInSession } from "./answer-in-session.ts";
import { answerPlain } from "./answer-plain.ts";
import { admitClientTools } from "./client-tools.ts";
import type { CompletionCaller } from "./completion-caller.ts";
import { CompletionRequestError } from "./completion-request-error.ts";
import { encodeHeaderText } from "./header-text.ts";
import { findModel } from "./model-ids.ts";
import { parseCompletionRequest } from "./parse-request.ts";
import { renderError } from "./render-response.ts";
import { respondStreaming, respondWhole } from "./respond.ts";

/** `POST /v1/chat/completions` for any OpenAI client. The caller is authorised; never rejects for a problem of the request. */
export async function handleCompletion(caller: CompletionCaller, body: unknown, engine: Engine): Promise<Response> {
  const { running, clock, logger } = engine.parts;
  try {
    const parsed = parseCompletionRequest(body, clock.now());
    const { model, stream, includeUsage } = parsed;
    const found = findModel(model, running.agents);
    if (found.type === "unknown") throw new CompletionRequestError(found.message, { status: 404, param: "model", code: "model_not_found" });
    const agent = running.agents.get(found.agentId) ?? running.agents.default;
    const requested = await admitClientTools(parsed.tools, agent, found);
    const completion = { ...parsed, tools: requested.tools };
    const answer = found.isPlain
      ? await answerPlain(caller, completion, found.agentId, engine)
      : await answerInSession(caller, completion, found.agentId, engine);
    // Nothing distinguishes clients without a session.
    const ignored = [...completion.ignored, ...requested.ignored, ...(found.isPlain && completion.user !== undefined ? ["user"] : [])];
    const headers = {
      ...answer.headers,
      ...(ignored.length === 0 ? {} : { "x-factotum-ignored": encodeHeaderText(ignored.join(", ")) }),
    };
    const identity = { id: `chatcmpl-${answer.id}`, created: Math.floor(clock.now() / 1000), model };
    return stream
      ? respondStreaming({ ...answer, headers }, identity, { includeUsage, clock, logger })
      : await respondWhole({ ...answer, headers }, identity);
  } catch (error) {
    if (!(error instanceof CompletionRequestError)) throw error;
    return Response.json(renderError(error.message, { type: "invalid_request_error", param: error.param, code: error.code }), {
      status: error.status,
    });
  }
}
