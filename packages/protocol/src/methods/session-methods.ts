import * as z from "zod";
import {
  SESSION_KINDS,
  SessionImportReportSchema,
  SessionSearchResultSchema,
  SessionSummarySchema,
  type SessionImportReport,
  type SessionKind,
  type SessionSearchResult,
  type SessionSummary,
} from "../shapes/session-summary.ts";
import {
  SESSION_MODE_IDS,
  SessionSettingsSchema,
  THINKING_LEVEL_IDS,
  type SessionModeId,
  type SessionSettings,
  type ThinkingLevelId,
} from "../shapes/session-settings.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key, limit } from "./params.ts";

/** Methods of the session list. */
export interface SessionMethods {
  /**
   * Newest activity first. `limit` 50 by default, 200 at most; `cursor` from the previous page. With `kinds` or `exceptSubagents` a page can be shorter than
   * `limit` although more follow: a page scans 200 sessions at most.
   */
  "sessions.list": {
    params: {
      readonly agentId?: string;
      readonly kinds?: readonly SessionKind[];
      /** Leaves out the sessions of sub-agents. */
      readonly exceptSubagents?: boolean;
      /** Only those that are pinned. */
      readonly pinned?: true;
      readonly activeMinutes?: number;
      readonly limit?: number;
      readonly cursor?: string;
    };
    result: { readonly sessions: readonly SessionSummary[]; readonly cursor?: string };
  };
  /**
   * Searches the titles and messages of all sessions, newest first, for every word of `text`, of any script, ignoring case. Each request looks at messages for a
   * second at most, so that a page may have few hits although `cursor` says that there are older messages. `limit` 20 by default.
   */
  "sessions.search": {
    params: { readonly text: string; readonly agentId?: string; readonly limit?: number; readonly cursor?: string };
    result: SessionSearchResult;
  };
  /** A session with all known fields, named as in a `sessions.json`. */
  "sessions.show": {
    params: { readonly key: string };
    result: { readonly session: SessionSummary; readonly entry: Readonly<Record<string, unknown>> };
  };
  /**
   * The next lines of a session's plain file, each with its line break; the first one is its header. `after` and `sessionId` are those of the previous part; if
   * the result has no `after`, it was the last part.
   */
  "sessions.export": {
    params: { readonly key: string; readonly sessionId?: string; readonly after?: string };
    result: { readonly sessionId: string; readonly lines: readonly string[]; readonly after?: string };
  };
  /**
   * Imports a folder with a `sessions.json`, or one transcript, from an absolute path on the gateway's machine. With `agentId` everything is assigned to that
   * agent; `key` is for a single transcript; `dryRun` only reports.
   */
  "sessions.import": {
    params: { readonly path: string; readonly agentId?: string; readonly key?: string; readonly dryRun?: boolean };
    result: SessionImportReport;
  };
  /** Finds a session by key (exact, then ignoring case if that is unique) or by label. */
  "sessions.resolve": {
    params: { readonly key?: string; readonly label?: string; readonly agentId?: string };
    result: { readonly session: SessionSummary };
  };
  /**
   * Begins a session of the owner's. In `workspace`, an absolute path on the gateway's machine, the owner's runs of the session work instead of in the agent's
   * workspace. Rejects with `conflict` if the session exists, with `not-found` for an unknown agent, and with `invalid-request` for a folder that cannot be used.
   */
  "sessions.create": {
    params: { readonly key: string; readonly workspace?: string; readonly displayName?: string };
    result: { readonly session: SessionSummary };
  };
  /** Changes the session's own settings; `null` clears one. A `workspace` is checked as by `sessions.create`. */
  "sessions.patch": {
    params: {
      readonly key: string;
      readonly label?: string | null;
      readonly sendPolicy?: "allow" | "deny" | null;
      readonly pinned?: boolean;
      readonly archived?: boolean;
      readonly workspace?: string | null;
    };
    result: { readonly session: SessionSummary };
  };
  /** What can be chosen for a session and said in it; also for one that does not exist yet. */
  "sessions.settings": { params: { readonly key: string }; result: SessionSettings };
  /** Chooses settings of an existing session; `null`: as configured. Rejects with `invalid-request` for a model that cannot be used. */
  "sessions.choose": {
    params: {
      readonly key: string;
      readonly mode?: SessionModeId;
      readonly model?: string | null;
      readonly thinking?: ThinkingLevelId | null;
    };
    result: SessionSettings;
  };
  /** Resets the conversation; the old transcript is kept. */
  "sessions.reset": { params: { readonly key: string }; result: { readonly session: SessionSummary } };
  /** Deletes a session; its file stays as `<id>.jsonl.deleted.<time>` until maintenance. A running turn is aborted first. */
  "sessions.delete": { params: { readonly key: string }; result: { readonly deleted: boolean } };
}

const kind = z.enum(SESSION_KINDS);
const folder = z.string().min(1).max(4096);
const session = z.lazy(() => z.strictObject({ session: SessionSummarySchema }));

/** Rows of the session methods. */
export const SESSION_METHODS: MethodTable<SessionMethods> = defineMethods<SessionMethods>()({
  "sessions.list": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        agentId: key.optional(),
        kinds: z.array(kind).optional(),
        exceptSubagents: z.boolean().optional(),
        pinned: z.literal(true).optional(),
        activeMinutes: z.number().int().min(1).max(100_000_000).optional(),
        limit: limit.optional(),
        cursor: z.string().max(1000).optional(),
      }),
    result: () => z.strictObject({ sessions: z.array(SessionSummarySchema), cursor: z.string().optional() }),
  },
  "sessions.search": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        text: z
          .string()
          .max(200)
          .refine((text) => text.trim() !== "", "the text is empty"),
        agentId: key.optional(),
        limit: z.number().int().min(1).max(50).optional(),
        cursor: z.string().max(200).optional(),
      }),
    result: () => SessionSearchResultSchema,
  },
  "sessions.show": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ key }),
    result: () => z.strictObject({ session: SessionSummarySchema, entry: z.record(z.string(), z.unknown()) }),
  },
  "sessions.export": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ key, sessionId: z.string().max(200).optional(), after: z.string().max(200).optional() }),
    result: () => z.strictObject({ sessionId: z.string(), lines: z.array(z.string()), after: z.string().optional() }),
  },
  "sessions.import": {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        path: z.string().min(1).max(4096),
        agentId: key.optional(),
        key: key.optional(),
        dryRun: z.boolean().optional(),
      }),
    result: () => SessionImportReportSchema,
  },
  "sessions.resolve": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ key: key.optional(), label: key.optional(), agentId: key.optional() }),
    result: () => session,
  },
  "sessions.create": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ key, workspace: folder.optional(), displayName: z.string().min(1).max(200).optional() }),
    result: () => session,
  },
  "sessions.patch": {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        key,
        label: z.string().max(200).nullable().optional(),
        sendPolicy: z.enum(["allow", "deny"]).nullable().optional(),
        pinned: z.boolean().optional(),
        archived: z.boolean().optional(),
        workspace: folder.nullable().optional(),
      }),
    result: () => session,
  },
  "sessions.settings": { access: "owner", stores: false, params: () => z.strictObject({ key }), result: () => SessionSettingsSchema },
  "sessions.choose": {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        key,
        mode: z.enum(SESSION_MODE_IDS).optional(),
        model: key.nullable().optional(),
        thinking: z.enum(THINKING_LEVEL_IDS).nullable().optional(),
      }),
    result: () => SessionSettingsSchema,
  },
  "sessions.reset": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ key }),
    result: () => session,
  },
  "sessions.delete": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ key }),
    result: () => z.strictObject({ deleted: z.boolean() }),
  },
});
