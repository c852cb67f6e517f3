import { useState } from "react";
import { isSame } from "./merge-patch.ts";

/** A value as text, and back. */
interface Writing {
  readonly format: (value: unknown) => string;
  /** What the text means; an unreadable one is a value too, which the gateway refuses. */
  readonly parse: (text: string) => unknown;
}

/** The text of a control while a person types: it stays as typed for as long as it means the value, so that an unfinished `1.` or a new line is not lost. */
export function useTyped(
  value: unknown,
  onChange: (value: unknown) => void,
  { format, parse }: Writing,
): readonly [text: string, type: (text: string) => void] {
  const [typed, setTyped] = useState<string>();
  const text = typed !== undefined && isSame(parse(typed), value) ? typed : format(value);
  return [
    text,
    (next) => {
      setTyped(next);
      onChange(parse(next));
    },
  ];
}
