import type { ConfigPatchResult, ConfigView } from "@factotum/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Loaded } from "../../../data/loaded.tsx";
import { useRpc } from "../../../data/use-rpc.ts";
import { sentenceSpace } from "../../../i18n/sentence-space.ts";
import { t } from "../../../i18n/t.ts";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/segmented.tsx";
import type { SchemaNode } from "../../../ui/schema-form/schema-node.ts";
import { TranslatedSchema } from "../../../ui/schema-form/translated-schema.tsx";
import type { FormProblem } from "../../../ui/schema-form/form-facts.ts";
import { ConfigForms } from "./config-forms.tsx";
import { useConfigDraft } from "./config-draft.ts";
import { DraftBar } from "./draft-bar.tsx";
import { ProblemList } from "./problem-list.tsx";
import { TextForm } from "./text-form.tsx";
import styles from "./configuration.module.css";

const NO_PROBLEMS: readonly FormProblem[] = [];

/** The configuration file, as forms or as text. Nothing is written before its differences were shown. */
export function ConfigurationSection(): React.JSX.Element {
  const schema = useRpc("config.schema", {});
  const view = useRpc("config.get", {});
  return (
    <Loaded query={schema}>
      {(described) => (
        <Loaded query={view}>
          {(value) => (
            <TranslatedSchema schema={described.schema as SchemaNode}>
              {(schemaOfPage) => <Configuration schema={schemaOfPage} view={value} />}
            </TranslatedSchema>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function Configuration({ schema, view }: { readonly schema: SchemaNode; readonly view: ConfigView }): React.JSX.Element {
  const search = useSearch({ from: "/data/settings/{-$section}" });
  const { as = "forms" } = search;
  const navigate = useNavigate();
  const [draft, setDraft] = useConfigDraft();
  const [refused, setRefused] = useState<readonly FormProblem[]>(NO_PROBLEMS);
  const [plan, setPlan] = useState<ConfigPatchResult>();
  const base = draft?.base ?? view;
  // The differences take the place of what is edited, which stays as it was.
  const isDeciding = draft !== undefined && (plan !== undefined || draft.base.baseHash !== view.baseHash);
  const problems = useMemo(() => [...refused, ...base.problems], [refused, base.problems]);
  return (
    <>
      <FileCard view={view} />
      <div className={styles["editor"]} hidden={isDeciding}>
        <Segmented
          label={t("Edit as")}
          choices={[
            { value: "forms", label: t("Forms") },
            { value: "text", label: t("Text") },
          ]}
          value={as}
          onChange={(next) =>
            void navigate({
              to: "/settings/{-$section}",
              params: { section: "configuration" },
              search: { ...search, as: next === "text" ? next : undefined },
            })
          }
        />
        {draft !== undefined && draft.type !== as ? (
          <p>
            {draft.type === "text"
              ? t("The text has changes that are not saved. Save or discard them to use the forms.")
              : t("The forms have changes that are not saved. Save or discard them to edit the text.")}
          </p>
        ) : as === "forms" ? (
          <ConfigForms
            schema={schema}
            base={base}
            problems={problems}
            document={draft?.type === "forms" ? draft.document : base.written}
            onChange={(document) => setDraft({ type: "forms", base, document })}
          />
        ) : (
          <TextForm
            base={base}
            text={draft?.type === "text" ? draft.text : (base.text ?? "")}
            onChange={(text) => setDraft({ type: "text", base, text })}
          />
        )}
      </div>
      <DraftBar view={view} refused={refused} onRefused={setRefused} plan={plan} onPlan={setPlan} />
    </>
  );
}

/** Where the file is, and what is wrong with it. */
function FileCard({ view: { path, source, problems, needsRestart } }: { readonly view: ConfigView }): React.JSX.Element | null {
  return (
    <Card title={t("The file")}>
      <p className={styles["path"]}>
        <code dir="ltr">{path}</code>
      </p>
      {source === "defaults" ? <p>{t("There is no file yet. The first change makes it.")}</p> : null}
      {source === "last-good" ? (
        <p className="problem">{t("This file cannot be used. The gateway runs with the last good copy of it.")}</p>
      ) : null}
      {source === "refused" ? <p className="problem">{t("This file cannot be used, and there is no copy of it.")}</p> : null}
      {problems.length === 0 ? null : <ProblemList label={t("Problems of the file")} problems={problems} />}
      {needsRestart.length === 0 ? null : (
        <p>
          {t("Takes effect after a restart: {keys}.", { keys: needsRestart.join(", ") })}
          {sentenceSpace()}
          <Link to="/overview" className={styles["link"]}>
            {t("Restart it on Overview")}
          </Link>
        </p>
      )}
    </Card>
  );
}
