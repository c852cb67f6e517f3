import { renderError } from "./completions/render-response.ts";

/** The answer to somebody whose request would have to be stored, while that cannot be done. Clients of OpenAI's form try again by themselves. */
export function renderStorageFull(reason: string): Response {
  return Response.json(renderError(reason, { type: "server_error", code: "storage_full" }), {
    status: 503,
    headers: { "retry-after": "30" },
  });
}
