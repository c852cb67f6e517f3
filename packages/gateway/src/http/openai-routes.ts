import type { Context, Hono } from "hono";
import type { HttpRoute } from "../access/authorize.ts";
import type { Engine } from "../engine/engine.ts";
import { guardRoute } from "./admit-request.ts";
import type { AdmissionOptions, HttpEnv } from "./admit-request.ts";
import { closeSignal } from "./close-signal.ts";
import type { CompletionCaller } from "./completions/completion-caller.ts";
import { handleCompletion } from "./completions/handle-completion.ts";
import { findModel, listModels, renderModel } from "./completions/model-ids.ts";
import { renderError } from "./completions/render-response.ts";
import { answerPreflight, corsHeaders } from "./cors.ts";
import { handleResponse } from "./responses/handle-response.ts";
import { handleEmbeddings } from "./embeddings/handle-embeddings.ts";
import { readJsonBody } from "./read-json-body.ts";
import { renderStorageFull } from "./storage-full.ts";

/** Enough for one image of the largest size in base64, and a conversation. */
const MAX_COMPLETION_BYTES: number = 32 * 1024 * 1024;

/** Adds everything below `/v1`. All answers have the shapes of OpenAI's API, including those to unknown routes and methods. */
export function addOpenAiRoutes(app: Hono<HttpEnv>, engine: Engine, admission: AdmissionOptions): void {
  const { parts } = engine;
  // Read for every request: a configuration change applies from the next one on.
  const allowedOrigins = (): readonly string[] => parts.running.config.gateway.allowedOrigins;
  const guard = (context: Context<HttpEnv>, route: HttpRoute): Response | undefined =>
    guardRoute(context, route, { ...admission, allowedOrigins: allowedOrigins() });

  app.use("/v1/*", corsHeaders(allowedOrigins));
  app.options("/v1/*", (context) => guard(context, "OPTIONS /v1") ?? answerPreflight(context));
  app.get("/v1/models", (context) => guard(context, "GET /v1/models") ?? context.json(listModels(parts.running.agents)));
  app.get("/v1/models/*", (context) => {
    const refused = guard(context, "GET /v1/models");
    if (refused !== undefined) return refused;
    const id = modelInPath(context);
    const found = findModel(id, parts.running.agents);
    if (found.type === "found") return context.json(renderModel(found.id));
    return context.json(renderError(found.message, { type: "invalid_request_error", param: "model", code: "model_not_found" }), 404);
  });
  app.post("/v1/chat/completions", async (context) => {
    const refused = guard(context, "POST /v1/chat/completions");
    return refused ?? withBody(context, async (body, caller) => handleCompletion(caller, body, engine));
  });
  app.post("/v1/responses", async (context) => {
    const refused = guard(context, "POST /v1/responses");
    return refused ?? withBody(context, async (body, caller) => handleResponse(caller, body, engine));
  });
  app.post("/v1/embeddings", async (context) => {
    const refused = guard(context, "POST /v1/embeddings");
    return refused ?? withBody(context, async (body, caller) => handleEmbeddings(caller, body, engine));
  });
  const withBody = async (
    context: Context<HttpEnv>,
    handle: (body: unknown, caller: CompletionCaller) => Promise<Response>,
  ): Promise<Response> => {
    if (parts.storage.problem !== undefined) return renderStorageFull(parts.storage.problem.reason);
    const body = await readJsonBody(context.env.incoming, MAX_COMPLETION_BYTES);
    if (body.type === "refused") {
      const code = body.status === 413 ? "request_too_large" : "invalid_json";
      return context.json(renderError(body.message, { type: "invalid_request_error", code }), body.status);
    }
    const reasoning = context.req.header("x-factotum-reasoning")?.trim().toLowerCase() ?? "off";
    if (reasoning !== "on" && reasoning !== "off")
      return context.json(
        renderError("x-factotum-reasoning: send on or off.", { type: "invalid_request_error", code: "invalid_value" }),
        400,
      );
    const caller = {
      session: context.req.header("x-factotum-session"),
      showsReasoning: reasoning === "on",
      signal: closeSignal(context.env.outgoing),
    };
    return handle(body.value, caller);
  };
  const refuseMethod = (methods: string) => (context: Context<HttpEnv>) =>
    guard(context, "ANY /v1") ??
    context.json(
      renderError(`${context.req.method} is not supported on ${context.req.path}. Use ${methods}.`, {
        type: "invalid_request_error",
        code: "method_not_supported",
      }),
      405,
      { allow: methods },
    );
  app.all("/v1/models", refuseMethod("GET, HEAD, OPTIONS"));
  app.all("/v1/models/*", refuseMethod("GET, HEAD, OPTIONS"));
  app.all("/v1/chat/completions", refuseMethod("POST, OPTIONS"));
  app.all("/v1/embeddings", refuseMethod("POST, OPTIONS"));
  app.all("/v1/responses", refuseMethod("POST, OPTIONS"));
  app.all(
    "/v1/*",
    (context) =>
      guard(context, "ANY /v1") ??
      context.json(
        renderError(
          `There is no route ${context.req.method} ${context.req.path}. This gateway has /v1/chat/completions, /v1/responses, /v1/embeddings, /v1/models and /v1/models/{id}.`,
          { type: "invalid_request_error", code: "unknown_url" },
        ),
        404,
      ),
  );
}

/** The id after `/v1/models/`, which may contain slashes and colons, encoded or not. An undecodable one matches no model. */
function modelInPath(context: Context<HttpEnv>): string {
  const encoded = new URL(context.req.url).pathname.slice("/v1/models/".length);
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return encoded;
    throw error;
  }
}
