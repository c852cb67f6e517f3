import { useState } from "react";
import { ScrollBox } from "../views/scroll-box.tsx";

/** A block of code with its language and a button that copies it. */
export function CodeBlock({ text, language }: { readonly text: string; readonly language?: string | undefined }): React.JSX.Element {
  return (
    <figure className="code">
      <figcaption className="code-bar">
        <span>{language ?? "text"}</span>
        <CopyButton text={text} />
      </figcaption>
      <ScrollBox className="code-scroll" label={language === undefined ? "Code" : `Code, ${language}`}>
        <pre>
          <code>{text}</code>
        </pre>
      </ScrollBox>
    </figure>
  );
}

/** Not there on pages without a clipboard: those that were not loaded over TLS or from this machine. */
function CopyButton({ text }: { readonly text: string }): React.JSX.Element | null {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return null;
  const copy = (): void => {
    clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("failed"),
    );
  };
  const words = { ready: "Copy", copied: "Copied", failed: "Not allowed" };
  return (
    <button type="button" className="text-button" onClick={copy} onBlur={() => setState("ready")}>
      <span aria-live="polite">{words[state]}</span>
      <span className="sr-only"> code</span>
    </button>
  );
}
