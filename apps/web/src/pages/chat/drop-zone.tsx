import { useEffect, useRef, useState } from "react";
import { t } from "../../i18n/t.ts";

/** Accepts files that are dropped anywhere on the page, with a hint while they are dragged. The button does the same without a mouse. */
export function DropZone({ onFiles }: { readonly onFiles: (files: FileList) => void }): React.JSX.Element | null {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  useEffect(() => {
    take.current = onFiles;
  });
  useEffect(() => {
    const ending = new AbortController();
    const listen = (type: "dragenter" | "dragover" | "dragleave" | "drop", listener: (event: DragEvent) => void): void =>
      window.addEventListener(
        type,
        (event) => {
          // Text that is dragged inside a field is left to the browser.
          if (event.dataTransfer?.types.includes("Files") === true) listener(event);
        },
        { signal: ending.signal },
      );
    const hold = (event: DragEvent): void => {
      event.preventDefault();
      setOver(true);
    };
    listen("dragenter", hold);
    listen("dragover", hold);
    // Moving between elements of the page is not leaving it.
    listen("dragleave", (event) => event.relatedTarget === null && setOver(false));
    listen("drop", (event) => {
      event.preventDefault();
      setOver(false);
      if (event.dataTransfer !== null) take.current(event.dataTransfer.files);
    });
    return () => ending.abort();
  }, []);
  return isOver ? (
    <div className="drop-zone" aria-hidden="true">
      <p>{t("Drop files to attach them")}</p>
    </div>
  ) : null;
}
