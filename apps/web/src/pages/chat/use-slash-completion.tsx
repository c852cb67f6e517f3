import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { CommandSummary } from "@factotum/protocol";
import { useSession } from "../../app/app-context.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { completeSlash, type Completion } from "./slash-completion.ts";
import styles from "./slash-completion.module.css";

/** The completion of commands in the message field. */
interface SlashCompletion {
  /** For the field. */
  readonly field: { readonly "aria-autocomplete"?: "list"; readonly "aria-controls"?: string; readonly "aria-activedescendant"?: string };
  /** True if it has used the key: ↑ and ↓ move, Tab and Enter choose, Escape closes. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  readonly list: React.JSX.Element | null;
}

/** Completes what begins with a slash by the commands that the agent of the session takes. */
export function useSlashCompletion(sessionKey: string, text: string, change: (text: string) => void): SlashCompletion {
  const id = useId();
  const commands = useCommands(sessionKey, text.startsWith("/"));
  const [closed, setClosed] = useState<string>();
  const [chosen, setChosen] = useState({ text: "", index: 0 });
  const options = closed === text ? [] : completeSlash(text, commands);
  const active = chosen.text === text ? Math.min(chosen.index, options.length - 1) : 0;
  const only = options.length === 1 ? options[0]?.text : undefined;
  // A complete command has nothing to choose.
  const isOpen = options.length > 0 && only !== text;
  const take = (option: Completion): void => {
    change(option.text);
    if (!option.text.endsWith(" ")) setClosed(option.text);
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.nativeEvent.isComposing) return false;
    const option = options[active];
    if (event.key === "ArrowDown") setChosen({ text, index: (active + 1) % options.length });
    else if (event.key === "ArrowUp") setChosen({ text, index: (active + options.length - 1) % options.length });
    else if (event.key === "Escape") setClosed(text);
    else if (option !== undefined && takes(event, option, text)) take(option);
    else return false;
    event.preventDefault();
    return true;
  };
  if (!isOpen) return { field: {}, onKeyDown, list: null };
  return {
    field: { "aria-autocomplete": "list", "aria-controls": id, "aria-activedescendant": `${id}-${active}` },
    onKeyDown,
    list: <CommandList id={id} options={options} active={active} onTake={take} />,
  };
}

/** A command that is complete is sent by Enter, even if more could follow it. */
function takes({ key, shiftKey }: KeyboardEvent, option: Completion, text: string): boolean {
  if (shiftKey) return false;
  return key === "Tab" ? option.text !== text : key === "Enter" && option.text.trim() !== text.trim();
}

function CommandList({
  id,
  options,
  active,
  onTake,
}: {
  readonly id: string;
  readonly options: readonly Completion[];
  readonly active: number;
  readonly onTake: (option: Completion) => void;
}): React.JSX.Element {
  const current = useRef<HTMLDivElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no element lets a field choose in it
    <div id={id} role="listbox" aria-label={t("Commands")} className={styles["list"]}>
      {options.map((option, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field takes the keys, and keeps the focus
        <div
          key={option.text}
          id={`${id}-${index}`}
          ref={index === active ? current : undefined}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option belongs to a select
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={styles["option"]}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(option)}
        >
          <span className={styles["name"]}>{option.label}</span>
          <span className={styles["detail"]} dir="auto">
            {gatewayText(option.detail)}
          </span>
        </div>
      ))}
    </div>
  );
}

/** The commands of a session, requested each time that one is begun; those of before until they came. */
function useCommands(sessionKey: string, isWanted: boolean): readonly CommandSummary[] {
  const { client } = useSession();
  const [known, setKnown] = useState<{ readonly sessionKey: string; readonly commands: readonly CommandSummary[] }>();
  useEffect(() => {
    if (!isWanted) return;
    let isCurrent = true;
    client.request("commands.list", { sessionKey }).then(
      ({ commands }) => isCurrent && setKnown({ sessionKey, commands }),
      (error: unknown) => {
        // Without a connection commands are typed as before.
        if (!(error instanceof RpcError)) throw error;
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [client, sessionKey, isWanted]);
  return known?.sessionKey === sessionKey ? known.commands : [];
}
