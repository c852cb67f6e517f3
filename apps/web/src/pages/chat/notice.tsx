import type { NoticeBlock } from "@factotum/protocol";
import type { ChatItem } from "../../chat/chat-items.ts";
import { lazy, Suspense } from "react";
import { useAppState } from "../../app/app-context.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { Markdown } from "../../markdown/markdown.tsx";

/** Text of the gateway: the answer to a command with its structure, or a sentence with its line breaks. */
export function Notice({ item }: { readonly item: Extract<ChatItem, { type: "notice" }> }): React.JSX.Element {
  return (
    <div className={`notice ${item.level}`}>
      {item.blocks === undefined ? (
        <Markdown text={gatewayText(item.text)} />
      ) : (
        item.blocks.map((block, index) => (
          // A notice never changes.
          <Block key={index} block={block} />
        ))
      )}
      {item.request?.type === "decision" ? <Decision id={item.request.id} /> : null}
    </div>
  );
}

/** Loaded with the first call that waits. */
const InlineApproval = lazy(async () => ({ default: (await import("./inline-approval.tsx")).InlineApproval }));

/** The buttons of a call, for as long as it waits. */
function Decision({ id }: { readonly id: string }): React.JSX.Element | null {
  const approval = useAppState((state) => state.waitingCalls?.find((waiting) => waiting.id === id));
  if (approval === undefined) return null;
  return (
    <Suspense fallback={null}>
      <InlineApproval approval={approval} />
    </Suspense>
  );
}

function Block({ block }: { readonly block: NoticeBlock }): React.JSX.Element {
  switch (block.type) {
    case "text":
      return <p dir="auto">{gatewayText(block.text)}</p>;
    case "quote":
      return <Markdown text={block.text} />;
    case "list":
      return (
        <ul>
          {block.items.map((item) => (
            <li key={item} dir="auto">
              {gatewayText(item)}
            </li>
          ))}
        </ul>
      );
    case "rows":
      return (
        <dl>
          {block.rows.map(({ name, text }) => (
            <div key={name} className="notice-row">
              <dt>{gatewayText(name)}</dt>
              <dd dir="auto">{gatewayText(text)}</dd>
            </div>
          ))}
        </dl>
      );
  }
}
