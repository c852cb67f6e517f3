import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** The files of a workspace that say who an agent is and how it works, in the order in which people read them. Notes (`MEMORY.md`) are the memory's. */
export const WORKSPACE_FILES = ["SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"] as const;

/** Name of such a file. */
export type WorkspaceFileName = (typeof WORKSPACE_FILES)[number];

/** UTF-16 units of such a file at most; prompts show far less of it. */
export const MAX_WORKSPACE_FILE_CHARS = 100_000;

/** Bytes of a knowledge file at most. */
export const MAX_KNOWLEDGE_FILE_BYTES = 20_000_000;

/** Bytes of one part of an upload at most. */
export const MAX_UPLOAD_PART_BYTES: number = 384 * 1024;

/** A file that says who an agent is, or could. */
export interface WorkspaceFile {
  readonly path: WorkspaceFileName;
  readonly isThere: boolean;
  readonly sizeBytes: number;
  /** When it was last changed; absent if it is not there. */
  readonly changedAtMs?: number;
  /** Estimated tokens of it in every prompt of a new conversation; 0 if it is empty or not shown. */
  readonly promptTokens: number;
  /** Prompts show its beginning only: it is longer than the limits allow. */
  readonly isCut: boolean;
  /** How many earlier texts are kept. */
  readonly versions: number;
}

/** A file in the folder `knowledge` of a workspace. */
export interface KnowledgeFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly changedAtMs: number;
}

/** What a file held until it was changed. */
export interface WorkspaceFileVersion {
  readonly id: string;
  /** When it was replaced. */
  readonly atMs: number;
  readonly sizeBytes: number;
  /** It may hold text of others. */
  readonly untrusted: boolean;
}

/** Parses a file of a workspace. */
export const WorkspaceFileSchema: z.ZodType<WorkspaceFile> = parserOf<WorkspaceFile>()(() =>
  z.strictObject({
    path: z.enum(WORKSPACE_FILES),
    isThere: z.boolean(),
    sizeBytes: z.number(),
    changedAtMs: z.number().optional(),
    promptTokens: z.number(),
    isCut: z.boolean(),
    versions: z.number(),
  }),
);

/** Parses a knowledge file. */
export const KnowledgeFileSchema: z.ZodType<KnowledgeFile> = parserOf<KnowledgeFile>()(() =>
  z.strictObject({ name: z.string(), sizeBytes: z.number(), changedAtMs: z.number() }),
);

/** Parses a version. */
export const WorkspaceFileVersionSchema: z.ZodType<WorkspaceFileVersion> = parserOf<WorkspaceFileVersion>()(() =>
  z.strictObject({ id: z.string(), atMs: z.number(), sizeBytes: z.number(), untrusted: z.boolean() }),
);
