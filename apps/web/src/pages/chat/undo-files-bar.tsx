import { useEffect, useState } from "react";
import type { ChatState } from "../../chat/chat-state.ts";
import { findUndo, mayHaveChangedFiles, type ChangedTurn } from "../../chat/undoable-turn.ts";
import { useController } from "../../app/app-context.ts";
import { t } from "../../i18n/t.ts";

/** Below the newest turn: offers to give files back what they held before it. The gateway's answer to the command says what became of each. */
export function UndoFilesBar({ chat: { sessionKey, entries, live, queued } }: { readonly chat: ChatState }): React.JSX.Element | null {
  const controller = useController();
  const [changed, setChanged] = useState<ChangedTurn>();
  const [sentFor, setSentFor] = useState<string>();
  const isIdle = live === undefined && queued === 0;
  const lastId = entries.at(-1)?.id;
  const mayOffer = isIdle && mayHaveChangedFiles(entries);
  useEffect(() => {
    if (!mayOffer) return undefined;
    let isCurrent = true;
    void controller.newestChange(sessionKey).then((turn) => {
      if (isCurrent) setChanged(turn);
    });
    return () => {
      isCurrent = false;
    };
  }, [controller, sessionKey, lastId, mayOffer]);
  const offer = mayOffer ? findUndo(entries, changed) : undefined;
  if (offer === undefined || sentFor === lastId) return null;
  const [first, ...others] = offer.files;
  const isForced = offer.command !== "/undo";
  const count = offer.files.length;
  return (
    <div className="message-actions">
      <button
        type="button"
        className="text-button"
        title={offer.files.join("\n")}
        onClick={() => {
          setSentFor(lastId);
          controller.send(offer.command);
        }}
      >
        {others.length === 0 && first !== undefined ? wordsForOne(first, isForced) : wordsForSeveral(count, isForced)}
      </button>
    </div>
  );
}

function wordsForOne(file: string, isForced: boolean): string {
  return isForced ? t("Undo the change of {file} all the same", { file }) : t("Undo the change of {file}", { file });
}

function wordsForSeveral(count: number, isForced: boolean): string {
  return isForced ? t("Undo the changes of {count} files all the same", { count }) : t("Undo the changes of {count} files", { count });
}
