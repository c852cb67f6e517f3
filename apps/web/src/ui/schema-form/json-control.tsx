import { t } from "../../i18n/t.ts";
import type { ControlProps } from "./form-facts.ts";
import { SettingField } from "./setting-field.tsx";
import { useTyped } from "./use-typed.ts";

const JSON_TEXT = {
  format: (value: unknown): string => (value === undefined ? "" : JSON.stringify(value, undefined, 2)),
  parse: (text: string): unknown => {
    const trimmed = text.trim();
    if (trimmed === "") return undefined;
    try {
      return JSON.parse(trimmed) as unknown;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return trimmed;
    }
  },
};

/** Any value, as JSON; a text needs no quotes. */
export function JsonControl(props: ControlProps): React.JSX.Element {
  const [text, type] = useTyped(props.value, props.onChange, JSON_TEXT);
  return (
    <SettingField {...props}>
      {(control) => (
        <textarea
          {...control}
          rows={Math.min(12, Math.max(2, text.split("\n").length))}
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          placeholder={t("A word, a number, or JSON")}
          value={text}
          onChange={({ target }) => type(target.value)}
        />
      )}
    </SettingField>
  );
}
