import type { ChatFile } from "@factotum/protocol";
import { MAX_CHAT_ATTACHMENTS, MAX_UPLOAD_BYTES } from "@factotum/protocol";
import { useEffect, useRef, useState } from "react";
import { randomId } from "../../app/random-id.ts";
import { useController } from "../../app/app-context.ts";
import { loadFileNames, storeFileNames } from "./lost-files.ts";
import { t } from "../../i18n/t.ts";

/** A file being attached to a message; `ref` and `kind` are set once it was uploaded. */
interface PendingFile {
  readonly id: string;
  readonly name: string;
  /** Of an image. */
  readonly previewUrl?: string | undefined;
  readonly ref?: string;
  readonly kind?: ChatFile["kind"];
}

/** The unsent attachments of a session. */
export interface Attachments {
  readonly files: readonly PendingFile[];
  /** Why something was rejected. */
  readonly problem: string | undefined;
  /** Names of files that a reload has removed. */
  readonly lost: readonly string[];
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (id: string) => void;
  /** Removes all attachments, after sending. */
  readonly clear: () => void;
  /** Dismisses `lost`. */
  readonly forgetLost: () => void;
}

/** The limits, as text. */
export function describeLimits(): string {
  return t("up to {size} MB each, {count} in a message", {
    size: MAX_UPLOAD_BYTES / 1_000_000,
    count: MAX_CHAT_ATTACHMENTS,
  });
}

interface Draft {
  readonly files: readonly PendingFile[];
  readonly lost: readonly string[];
  readonly problem?: string | undefined;
}

const EMPTY: Draft = { files: [], lost: [] };

function loadDraft(sessionKey: string): Draft {
  return { files: [], lost: loadFileNames(sessionStorage, sessionKey) };
}

/**
 * The files of every session's next message. They are uploaded at once, so that sending takes no time; a reload discards them and keeps their names, unmounting the
 * view discards both. Without a session nothing can be attached.
 */
export function useAttachments(sessionKey = ""): Attachments {
  const controller = useController();
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Draft>>(new Map());
  const draft = drafts.get(sessionKey) ?? loadDraft(sessionKey);
  useEffect(() => {
    for (const [key, { files, lost }] of drafts) storeFileNames(sessionStorage, key, [...lost, ...files.map(({ name }) => name)]);
  }, [drafts]);
  const change = (update: (draft: Draft) => Draft): void =>
    setDrafts((all) => new Map(all).set(sessionKey, update(all.get(sessionKey) ?? loadDraft(sessionKey))));
  const without = (id: string): void => change(({ files, ...rest }) => ({ ...rest, files: files.filter((file) => file.id !== id) }));
  const previews = useRef(new Map<string, string>());
  const forget = (id: string): void => {
    URL.revokeObjectURL(previews.current.get(id) ?? "");
    previews.current.delete(id);
  };

  const upload = async (file: File, id: string): Promise<void> => {
    const outcome = await controller.upload(file);
    if (outcome.type === "uploaded") {
      const taken = (file: PendingFile): PendingFile => (file.id === id ? { ...file, ref: outcome.ref, kind: outcome.kind } : file);
      change(({ files, ...rest }) => ({ ...rest, files: files.map(taken) }));
      return;
    }
    without(id);
    forget(id);
    change((rest) => ({ ...rest, problem: t("{name}: {value}", { name: file.name, value: outcome.message }) }));
  };
  const add = (files: Iterable<File>): void => {
    let room = MAX_CHAT_ATTACHMENTS - draft.files.length;
    let problem: string | undefined;
    for (const file of files) {
      if (file.size > MAX_UPLOAD_BYTES || room === 0) {
        problem = t("{name} cannot be attached: {limits}.", { name: file.name, limits: describeLimits() });
        continue;
      }
      room -= 1;
      const id = randomId();
      const previewUrl = file.type.startsWith("image/") ? URL.createObjectURL(file) : undefined;
      if (previewUrl !== undefined) previews.current.set(id, previewUrl);
      change(({ files, lost }) => ({
        files: [...files, { id, name: file.name, previewUrl }],
        lost: lost.filter((name) => name !== file.name),
      }));
      void upload(file, id);
    }
    change(({ files, lost }) => ({ files, lost, problem }));
  };
  return {
    files: draft.files,
    problem: draft.problem,
    lost: draft.lost,
    add,
    remove: (id) => {
      without(id);
      forget(id);
    },
    clear: () => {
      for (const { id, ref, previewUrl } of draft.files) {
        // It is shown until the conversation has it.
        if (ref === undefined || previewUrl === undefined) forget(id);
        else {
          previews.current.delete(id);
          controller.media.addPreview(ref, previewUrl);
        }
      }
      change(() => EMPTY);
    },
    forgetLost: () => change((now) => ({ ...now, lost: [] })),
  };
}
