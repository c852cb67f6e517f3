import type { ShownMessage } from "@factotum/channel-conformance";
import type { FeishuCard, FeishuCardElement, FeishuSentMessage } from "@factotum/testing-channels";

const INPUTS: ReadonlySet<string> = new Set(["input", "select_static", "multi_select_static"]);

/** Prefix of the names that the channel gives to inputs. */
export const INPUT_PREFIX = "in_";

/** The card of a message as people see it. */
export function shownCard({ messageType, content }: FeishuSentMessage): Pick<ShownMessage, "card"> {
  if (messageType !== "interactive") return {};
  const card = content as unknown as FeishuCard;
  const elements = card.body.elements.flatMap(withNested);
  const texts = elements.flatMap((element) => (element.tag === "markdown" ? [element.content ?? ""] : []));
  return {
    card: {
      text: [card.header?.title.content ?? "", ...texts].join("\n"),
      buttons: elements.flatMap(({ tag, text }) => (tag === "button" ? [text?.content ?? ""] : [])),
      inputs: elements.flatMap(({ tag, name = "" }) => (INPUTS.has(tag) ? [name.slice(INPUT_PREFIX.length)] : [])),
    },
  };
}

function withNested(element: FeishuCardElement): readonly FeishuCardElement[] {
  return [element, ...[...(element.elements ?? []), ...(element.columns ?? [])].flatMap(withNested)];
}
