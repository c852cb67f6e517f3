import { useState } from "react";
import { useController } from "../../app/app-context.ts";
import type { ChatState } from "../../chat/chat-state.ts";
import type { UndoOffer } from "../../chat/undoable-turn.ts";
import { t } from "../../i18n/t.ts";
import { useUndoOffer } from "./use-undo-offers.ts";

/** Below the newest turn: offers to give files back what they held before it. The gateway's answer to the command says what became of each. */
export function UndoFilesBar({
  chat: { live, queued },
  offer,
}: {
  readonly chat: ChatState;
  readonly offer: UndoOffer | undefined;
}): React.JSX.Element | null {
  const press = useUndo(offer);
  if (offer === undefined || press === undefined || live !== undefined || queued > 0) return null;
  return (
    <div className="message-actions">
      <UndoButton offer={offer} onPress={press} />
    </div>
  );
}

/** Among the actions of an earlier turn: the same for it alone. */
export function UndoEarlier({ entryId }: { readonly entryId: string | undefined }): React.JSX.Element | null {
  const offer = useUndoOffer(entryId);
  const press = useUndo(offer);
  return offer === undefined || press === undefined ? null : <UndoButton offer={offer} onPress={press} />;
}

/** Sends the command of an offer; `undefined` once it was sent, since what comes of it is another offer. */
function useUndo(offer: UndoOffer | undefined): (() => void) | undefined {
  const controller = useController();
  const [sent, setSent] = useState<string>();
  const key = offer === undefined ? undefined : `${offer.turnId} ${offer.isForced}`;
  if (offer === undefined || sent === key) return undefined;
  return () => {
    setSent(key);
    controller.send(offer.command);
  };
}

interface UndoButtonProps {
  readonly offer: UndoOffer;
  readonly onPress: () => void;
}

function UndoButton({ offer: { isForced, files }, onPress }: UndoButtonProps): React.JSX.Element {
  const [first, ...others] = files;
  return (
    <button type="button" className="text-button" title={files.join("\n")} onClick={onPress}>
      {others.length === 0 && first !== undefined ? wordsForOne(first, isForced) : wordsForSeveral(files.length, isForced)}
    </button>
  );
}

function wordsForOne(file: string, isForced: boolean): string {
  return isForced ? t("Undo the change of {file} all the same", { file }) : t("Undo the change of {file}", { file });
}

function wordsForSeveral(count: number, isForced: boolean): string {
  return isForced ? t("Undo the changes of {count} files all the same", { count }) : t("Undo the changes of {count} files", { count });
}
