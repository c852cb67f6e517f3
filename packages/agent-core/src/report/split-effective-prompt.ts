/** A piece of a turn's text. */
export interface PromptBlock {
  /** `trusted`, `media-note`, `system-event`, `body`, or the title of a delimited block in lower case. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const TRUSTED = /^Inbound context \(trusted\):\n\{"schema":"[^"]*","delimiter":"([0-9a-f]{12})".*(?:\n|$)/;

/**
 * Splits a turn's text at the gateway's own lines, for reports. Every character is in exactly one block; other text is the body, including a text that this
 * product has not rendered.
 */
export function splitEffectivePrompt(text: string): readonly PromptBlock[] {
  const trusted = TRUSTED.exec(text);
  if (trusted === null) return text === "" ? [] : [{ id: "body", title: "Message", text }];
  const [head, delimiter = ""] = trusted;
  const blocks: PromptBlock[] = [{ id: "trusted", title: "Inbound context", text: head }];
  let body = "";
  const endBody = (): void => {
    if (body !== "") blocks.push({ id: "body", title: "Message", text: body });
    body = "";
  };
  for (let rest = text.slice(head.length); rest !== "";) {
    const block = ownBlock(rest, delimiter);
    if (block === undefined) {
      const end = rest.indexOf("\n") + 1;
      const line = end === 0 ? rest : rest.slice(0, end);
      body += line;
      rest = rest.slice(line.length);
    } else {
      endBody();
      blocks.push(block);
      rest = rest.slice(block.text.length);
    }
  }
  endBody();
  return blocks;
}

/** The gateway's block at the start of a text, if there is one. Platform text cannot forge such lines, because they are escaped. */
function ownBlock(text: string, delimiter: string): PromptBlock | undefined {
  const end = text.indexOf("\n") + 1;
  const line = end === 0 ? text : text.slice(0, end);
  if (line.startsWith("System: [")) return { id: "system-event", title: "System event", text: line };
  if (line.startsWith("[media attached")) return { id: "media-note", title: "Media", text: line };
  if (!line.startsWith(`[${delimiter} `)) return undefined;
  const title = line.slice(delimiter.length + 2).replace(/\]\n?$/, "");
  const close = text.indexOf(`\n[/${delimiter}]`, line.length - 1);
  if (close === -1) return undefined;
  const after = text.indexOf("\n", close + 1) + 1;
  return { id: title.toLowerCase(), title, text: after === 0 ? text : text.slice(0, after) };
}
