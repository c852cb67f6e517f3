let translate: (text: string) => string = (text) => text;

/**
 * What the gateway says, such as the reason of a refusal or the title of a setting, in the language of the page; as it is in English, and where no translation is
 * known. Never for words of a model or of a person. Values in it do not reorder the text around them.
 */
export function gatewayText(text: string): string {
  return translate(text);
}

/** Sets the translation for the language of the page. */
export function setGatewayTexts(next: (text: string) => string): void {
  translate = next;
}
