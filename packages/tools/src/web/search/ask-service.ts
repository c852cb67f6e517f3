import type { PublicRequest, ResponseHead } from "../../public-fetch/public-request.ts";
import type { SearchConnection, SearchOutcome, SearchProvider } from "./search-provider.ts";

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 2_000_000;
const OTHER = "Try again later, or choose another service with tools.web.search.provider.";

/** A request to a service, relative to its address. */
export interface ServiceRequest extends Pick<PublicRequest, "method" | "headers" | "body"> {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A successful answer, or the failure for the model. */
export type ServiceAnswer =
  | { readonly type: "answer"; readonly head: ResponseHead; readonly bytes: Uint8Array }
  | Extract<SearchOutcome, { type: "failed" }>;

/** Asks a service. `statuses` says what its own statuses mean. Never rejects. */
export async function askService(
  { label }: Pick<SearchProvider, "label">,
  { path, parameters = {}, ...content }: ServiceRequest,
  { request, baseUrl, allowsPrivate }: SearchConnection,
  { signal, statuses }: { readonly signal: AbortSignal; readonly statuses: Readonly<Record<number, string>> },
): Promise<ServiceAnswer> {
  const url = new URL(path, baseUrl);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const answer = await request({ url: url.href, signal, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, allowsPrivate, ...content });
  if (answer.type === "refused") return failed(`${label} cannot be reached: ${answer.message}. ${OTHER}`);
  const { head, bytes, isCut } = answer;
  const known = statuses[head.status];
  if (known !== undefined) return failed(`${label}: ${known}`);
  if (head.status !== 200) return failed(`${label} answered ${head.status}. ${OTHER}`);
  if (bytes === undefined || isCut) return failed(`${label} answered more than ${MAX_BYTES} bytes. ${OTHER}`);
  return { type: "answer", head, bytes };
}

/** The JSON of an answer; `undefined` if it is not JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The service answered something else than its documentation says. */
export function unreadable({ label }: Pick<SearchProvider, "label">): Extract<SearchOutcome, { type: "failed" }> {
  return failed(`${label} answered something that is no list of results. ${OTHER}`);
}

export function failed(message: string): Extract<SearchOutcome, { type: "failed" }> {
  return { type: "failed", message };
}
