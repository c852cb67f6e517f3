import { useRef } from "react";
import { Icon } from "../../ui/icon.tsx";
import { describeLimits } from "./use-attachments.ts";
import { t } from "../../i18n/t.ts";

/** Opens the browser's file chooser. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }): React.JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // Allows choosing the same file again.
          target.value = "";
        }}
      />
      <button
        type="button"
        className="icon-button"
        aria-label={t("Attach files")}
        title={t("Attach files: {limits}", { limits: describeLimits() })}
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  );
}
