import { type RefObject, useEffect, useRef } from "react";
import { useAppState } from "../../app/app-context.ts";

/** Puts a text that the person wants to edit into the message field. */
export function useEditedText(change: (text: string) => void, input: RefObject<HTMLTextAreaElement | null>): void {
  const edit = useAppState((state) => state.edit);
  const done = useRef(edit?.serial);
  useEffect(() => {
    if (edit === undefined || done.current === edit.serial) return;
    done.current = edit.serial;
    change(edit.text);
    input.current?.focus();
  });
}
