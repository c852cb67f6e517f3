import { type RefObject, useEffect, useRef } from "react";
import { useAppState } from "../../app/app-context.ts";

/** Puts a text that the person wants to edit into the message field; the message of which it becomes another version, if it does. */
export function useEditedText(
  sessionKey: string,
  change: (text: string) => void,
  input: RefObject<HTMLTextAreaElement | null>,
): { readonly sessionKey: string; readonly entryId: string } | undefined {
  const edit = useAppState((state) => state.edit);
  const done = useRef(edit?.serial);
  useEffect(() => {
    if (edit === undefined || done.current === edit.serial) return;
    done.current = edit.serial;
    change(edit.text);
    input.current?.focus();
  });
  return edit?.of?.sessionKey === sessionKey ? edit.of : undefined;
}
