import { useAppState, useController } from "../app/app-context.ts";

/** Shows a pending deletion for as long as it can be undone. */
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
