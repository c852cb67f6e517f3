import { useState } from "react";
import { t } from "../i18n/t.ts";

interface CopyButtonProps {
  /** Called when the button is pressed, so that a growing text is not joined on every token. */
  readonly text: () => string;
  /** Names the content for screen readers. */
  readonly what: string;
  /** "Copy" if omitted. */
  readonly label?: string;
}

/** Copies a text. Absent without a clipboard: on pages without TLS from another machine. */
export function CopyButton({ text, what, label }: CopyButtonProps): React.JSX.Element | null {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const clipboard: Clipboard | undefined = typeof navigator === "undefined" ? undefined : navigator.clipboard;
  if (clipboard === undefined) return null;
  const copy = (): void => {
    clipboard.writeText(text()).then(
      () => setState("copied"),
      () => setState("failed"),
    );
  };
  const words = { ready: label ?? t("Copy"), copied: t("Copied"), failed: t("Not allowed") };
  return (
    <button type="button" className="text-button" onClick={copy} onBlur={() => setState("ready")}>
      <span aria-live="polite">{words[state]}</span>
      <span className="sr-only"> {what}</span>
    </button>
  );
}
