import type { Engine } from "../../engine/engine.ts";
import type { CompletionCaller } from "../completions/completion-caller.ts";
import { CompletionRequestError } from "../completions/completion-request-error.ts";
import { answerCompletion, renderRequestError } from "../completions/handle-completion.ts";
import { encodeHeaderText } from "../completions/header-text.ts";
import { findModel } from "../completions/model-ids.ts";
import { inResponseTerms, parseResponseRequest } from "./parse-response-request.ts";
import { respondStreaming, respondWhole } from "./respond.ts";

/** As long as inputs are kept, by which a response id finds its conversation. */
const STORED_TTL_MS: number = 14 * 24 * 60 * 60 * 1000;
const ID_PREFIX = "resp_";

/** `POST /v1/responses` for any OpenAI client. The caller is authorised; never rejects for a problem of the request. */
export async function handleResponse(caller: CompletionCaller, body: unknown, engine: Engine): Promise<Response> {
  const { clock, logger, random, running } = engine.parts;
  try {
    const { completion, previousResponseId, store, echo } = parseResponseRequest(body, clock.now());
    const session = previousResponseId === undefined ? caller.session : await sessionOf(previousResponseId, caller, engine);
    const found = findModel(completion.model, running.agents);
    if (found.type === "found" && found.isPlain && previousResponseId !== undefined)
      throw notContinued("the plain model keeps no conversation; send the whole history as input.");
    const answer = await answerCompletion(
      { ...caller, session, showsReasoning: false, ...(store ? { anonymousTtlMs: STORED_TTL_MS } : {}) },
      completion,
      engine,
    );
    // An id that finds no input cannot be continued.
    const id = store ? answer.id : random.uuid();
    const identity = {
      id: `${ID_PREFIX}${id}`,
      messageId: `msg_${id}`,
      createdAt: Math.floor(clock.now() / 1000),
      model: completion.model,
      echo: { ...echo, user: completion.user ?? null },
    };
    return completion.stream ? respondStreaming(answer, identity, { clock, logger }) : await respondWhole(answer, identity);
  } catch (error) {
    return renderRequestError(inResponseTerms(error));
  }
}

/** The session that a response belongs to. It can be continued as long as nothing else was said in it. */
async function sessionOf(responseId: string, caller: CompletionCaller, { parts }: Engine): Promise<string> {
  const { store } = parts;
  const input = responseId.startsWith(ID_PREFIX) ? await store.readInput(responseId.slice(ID_PREFIX.length)) : undefined;
  const { channel, conversation } = input?.message.origin ?? {};
  const record = channel === "http" && conversation !== undefined ? await store.readSession(conversation.id) : undefined;
  const turn = input?.turnId === undefined ? undefined : await store.readTurn(input.turnId);
  if (record === undefined || (turn !== undefined && turn.sessionId !== record.sessionId))
    throw notContinued(`there is no stored response ${responseId}. Send the whole history as input.`, "previous_response_not_found");
  const last = await store.readLastTurn(record.sessionId, { except: ["memory"] });
  if (turn !== undefined && last?.id !== turn.id)
    throw notContinued("the conversation has gone on since this response. Continue its last one, or send the whole history as input.");
  const key = encodeHeaderText(record.key);
  const named = caller.session?.trim() ?? "";
  if (named !== "" && named !== key && !key.endsWith(`:http:${named}`))
    throw notContinued("the response belongs to another session than x-factotum-session names. Leave one of them out.");
  return key;
}

function notContinued(message: string, code = "invalid_value"): CompletionRequestError {
  return new CompletionRequestError(`previous_response_id: ${message}`, { status: 400, param: "previous_response_id", code });
}
