import { Suspense, use, useMemo } from "react";
import { type SettingTexts, settingTexts } from "../../i18n/setting-texts.ts";
import { t } from "../../i18n/t.ts";
import type { SchemaNode } from "./schema-node.ts";
import { translateSchema } from "./translate-schema.ts";

interface TranslatedSchemaProps {
  /** As the gateway gives it, in English. */
  readonly schema: SchemaNode;
  readonly children: (schema: SchemaNode) => React.ReactNode;
}

/** A schema with its titles and descriptions in the language of the page, as soon as these are loaded. Those of a foreign package stay as they are. */
export function TranslatedSchema({ schema, children }: TranslatedSchemaProps): React.ReactNode {
  const texts = settingTexts();
  if (texts === undefined) return children(schema);
  return (
    <Suspense fallback={<p className="chat-note">{t("Loading…")}</p>}>
      <Translated schema={schema} texts={texts}>
        {children}
      </Translated>
    </Suspense>
  );
}

function Translated({ schema, texts, children }: TranslatedSchemaProps & { readonly texts: Promise<SettingTexts> }): React.ReactNode {
  const known = use(texts);
  return children(useMemo(() => translateSchema(schema, known), [schema, known]));
}
