import * as z from "zod";
import {
  MemoryAuditNoteSchema,
  MemoryFileSchema,
  MemoryForgetReportSchema,
  MemoryForgetScopeSchema,
  MemoryTextSchema,
  MemoryFileChangeSchema,
  MemorySearchHitSchema,
  MemoryNoteSchema,
  MemoryNoteVersionSchema,
  MemoryStateSchema,
  type MemoryAuditNote,
  type MemoryFile,
  type MemoryForgetReport,
  type MemoryForgetScope,
  type MemoryText,
  type MemoryFileChange,
  type MemoryNote,
  type MemoryNoteVersion,
  type MemorySearchHit,
  type MemoryState,
} from "../shapes/memory.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** Characters of a note at most. */
export const MAX_NOTE_TEXT_CHARS = 900_000;

/** Methods of what an agent remembers; the default agent's without `agentId`. They reject with `not-found` for an unknown agent. */
export interface MemoryMethods {
  /** What is indexed, and what is wrong. Changes nothing. */
  "memory.status": { params: { readonly agentId?: string }; result: MemoryState };
  /** Searches as `memory_search` does, best hit first; 6 hits, of both sources, by default. `degraded` says why it was less complete than usual. */
  "memory.search": {
    params: {
      readonly agentId?: string;
      readonly query: string;
      readonly maxResults?: number;
      readonly sources?: readonly ("notes" | "sessions")[];
    };
    result: { readonly agentId: string; readonly hits: readonly MemorySearchHit[]; readonly degraded?: string };
  };
  /**
   * Brings the index up to date. With `rebuild` every note is read again, and a new index takes the place of the old one when it is whole. `changes` names the
   * first 200 files, `changed` counts them all.
   */
  "memory.index": {
    params: { readonly agentId?: string; readonly rebuild?: boolean };
    result: { readonly status: MemoryState; readonly changed: number; readonly changes: readonly MemoryFileChange[] };
  };
  /** The notes in the workspace, by path. */
  "memory.list": { params: { readonly agentId?: string }; result: { readonly agentId: string; readonly notes: readonly MemoryFile[] } };
  /** The text of a note. Rejects with `not-found`, and with `conflict` if it is no text, larger than 1 MiB, or reached by a link. */
  "memory.read": { params: { readonly agentId?: string; readonly path: string }; result: MemoryText };
  /**
   * Writes a note, whose present text becomes a version. `baseHash` is that of `memory.read`; without it the note must not exist. A mark of a secret is kept in a
   * line that was not changed, and refused elsewhere. Rejects with `conflict` if the note is another one than that of `baseHash`; nothing is written then.
   */
  "memory.write": {
    params: { readonly agentId?: string; readonly path: string; readonly text: string; readonly baseHash?: string };
    result: MemoryText;
  };
  /** Removes a note, whose text becomes a version. Rejects like `memory.write`. */
  "memory.remove": {
    params: { readonly agentId?: string; readonly path: string; readonly baseHash: string };
    result: { readonly agentId: string; readonly path: string };
  };
  /** The notes that have versions; with a `path`, the versions of that note, newest first. Changes nothing. */
  "memory.versions": {
    params: { readonly agentId?: string; readonly path?: string };
    result: { readonly agentId: string; readonly notes: readonly MemoryNote[]; readonly versions: readonly MemoryNoteVersion[] };
  };
  /** The text of a version, without secrets. Rejects with `not-found` if there is no such version. */
  "memory.version": {
    params: { readonly agentId?: string; readonly path: string; readonly id: string };
    result: { readonly text: string };
  };
  /** Writes a version into its note, whose present text becomes a version. Rejects with `not-found`, and with `conflict` if the note cannot be written. */
  "memory.restore": {
    params: { readonly agentId?: string; readonly path: string; readonly id: string };
    result: { readonly agentId: string; readonly path: string };
  };
  /**
   * Forgets everywhere, for every agent. With `dryRun` it says what would go, and changes nothing. Otherwise the decision is stored and the gateway restarts, since
   * it could say again what it still knows: the start forgets before anything else. It cannot be undone. Rejects with `invalid-request` for a text of less than two
   * characters and an empty time, and with `unavailable` if the gateway could not start again.
   */
  "memory.forget": { params: { readonly scope: MemoryForgetScope; readonly dryRun?: boolean }; result: MemoryForgetReport };
  /** The entries of `MEMORY.md`, `USER.md` and the daily notes, where they come from, and what is wrong with them. Changes nothing. */
  "memory.audit": {
    params: { readonly agentId?: string };
    result: { readonly agentId: string; readonly notes: readonly MemoryAuditNote[] };
  };
}

const agentId = key.optional();
const path = z.string().min(1).max(1000);
const hash = z.string().length(64);

/** Rows of the memory methods. */
export const MEMORY_METHODS: MethodTable<MemoryMethods> = defineMethods<MemoryMethods>()({
  "memory.status": { access: "owner", stores: false, params: () => z.strictObject({ agentId }), result: () => MemoryStateSchema },
  "memory.search": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        agentId,
        query: z.string().min(1).max(1000),
        maxResults: z.number().int().min(1).max(50).optional(),
        sources: z
          .array(z.enum(["notes", "sessions"]))
          .min(1)
          .max(2)
          .optional(),
      }),
    result: () => z.strictObject({ agentId: z.string(), hits: z.array(MemorySearchHitSchema), degraded: z.string().optional() }),
  },
  "memory.index": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, rebuild: z.boolean().optional() }),
    result: () => z.strictObject({ status: MemoryStateSchema, changed: z.number(), changes: z.array(MemoryFileChangeSchema) }),
  },
  "memory.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId }),
    result: () => z.strictObject({ agentId: z.string(), notes: z.array(MemoryFileSchema) }),
  },
  "memory.read": { access: "owner", stores: false, params: () => z.strictObject({ agentId, path }), result: () => MemoryTextSchema },
  "memory.write": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ agentId, path, text: z.string().max(MAX_NOTE_TEXT_CHARS), baseHash: hash.optional() }),
    result: () => MemoryTextSchema,
  },
  "memory.remove": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ agentId, path, baseHash: hash }),
    result: () => z.strictObject({ agentId: z.string(), path: z.string() }),
  },
  "memory.versions": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, path: path.optional() }),
    result: () => z.strictObject({ agentId: z.string(), notes: z.array(MemoryNoteSchema), versions: z.array(MemoryNoteVersionSchema) }),
  },
  "memory.version": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, path, id: key }),
    result: () => z.strictObject({ text: z.string() }),
  },
  "memory.restore": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, path, id: key }),
    result: () => z.strictObject({ agentId: z.string(), path: z.string() }),
  },
  "memory.forget": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ scope: MemoryForgetScopeSchema, dryRun: z.boolean().optional() }),
    result: () => MemoryForgetReportSchema,
  },
  "memory.audit": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId }),
    result: () => z.strictObject({ agentId: z.string(), notes: z.array(MemoryAuditNoteSchema) }),
  },
});
