import { renderError } from "./completions/render-response.ts";

/** The answer to a request that needs storing while the disk is full. OpenAI clients retry by themselves. */
export function renderStorageFull(reason: string): Response {
  return Response.json(renderError(reason, { type: "server_error", code: "storage_full" }), {
    status: 503,
    headers: { "retry-after": "30" },
  });
}
