import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { t } from "../i18n/t.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./command-palette.module.css";
import { type Command, findCommands, useCommands } from "./use-commands.ts";

/** Rows that are shown at most: more are found by another word. */
const MAX_ROWS = 50;

/** Finds a page, an action or a conversation by words. Arrows choose, Enter runs. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }): React.JSX.Element {
  const id = useId();
  const commands = useCommands();
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const found = findCommands(commands, query).slice(0, MAX_ROWS);
  const chosen = found[Math.min(index, found.length - 1)];
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen?.id]);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    // First, so that the focus returns before the command moves it.
    onClose();
    queueMicrotask(command.run);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const to = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: query === "" ? 0 : undefined,
      End: query === "" ? found.length - 1 : undefined,
    }[event.key];
    if (event.key === "Enter") run(chosen);
    if (to !== undefined) setIndex(Math.max(0, Math.min(found.length - 1, to)));
    if (event.key === "Enter" || to !== undefined) event.preventDefault();
  };
  return (
    <Dialog title={t("Go to")} onClose={onClose}>
      <input
        data-initial-focus
        className={styles["input"]}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-label={t("Search pages and actions")}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${found.indexOf(chosen)}`}
        placeholder={t("Search pages and actions")}
        value={query}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setQuery(event.target.value);
          setIndex(0);
        }}
      />
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no element lets a field choose in it */}
      <div ref={list} id={`${id}-list`} className={styles["list"]} role="listbox" aria-label={t("Results")}>
        {found.map((command, row) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the field above takes the keys and keeps the focus
          <div
            key={command.id}
            id={`${id}-${row}`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option belongs to a select
            role="option"
            className={styles["option"]}
            aria-selected={command === chosen}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span dir="auto">{command.label}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p>{t("Nothing has these words.")}</p> : null}
    </Dialog>
  );
}
