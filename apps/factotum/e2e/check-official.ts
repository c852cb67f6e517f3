import { checkOfficialRequests } from "@factotum/testing-providers";
import type { CapturedRequest, JsonObject, WireFormatName } from "@factotum/testing-providers";
import { afterAll, expect } from "vitest";

/** Requests at each end of a test that are checked: those of a long form would not fit into one program, and repeat those of the short one. */
const MAX_CHECKED = 200;

/** Validates the requests that a strict server received. */
interface RecordingServer {
  readonly requests: readonly CapturedRequest[];
}

const servers: { readonly format: WireFormatName; readonly server: RecordingServer }[] = [];

/** At the end of the test file, checks every request to the server against the official SDK's types or schemas. */
export function checkedOfficially<Server extends RecordingServer>(server: Server, format: WireFormatName): Server {
  servers.push({ format, server });
  return server;
}

/** OpenRouter takes Anthropic's cache marks over OpenAI's format, whose types do not have them. */
function withoutMarks(body: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === "cache_control" ? undefined : value))) as JsonObject;
}

function endsOf(requests: readonly CapturedRequest[]): readonly CapturedRequest[] {
  return requests.length <= 2 * MAX_CHECKED ? requests : [...requests.slice(0, MAX_CHECKED), ...requests.slice(-MAX_CHECKED)];
}

afterAll(async () => {
  // A probe for a server is no model request.
  const subjects = servers.flatMap(({ format, server }) =>
    endsOf(server.requests.filter(({ method }) => method !== "GET")).map(({ body = {} }) => ({
      format,
      body: format === "openai-chat" ? withoutMarks(body) : body,
    })),
  );
  expect(subjects.length).toBeGreaterThan(0);
  expect(await checkOfficialRequests(subjects)).toEqual([]);
}, 120_000);
