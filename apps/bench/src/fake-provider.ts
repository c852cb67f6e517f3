// A model provider in a separate process, which answers at once from prepared bytes. Its time, a fraction of 0.1 ms per request, counts as the gateway's.

import { prepareReply, startAnthropicServer, toolReply } from "@factotum/testing-providers";
import { ANSWER, type ProviderReport, TOOL_FILE, TOOL_WORDS } from "./sides/wire.ts";

const server = await startAnthropicServer();
const answer = prepareReply(ANSWER);
let requests = 0;
let firstBody = "";

server.instantReply((body) => {
  if (requests === 0) firstBody = body.toString("utf8");
  requests += 1;
  return wantsTool(body) ? prepareToolCall() : answer;
});

process.on("message", () => {
  const report: ProviderReport = { requests, firstBody };
  requests = 0;
  firstBody = "";
  process.send?.({ type: "report", report });
});
process.on("disconnect", () => process.exit());
process.send?.({ type: "ready", url: server.baseUrl });

/** True while the newest request for the tool has no result. */
function wantsTool(body: Buffer): boolean {
  return body.lastIndexOf(TOOL_WORDS) > body.lastIndexOf('"tool_result"');
}

/** Created for each answer, so that ids of calls do not repeat. */
function prepareToolCall(): typeof answer {
  const reply = toolReply({ name: "read", input: { path: TOOL_FILE } });
  if (reply.type !== "message") throw new TypeError("A call is a message.");
  return prepareReply(reply);
}
