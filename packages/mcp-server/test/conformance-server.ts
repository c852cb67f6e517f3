import { randomBytes, randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/server";
import { McpEndpoint } from "../src/index.ts";
import { addContent } from "./conformance-content.ts";
import { addRequests, stateCodec } from "./conformance-requests.ts";

/** A server with everything that the scenarios of the conformance suite ask for, at the endpoint of the product. No request needs a token. */
export function createConformanceEndpoint(): McpEndpoint {
  return new McpEndpoint({
    createServer: () => {
      const server = new McpServer(
        { name: "conformance", version: "0" },
        {
          capabilities: { logging: {}, completions: {}, resources: { subscribe: true } },
          requestState: { verify: async (state, context) => stateCodec.verify(state, context) },
          cacheHints: { "tools/list": { ttlMs: 60_000, cacheScope: "private" } },
        },
      );
      addContent(server);
      addRequests(server);
      server.server.setRequestHandler("resources/subscribe", () => ({}));
      server.server.setRequestHandler("resources/unsubscribe", () => ({}));
      return server;
    },
    isAuthorized: async () => true,
    clock: { now: () => Date.now(), monotonic: () => performance.now(), schedule: () => ({ [Symbol.dispose]: () => undefined }) },
    random: { bytes: (count) => randomBytes(count), uuid: () => randomUUID(), float: () => Math.random() },
    onError: () => undefined,
  });
}
