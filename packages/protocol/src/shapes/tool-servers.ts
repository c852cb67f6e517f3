import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** A server that gives tools. Its name, its place and the names of its tools are text of others. */
export interface ToolServer {
  readonly kind: "mcp" | "lsp";
  readonly name: string;
  /** The package that brings it; absent for one of the configuration or of this machine. */
  readonly package?: string;
  /** The command with its arguments, or the address; absent for a language server whose program is not found. Without secrets. */
  readonly place?: string;
  /** Of an MCP server: its texts count as instructions. */
  readonly isTrusted?: boolean;
  readonly isEnabled: boolean;
  /** A well-known language server that is installed, and not configured. */
  readonly isDetected: boolean;
  /** Of a language server. */
  readonly languages: readonly string[];
  /** Its own names of its tools when it last ran; absent if it never did. */
  readonly tools?: readonly string[];
  /** Why it cannot be used now. */
  readonly problem?: string;
}

/** Parses a server. */
export const ToolServerSchema: z.ZodType<ToolServer> = parserOf<ToolServer>()(() =>
  z.strictObject({
    kind: z.enum(["mcp", "lsp"]),
    name: z.string(),
    package: z.string().optional(),
    place: z.string().optional(),
    isTrusted: z.boolean().optional(),
    isEnabled: z.boolean(),
    isDetected: z.boolean(),
    languages: z.array(z.string()),
    tools: z.array(z.string()).optional(),
    problem: z.string().optional(),
  }),
);
