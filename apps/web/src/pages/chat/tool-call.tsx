import { memo, useState } from "react";
import type { ToolItem, ToolStatus } from "../../chat/chat-items.ts";
import { describeArguments } from "../../chat/describe-arguments.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { msg, t } from "../../i18n/t.ts";

const WORDS: Readonly<Record<ToolStatus, string>> = {
  waiting: msg("Waiting"),
  running: msg("Running"),
  done: msg("Done"),
  failed: msg("Failed"),
  stopped: msg("Stopped"),
  unfinished: msg("Did not finish"),
};
const ICONS: Readonly<Record<ToolStatus, IconName>> = {
  waiting: "clock",
  running: "clock",
  done: "check",
  failed: "cross",
  stopped: "stop",
  unfinished: "cross",
};

/** One tool call: a line with its name and subject; inside, its arguments and its output. Open while it runs and when it failed. */
export const ToolCall: React.NamedExoticComponent<{ readonly item: ToolItem }> = memo(function ToolCall({
  item,
}: {
  readonly item: ToolItem;
}) {
  const [choice, setChoice] = useState<boolean>();
  const open = choice ?? (item.status === "running" || item.status === "failed");
  const { line, block } = describeArguments(item.argumentsText);
  return (
    <details
      className={`tool ${item.status}`}
      open={open}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) setChoice(event.currentTarget.open);
      }}
    >
      <summary>
        <Icon name="chevron" />
        <span className="tool-name">{item.name}</span>
        <span className="tool-line">{line}</span>
        <span className="tool-status">
          <Icon name={ICONS[item.status]} />
          <span className={item.status === "done" ? "sr-only" : undefined}>{t(WORDS[item.status])}</span>
        </span>
      </summary>
      <div className="tool-body">
        {block === "" ? null : <Output label={t("Arguments of {tool}", { tool: item.name })} title={t("Arguments")} text={block} />}
        <Output
          label={t("Output of {tool}", { tool: item.name })}
          title={item.status === "failed" ? t("Error") : t("Output")}
          text={outputOf(item)}
        />
      </div>
    </details>
  );
});

function outputOf(item: ToolItem): string {
  if (item.output !== "") return item.output;
  return item.status === "running" || item.status === "waiting" ? t("(nothing yet)") : t("(nothing)");
}

function Output({ label, title, text }: { readonly label: string; readonly title: string; readonly text: string }): React.JSX.Element {
  return (
    <>
      <div className="tool-label" aria-hidden="true">
        {title}
      </div>
      <ScrollBox className="tool-text" label={label}>
        <pre>{text}</pre>
      </ScrollBox>
    </>
  );
}
