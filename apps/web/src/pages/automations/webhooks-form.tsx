import type { ConfigView } from "@factotum/protocol";
import { useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import type { Settings } from "../../data/use-settings.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { mergePatchOf } from "../../ui/schema-form/merge-patch.ts";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { isRecord, type SchemaNode } from "../../ui/schema-form/schema-node.ts";
import { TranslatedSchema } from "../../ui/schema-form/translated-schema.tsx";
import styles from "./automations.module.css";

interface WebhooksFormProps {
  readonly view: ConfigView;
  readonly isBusy: boolean;
  readonly onSave: Settings["save"];
  readonly onClose: () => void;
}

/** Every setting of webhooks, from the schema of the configuration. */
export function WebhooksForm({ view, isBusy, onSave, onClose }: WebhooksFormProps): React.JSX.Element {
  const schema = useRpc("config.schema", {});
  // What is changed was made for this text; a later one is not overwritten unseen.
  const [read] = useState(view);
  const before = read.written["hooks"];
  const [value, setValue] = useState<unknown>(before);
  const save = async (): Promise<void> => {
    if (await onSave(mergePatchOf(fileOf(before), fileOf(value)), read)) onClose();
  };
  return (
    <Loaded query={schema}>
      {({ schema: root }) => (
        <div className={styles["form"]}>
          <TranslatedSchema schema={hooksOf(root)}>
            {(hooks) => (
              <SchemaForm schema={hooks} path={["hooks"]} value={value} onChange={setValue} problems={read.problems} mark={read.mark} />
            )}
          </TranslatedSchema>
          <div className="actions">
            <Button variant="primary" busy={isBusy} onClick={() => void save()}>
              {t("Save")}
            </Button>
            <Button onClick={onClose}>{t("Cancel")}</Button>
          </div>
        </div>
      )}
    </Loaded>
  );
}

function fileOf(hooks: unknown): Readonly<Record<string, unknown>> {
  return hooks === undefined ? {} : { hooks };
}

/** The part of the schema that is about webhooks. */
function hooksOf(root: Readonly<Record<string, unknown>>): SchemaNode {
  const properties = root["properties"];
  const hooks = isRecord(properties) ? properties["hooks"] : undefined;
  return isRecord(hooks) ? hooks : {};
}
