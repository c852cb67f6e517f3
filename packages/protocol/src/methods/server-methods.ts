import * as z from "zod";
import { ToolServerSchema, type ToolServer } from "../shapes/tool-servers.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** Methods of MCP servers and language servers; for the workspace of the default agent without `agentId`. */
export interface ServerMethods {
  /** The servers that are configured or that packages bring, and well-known language servers that are installed. Starts none. */
  "servers.list": { params: { readonly agentId?: string }; result: { readonly agentId: string; readonly servers: readonly ToolServer[] } };
  /**
   * Asks a server for its tools now, in up to 90 seconds. An MCP server is ended and reached again, in the gateway itself; a language server is started apart,
   * and ended. Rejects with `not-found` for an unknown one, and for one that is off.
   */
  "servers.test": {
    params: { readonly agentId?: string; readonly kind: "mcp" | "lsp"; readonly name: string };
    result: {
      readonly works: boolean;
      readonly tools: readonly string[];
      /** Why it does not work. */
      readonly problem?: string;
      readonly durationMs: number;
    };
  };
}

const agentId = key.optional();

/** Rows of the methods of servers. */
export const SERVER_METHODS: MethodTable<ServerMethods> = defineMethods<ServerMethods>()({
  "servers.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId }),
    result: () => z.strictObject({ agentId: z.string(), servers: z.array(ToolServerSchema) }),
  },
  "servers.test": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, kind: z.enum(["mcp", "lsp"]), name: z.string().min(1).max(200) }),
    result: () =>
      z.strictObject({ works: z.boolean(), tools: z.array(z.string()), problem: z.string().optional(), durationMs: z.number() }),
  },
});
