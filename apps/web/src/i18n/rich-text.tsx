import { i18n } from "@lingui/core";
import { I18nProvider, Trans } from "@lingui/react";
import { plainValues, type TextValues } from "./t.ts";

interface RichTextProps {
  /** The English text, with elements as `<0>words</0>`. A literal: it is the key in the catalogues. */
  readonly id: string;
  readonly values?: TextValues;
  /** The elements, in the order of their numbers. */
  readonly parts: readonly React.ReactElement[];
}

/** A text of the page with elements inside. */
export function RichText({ id, values, parts }: RichTextProps): React.JSX.Element {
  return (
    <I18nProvider i18n={i18n}>
      <Trans id={id} values={plainValues(values)} components={Object.fromEntries(parts.map((part, index) => [String(index), part]))} />
    </I18nProvider>
  );
}
