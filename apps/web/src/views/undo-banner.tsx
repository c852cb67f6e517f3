import { useAppState, useController } from "./app-context.ts";

/** Says that a conversation is being deleted, for as long as that can be taken back. */
export function UndoBanner(): React.JSX.Element {
  const deleting = useAppState((state) => state.deleting);
  const controller = useController();
  return (
    <output>
      {deleting === undefined ? null : (
        <span className="banner">
          <span>Deleted “{deleting.title}”.</span>
          <button type="button" className="text-button" onClick={() => controller.undoDelete()}>
            Undo
          </button>
        </span>
      )}
    </output>
  );
}
