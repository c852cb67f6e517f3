import type { NoticeBlock } from "@factotum/protocol";
import type { ChatItem } from "../../chat/chat-items.ts";
import { Markdown } from "../../markdown/markdown.tsx";

/** Text of the gateway: the answer to a command with its structure, or a sentence with its line breaks. */
export function Notice({ item }: { readonly item: Extract<ChatItem, { type: "notice" }> }): React.JSX.Element {
  return (
    <div className={`notice ${item.level}`}>
      {item.blocks === undefined ? (
        <Markdown text={item.text} />
      ) : (
        item.blocks.map((block, index) => (
          // A notice never changes.
          <Block key={index} block={block} />
        ))
      )}
    </div>
  );
}

function Block({ block }: { readonly block: NoticeBlock }): React.JSX.Element {
  switch (block.type) {
    case "text":
      return <p dir="auto">{block.text}</p>;
    case "list":
      return (
        <ul>
          {block.items.map((item) => (
            <li key={item} dir="auto">
              {item}
            </li>
          ))}
        </ul>
      );
    case "rows":
      return (
        <dl>
          {block.rows.map(({ name, text }) => (
            <div key={name} className="notice-row">
              <dt>{name}</dt>
              <dd dir="auto">{text}</dd>
            </div>
          ))}
        </dl>
      );
  }
}
