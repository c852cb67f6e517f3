import { memo } from "react";
import { splitMessage } from "../../chat/split-message.ts";
import { CodeBlock } from "../../markdown/code-block.tsx";
import { ExternalLink } from "../../markdown/markdown-node.tsx";

/** A person's message as typed, with its code and links rendered. */
export const OwnMessageText: React.NamedExoticComponent<{ readonly text: string }> = memo(function OwnMessageText({
  text,
}: {
  readonly text: string;
}) {
  return splitMessage(text).map((part, index) => {
    // Parts never move: a sent message does not change.
    switch (part.type) {
      case "text":
        return part.text;
      case "link":
        return (
          <ExternalLink key={index} url={part.url}>
            {part.url}
          </ExternalLink>
        );
      case "code":
        return <CodeBlock key={index} chunks={part.chunks} language={part.language} complete />;
    }
  });
});
