import { ModelError, NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import { estimateTokens } from "@factotum/agent-core";
import { embedTexts } from "@factotum/models";
import type { TextEmbeddings } from "@factotum/models";
import * as z from "zod";
import type { Engine } from "../../engine/engine.ts";
import { LaneShutdown } from "../../kernel/lane-abort.ts";
import { ownerFailureText } from "../../notices/failure-text.ts";
import { RunDeadline } from "../../queue/run-deadline.ts";
import type { CompletionCaller } from "../completions/completion-caller.ts";
import { CompletionRequestError } from "../completions/completion-request-error.ts";
import { explainIssue } from "../completions/explain-issue.ts";
import { renderRequestError } from "../completions/handle-completion.ts";
import { encodeHeaderText } from "../completions/header-text.ts";
import { failureStatus, renderFailure, retryHeaders } from "../completions/respond.ts";
import type { Failed } from "../completions/respond.ts";

/** The id for clients; the configured reference is accepted as well. */
const EMBEDDING_MODEL = "factotum:embedding";
/** The limit of OpenAI's API. */
const MAX_TEXTS = 2048;
const TIMEOUT_MS = 120_000;
const USED: ReadonlySet<string> = new Set(["model", "input", "encoding_format", "dimensions"]);

const RequestSchema = z.lazy(() =>
  z.looseObject({
    model: z.string().min(1),
    input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_TEXTS)]),
    encoding_format: z.enum(["float", "base64"]).nullish(),
    dimensions: z.int().min(1).nullish(),
  }),
);

/** `POST /v1/embeddings` for any OpenAI client, by the model in `models.embedding`. The caller is authorised; never rejects for a problem of the request. */
export async function handleEmbeddings({ signal }: CompletionCaller, body: unknown, engine: Engine): Promise<Response> {
  try {
    const { model, input, encoding_format: format, dimensions, ...ignored } = parseRequest(body);
    const reference = engine.parts.running.config.models.embedding;
    if (reference === undefined)
      throw refused(
        "model",
        "there are no embeddings: set models.embedding to a model that embeds texts.",
        "embeddings_not_configured",
        404,
      );
    if (model !== EMBEDDING_MODEL && model !== reference)
      throw refused("model", `the model "${model}" does not exist. Use "${EMBEDDING_MODEL}".`, "model_not_found", 404);
    const texts = typeof input === "string" ? [input] : input;
    const { vectors, usage } = await embed(
      reference,
      { texts, ...withoutUndefined({ dimensions: dimensions ?? undefined }) },
      engine,
      signal,
    );
    const names = Object.keys(ignored).filter((name) => !USED.has(name));
    return Response.json(
      {
        object: "list",
        model,
        data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: format === "base64" ? toBase64(vector) : vector })),
        usage: { prompt_tokens: usage.input, total_tokens: usage.input },
      },
      { headers: names.length === 0 ? {} : { "x-factotum-ignored": encodeHeaderText(names.join(", ")) } },
    );
  } catch (error) {
    if (ModelError.isInstance(error)) return renderModelError(error, engine);
    if (error instanceof LaneShutdown) return renderModelError(new ModelError("aborted", "Stopped.", { retry: { type: "never" } }), engine);
    return renderRequestError(error);
  }
}

function parseRequest(body: unknown): z.infer<typeof RequestSchema> {
  const parsed = RequestSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = issue?.path.map(String).join(".") ?? "";
  if (param === "input")
    throw refused("input", `a text or a list of 1 to ${MAX_TEXTS} texts is expected, none of them empty.`, "invalid_value", 400);
  throw refused(param, issue === undefined ? "it is not valid" : explainIssue(issue, body), "invalid_value", 400);
}

/** Queued with people's turns, and charged to the default agent like a person's call. */
async function embed(
  reference: string,
  request: Parameters<typeof embedTexts>[1],
  engine: Engine,
  gone: AbortSignal,
): Promise<TextEmbeddings> {
  const { running, spend, clock } = engine.parts;
  const done = Promise.withResolvers<TextEmbeddings>();
  await engine.runOutsideSessions(async ({ signal: lane }) => {
    using deadline = new RunDeadline(TIMEOUT_MS, { clock, outer: AbortSignal.any([lane, gone]) });
    const connection = await running.models.mediaConnection(reference);
    const expected = request.texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    const reservation = await spend.reserve({ agentId: running.agents.default.config.id, kind: "user" }, expected);
    if (reservation.type === "refused") throw new ModelError("budget", reservation.message, { retry: { type: "never" } });
    let usage = NO_USAGE;
    try {
      const embedded = await embedTexts(connection, request, { signal: deadline.signal });
      ({ usage } = embedded);
      done.resolve(embedded);
    } catch (error) {
      if (!RunDeadline.caused(deadline.signal)) throw error;
      throw new ModelError("timeout", `models.embedding took longer than ${TIMEOUT_MS / 1000} s`, {
        retry: { type: "never" },
        cause: error,
      });
    } finally {
      reservation.settle(usage);
    }
  });
  return done.promise;
}

/** Little-endian 32-bit floats, as OpenAI's clients read them. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}

function renderModelError({ code, message, retry }: ModelError, { parts }: Engine): Response {
  const outcome = { type: "failed", code, message, ...(retry.type === "after" ? { retryAfterMs: retry.delayMs } : {}) } as const;
  const failed: Failed = { type: "failed", outcome, message: ownerFailureText(outcome, parts.hideSecrets) };
  return Response.json(renderFailure(failed), { status: failureStatus(failed), headers: retryHeaders(failed) });
}

function refused(param: string, message: string, code: string, status: 400 | 404): CompletionRequestError {
  return new CompletionRequestError(`${param === "" ? "The body" : param}: ${message}`, {
    status,
    param: param === "" ? null : param,
    code,
  });
}
