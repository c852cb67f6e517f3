import { useState } from "react";
import { Markdown } from "../../markdown/markdown.tsx";
import { plainText } from "../../markdown/plain-text.ts";
import { t } from "../../i18n/t.ts";

/** The model's thoughts: a line with the current topic, and the full text on demand. */
export function Thinking({ text, live }: { readonly text: string; readonly live: boolean }): React.JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details className="thinking" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{live ? t("Thinking…") : t("Thoughts")}</span>
        <span className="thinking-line" dir="auto">
          {newestLine(text)}
        </span>
      </summary>
      {/* // Not rendered with every update while it is closed. */}
      <div className="thinking-text">{open ? <Markdown text={text} live={live} /> : null}</div>
    </details>
  );
}

/** The first line of the newest paragraph, without its marks. */
function newestLine(text: string): string {
  const paragraph = text.slice(text.trimEnd().lastIndexOf("\n\n") + 1).trim();
  const [line = ""] = paragraph.split("\n", 1);
  return plainText(line.slice(0, 200));
}
