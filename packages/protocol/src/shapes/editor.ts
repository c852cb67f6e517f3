import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** What an editor is asked to do for a run in a session that it has open. Paths are absolute and real. */
export type EditorRequest =
  | { readonly type: "read-file"; readonly path: string }
  | { readonly type: "write-file"; readonly path: string; readonly text: string }
  | {
      readonly type: "create-terminal";
      readonly file: string;
      readonly args: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly maxOutputBytes: number;
    }
  | { readonly type: "read-terminal" | "await-terminal" | "kill-terminal" | "release-terminal"; readonly terminalId: string };

/** An editor's answer. */
export type EditorAnswer =
  | { readonly type: "done" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "terminal"; readonly terminalId: string }
  | { readonly type: "output"; readonly text: string; readonly isCut: boolean }
  | { readonly type: "exit"; readonly exitCode?: number; readonly signal?: string }
  | { readonly type: "failed"; readonly message: string };

/** An MCP server that an editor names for a session. Values of variables and headers may be secrets. */
export type EditorServer =
  | {
      readonly type: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly type: "http" | "sse"; readonly name: string; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What an editor does for the runs of a session. */
export interface EditorOffer {
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly hasTerminals: boolean;
  readonly servers: readonly EditorServer[];
}

/** Longest text of a file or of an output in a message, in characters. */
export const MAX_EDITOR_TEXT_CHARS = 200_000;
/** MCP servers of one session. */
export const MAX_EDITOR_SERVERS = 20;

const path = z.string().min(1).max(4_096);
const text = z.string().max(MAX_EDITOR_TEXT_CHARS);
const id = z.string().min(1).max(200);
const variables = z.record(z.string().max(200), z.string().max(32_000));
const words = z.array(z.string().max(100_000)).max(1_000);

/** Parses it. */
export const EditorRequestSchema: z.ZodType<EditorRequest> = parserOf<EditorRequest>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("read-file"), path }),
    z.strictObject({ type: z.literal("write-file"), path, text }),
    z.strictObject({
      type: z.literal("create-terminal"),
      file: path,
      args: words,
      cwd: path,
      env: variables,
      maxOutputBytes: z.int().min(1),
    }),
    z.strictObject({ type: z.enum(["read-terminal", "await-terminal", "kill-terminal", "release-terminal"]), terminalId: id }),
  ]),
);

/** Parses it. */
export const EditorAnswerSchema: z.ZodType<EditorAnswer> = parserOf<EditorAnswer>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("done") }),
    z.strictObject({ type: z.literal("text"), text }),
    z.strictObject({ type: z.literal("terminal"), terminalId: id }),
    z.strictObject({ type: z.literal("output"), text, isCut: z.boolean() }),
    z.strictObject({ type: z.literal("exit"), exitCode: z.int().optional(), signal: z.string().max(40).optional() }),
    z.strictObject({ type: z.literal("failed"), message: z.string().max(2_000) }),
  ]),
);

const name = z.string().min(1).max(200);

/** Parses it. */
export const EditorServerSchema: z.ZodType<EditorServer> = parserOf<EditorServer>()(() =>
  z.union([
    z.strictObject({ type: z.literal("stdio"), name, command: path, args: words, env: variables }),
    z.strictObject({ type: z.enum(["http", "sse"]), name, url: z.url({ protocol: /^https?$/ }).max(4_096), headers: variables }),
  ]),
);
