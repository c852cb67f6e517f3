import { type FocusEvent, type KeyboardEvent, useState } from "react";

/** Makes a list of buttons one tab stop: arrows, Home and End move inside. */
export interface RovingFocus {
  /** The button that Tab focuses: that of the row that had the focus last. */
  readonly tabIndexOf: (key: string) => 0 | -1;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  readonly onFocus: (event: FocusEvent<HTMLElement>) => void;
}

/** Buttons name their row in `data-row`; up and down move to the same kind of button (`data-part`) in the next row, left and right along a row. */
export function useRovingFocus(keys: readonly string[], preferred: string | undefined): RovingFocus {
  const [last, setLast] = useState<string>();
  const stop = [last, preferred].find((key) => key !== undefined && keys.includes(key)) ?? keys[0];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const from = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-row]") : null;
    if (from === null) return;
    const to = next(event.currentTarget, from, event.key);
    if (to === undefined) return;
    event.preventDefault();
    to.focus();
  };
  return {
    tabIndexOf: (key) => (key === stop ? 0 : -1),
    onKeyDown,
    onFocus: ({ target }) => {
      const key = target.closest<HTMLElement>("[data-row]")?.dataset["row"];
      if (key !== undefined) setLast(key);
    },
  };
}

function next(list: HTMLElement, from: HTMLElement, key: string): HTMLElement | undefined {
  const { row, part } = from.dataset;
  const all = [...list.querySelectorAll<HTMLElement>("[data-row]")];
  const column = all.filter((element) => element.dataset["part"] === part);
  const index = column.indexOf(from);
  switch (key) {
    case "ArrowDown":
      return column[index + 1];
    case "ArrowUp":
      return index > 0 ? column[index - 1] : undefined;
    case "Home":
      return column[0];
    case "End":
      return column.at(-1);
    case "ArrowRight":
    case "ArrowLeft":
      return all.find(
        (element) =>
          element.dataset["row"] === row && element !== from && (element.dataset["part"] === "manage") === (key === "ArrowRight"),
      );
    default:
      return undefined;
  }
}
