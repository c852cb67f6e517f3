import * as z from "zod";
import {
  KnowledgeFileSchema,
  MAX_KNOWLEDGE_FILE_BYTES,
  MAX_UPLOAD_PART_BYTES,
  MAX_WORKSPACE_FILE_CHARS,
  WORKSPACE_FILES,
  WorkspaceFileSchema,
  WorkspaceFileVersionSchema,
  type KnowledgeFile,
  type WorkspaceFile,
  type WorkspaceFileName,
  type WorkspaceFileVersion,
} from "../shapes/workspace-files.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/**
 * Methods of the files in an agent's workspace; the default agent's without `agentId`. They reject with `not-found` for an unknown agent, and with `unavailable`
 * for a file that cannot be read or written.
 */
export interface FileMethods {
  /** The files that say who the agent is, those that are not there included, and its knowledge files by name. Changes nothing. */
  "files.list": {
    params: { readonly agentId?: string };
    result: {
      readonly agentId: string;
      /** Absolute path of the folder. */
      readonly workspace: string;
      readonly files: readonly WorkspaceFile[];
      /** What a changed file held until then is kept (`tools.checkpoints`). */
      readonly keepsVersions: boolean;
      /** In the folder `knowledge`; the first 500 by name. */
      readonly knowledge: readonly KnowledgeFile[];
    };
  };
  /** The text of a file, empty for one that is not there. Rejects with `too-large` for more than 100,000 characters. */
  "files.read": {
    params: { readonly agentId?: string; readonly path: WorkspaceFileName };
    result: { readonly agentId: string; readonly path: WorkspaceFileName; readonly text: string; readonly baseHash: string };
  };
  /**
   * Writes a file; its present text becomes a version. `baseHash` is that of `files.read`: rejects with `conflict` if the file has changed since. New
   * conversations have the new text; others are told that it has changed.
   */
  "files.write": {
    params: { readonly agentId?: string; readonly path: WorkspaceFileName; readonly text: string; readonly baseHash: string };
    result: { readonly agentId: string; readonly path: WorkspaceFileName; readonly baseHash: string };
  };
  /** What a file held before its changes, newest first. */
  "files.versions": {
    params: { readonly agentId?: string; readonly path: WorkspaceFileName };
    result: { readonly agentId: string; readonly path: WorkspaceFileName; readonly versions: readonly WorkspaceFileVersion[] };
  };
  /** The text of a version. Rejects with `not-found` if there is no such version. */
  "files.version": {
    params: { readonly agentId?: string; readonly path: WorkspaceFileName; readonly id: string };
    result: { readonly text: string };
  };
  /** Writes a version into its file, whose present text becomes a version. Rejects with `not-found` if there is no such version. */
  "files.restore": {
    params: { readonly agentId?: string; readonly path: WorkspaceFileName; readonly id: string };
    result: { readonly agentId: string; readonly path: WorkspaceFileName; readonly baseHash: string };
  };
  /**
   * Puts a file into the folder `knowledge`, in parts of 384 KiB at most, in order: `offset` is what was sent before, `data` base64. After the last part the
   * result has the name of the file, with a number if there was one of this name. Parts are kept for five minutes; rejects with `conflict` for a part that does
   * not follow what came before, after which the upload begins again at 0. `too-large`: above 20 MB, or the folder is full.
   */
  "files.add": {
    params: {
      readonly agentId?: string;
      readonly name: string;
      /** Chosen by the client, another one for each file. */
      readonly uploadId: string;
      readonly sizeBytes: number;
      readonly offset: number;
      readonly data: string;
    };
    result: { readonly agentId: string; readonly receivedBytes: number; readonly added?: KnowledgeFile };
  };
  /** Removes a knowledge file. Rejects with `not-found` if no file has this name. */
  "files.remove": {
    params: { readonly agentId?: string; readonly name: string };
    result: { readonly agentId: string; readonly name: string };
  };
}

const agentId = key.optional();
const path = z.enum(WORKSPACE_FILES);
const name = z.string().min(1).max(255);
const written = z.lazy(() => z.strictObject({ agentId: z.string(), path, baseHash: z.string() }));

/** Rows of the file methods. */
export const FILE_METHODS: MethodTable<FileMethods> = defineMethods<FileMethods>()({
  "files.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId }),
    result: () =>
      z.strictObject({
        agentId: z.string(),
        workspace: z.string(),
        files: z.array(WorkspaceFileSchema),
        keepsVersions: z.boolean(),
        knowledge: z.array(KnowledgeFileSchema),
      }),
  },
  "files.read": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, path }),
    result: () => z.strictObject({ agentId: z.string(), path, text: z.string(), baseHash: z.string() }),
  },
  "files.write": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ agentId, path, text: z.string().max(MAX_WORKSPACE_FILE_CHARS), baseHash: z.string().max(64) }),
    result: () => written,
  },
  "files.versions": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, path }),
    result: () => z.strictObject({ agentId: z.string(), path, versions: z.array(WorkspaceFileVersionSchema) }),
  },
  "files.version": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, path, id: key }),
    result: () => z.strictObject({ text: z.string() }),
  },
  "files.restore": { access: "owner", stores: true, params: () => z.strictObject({ agentId, path, id: key }), result: () => written },
  "files.add": {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        agentId,
        name,
        uploadId: z.string().min(8).max(100),
        sizeBytes: z.number().int().min(0).max(MAX_KNOWLEDGE_FILE_BYTES),
        offset: z.number().int().min(0).max(MAX_KNOWLEDGE_FILE_BYTES),
        data: z.base64().max(Math.ceil(MAX_UPLOAD_PART_BYTES / 3) * 4),
      }),
    result: () => z.strictObject({ agentId: z.string(), receivedBytes: z.number(), added: KnowledgeFileSchema.optional() }),
  },
  "files.remove": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, name }),
    result: () => z.strictObject({ agentId: z.string(), name: z.string() }),
  },
});
