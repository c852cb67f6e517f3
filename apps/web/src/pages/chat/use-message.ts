import type { RefObject } from "react";
import { useController } from "../../app/app-context.ts";
import type { Attachments } from "./use-attachments.ts";
import { useDraft } from "./use-draft.ts";
import { useEditedText } from "./use-edited-text.ts";

/** The message that is being written. */
export interface WrittenMessage {
  readonly text: string;
  readonly isEmpty: boolean;
  readonly isUploading: boolean;
  /** It is another version of an earlier message. */
  readonly isEdit: boolean;
  readonly change: (text: string) => void;
  /** Nothing is sent of an empty message, or of one whose files are on their way. */
  readonly send: () => void;
  /** Leaves the earlier message as it is. */
  readonly cancelEdit: () => void;
}

/** The draft of a session's message with its files, and what becomes of it. */
export function useMessage(
  sessionKey: string,
  { input, attachments }: { readonly input: RefObject<HTMLTextAreaElement | null>; readonly attachments: Attachments },
): WrittenMessage {
  const controller = useController();
  const [text, change] = useDraft(sessionKey);
  const edited = useEditedText(sessionKey, change, input);
  const { files } = attachments;
  // The files of an edited message go with it by themselves.
  const isEmpty = text.trim() === "" && (edited !== undefined || files.length === 0);
  const isUploading = files.some(({ ref }) => ref === undefined);
  const send = (): void => {
    if (isEmpty || isUploading) return;
    if (edited === undefined) {
      const sent = files.flatMap(({ ref, kind, name }) => (ref === undefined ? [] : [{ ref, kind, fileName: name.slice(0, 200) }]));
      controller.send(text.trim(), sent);
      attachments.clear();
    } else controller.branches.sendEdited(edited, text.trim());
    change("");
    input.current?.focus();
  };
  const cancelEdit = (): void => {
    controller.branches.endEdit();
    change("");
    input.current?.focus();
  };
  return { text, isEmpty, isUploading, isEdit: edited !== undefined, change, send, cancelEdit };
}
