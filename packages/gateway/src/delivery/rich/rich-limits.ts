import type { Card, ChannelCapabilities, Poll } from "@factotum/channel-contract";

/** Why a card exceeds a limit of its platform; `undefined` if it does not. The text names the limit. */
export function cardExcess({ buttons = [] }: Card, { limits = {} }: Pick<ChannelCapabilities, "limits">): string | undefined {
  const { buttonsPerCard, buttonLabelLength, buttonValueBytes } = limits;
  if (buttonsPerCard !== undefined && buttons.length > buttonsPerCard)
    return `This chat shows at most ${buttonsPerCard} buttons on a card; there are ${buttons.length}.`;
  const longLabel = buttons.find(({ label }) => buttonLabelLength !== undefined && label.length > buttonLabelLength);
  if (longLabel !== undefined)
    return `The label of a button has at most ${buttonLabelLength} characters here; ${JSON.stringify(longLabel.label)} is longer.`;
  const longValue = buttons.find(({ value = "" }) => buttonValueBytes !== undefined && Buffer.byteLength(value) > buttonValueBytes);
  if (longValue !== undefined)
    return `The value of a button has at most ${buttonValueBytes} bytes here; that of ${JSON.stringify(longValue.label)} is longer.`;
  return undefined;
}

/** The same for a poll. */
export function pollExcess({ options }: Poll, { limits = {} }: Pick<ChannelCapabilities, "limits">): string | undefined {
  const { pollOptions } = limits;
  if (pollOptions === undefined || options.length <= pollOptions) return undefined;
  return `A poll has at most ${pollOptions} options here; there are ${options.length}.`;
}
