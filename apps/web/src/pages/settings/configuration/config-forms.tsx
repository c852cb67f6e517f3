import type { ConfigView } from "@factotum/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { t } from "../../../i18n/t.ts";
import { Card } from "../../../ui/card.tsx";
import { Field } from "../../../ui/field.tsx";
import type { FormProblem } from "../../../ui/schema-form/form-facts.ts";
import { type KeyPath, valueAt } from "../../../ui/schema-form/key-text.ts";
import { SchemaForm } from "../../../ui/schema-form/schema-form.tsx";
import type { SchemaNode } from "../../../ui/schema-form/schema-node.ts";
import { findRows, type SchemaRow, schemaRows } from "../../../ui/schema-form/schema-rows.ts";
import { useMediaQuery } from "../../../ui/use-media-query.ts";
import { groupName } from "./group-names.ts";
import { KeyLink } from "./key-link.tsx";
import styles from "./configuration.module.css";

/** More are found with another word. */
const MAX_FOUND = 30;

interface ConfigFormsProps {
  readonly schema: SchemaNode;
  readonly base: ConfigView;
  readonly problems: readonly FormProblem[];
  readonly document: Readonly<Record<string, unknown>>;
  readonly onChange: (document: Readonly<Record<string, unknown>>) => void;
}

/** The groups of the configuration, of which one is shown, and a search in all of them. The address names the group. */
export function ConfigForms({ schema, base, problems, document, onChange }: ConfigFormsProps): React.JSX.Element {
  const { group: named, key } = useSearch({ from: "/data/settings/{-$section}" });
  const [words, setWords] = useState("");
  const rows = useMemo(() => schemaRows(schema), [schema]);
  const found = useMemo(() => findRows(rows, words), [rows, words]);
  const groups = Object.keys(schema.properties ?? {}).toSorted((a, b) => Number(a.startsWith("$")) - Number(b.startsWith("$")));
  const group = groups.find((one) => one === named) ?? groups[0] ?? "";
  const node = schema.properties?.[group] ?? {};
  const inherited = useCallback(
    (path: KeyPath) => (valueAt(base.written, path) === undefined ? valueAt(base.effective, path) : undefined),
    [base],
  );
  const set = (value: unknown): void => {
    const { [group]: _before, ...others } = document;
    onChange(value === undefined ? others : { ...document, [group]: value });
  };
  return (
    <div className={styles["forms"]}>
      <div className={styles["side"]}>
        <Field label={t("Search all settings")}>
          {(control) => <input {...control} type="search" value={words} onChange={({ target }) => setWords(target.value)} />}
        </Field>
        <Groups groups={groups} selected={group} onOpen={() => setWords("")} />
      </div>
      {words.trim() === "" ? (
        <Card title={groupName(group)}>
          <SchemaForm
            key={group}
            schema={node}
            path={[group]}
            value={Object.hasOwn(document, group) ? document[group] : undefined}
            onChange={set}
            problems={problems}
            mark={base.mark}
            shown={key}
            inherited={inherited}
          />
        </Card>
      ) : (
        <Found rows={found} onOpen={() => setWords("")} />
      )}
    </div>
  );
}

interface GroupsProps {
  readonly groups: readonly string[];
  readonly selected: string;
  readonly onOpen: () => void;
}

/** A list of links; on narrow windows a choice, which needs less room. */
function Groups({ groups, selected, onOpen }: GroupsProps): React.JSX.Element {
  const isWide = useMediaQuery("(min-width: 60rem)");
  const navigate = useNavigate();
  if (!isWide)
    return (
      <Field label={t("Group")}>
        {(control) => (
          <select
            {...control}
            value={selected}
            onChange={({ target }) => {
              onOpen();
              void navigate({ to: "/settings/{-$section}", params: { section: "configuration" }, search: { group: target.value } });
            }}
          >
            {groups.map((group) => (
              <option key={group} value={group}>
                {groupName(group)}
              </option>
            ))}
          </select>
        )}
      </Field>
    );
  return (
    <nav aria-label={t("Groups of settings")}>
      <ul className={styles["groups"]}>
        {groups.map((group) => (
          <li key={group}>
            <Link
              to="/settings/{-$section}"
              params={{ section: "configuration" }}
              search={{ group }}
              aria-current={group === selected ? "true" : undefined}
              onClick={onOpen}
            >
              {groupName(group)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Found({ rows, onOpen }: { readonly rows: readonly SchemaRow[]; readonly onOpen: () => void }): React.JSX.Element {
  return (
    <Card title={t("Found")}>
      <output className="note">
        {t("{count, plural, =0 {No setting has these words.} one {# setting} other {# settings}}", { count: rows.length })}
      </output>
      {/* A link closes the search. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- the links inside take the keys; their click comes up to here */}
      <ul className={styles["found"]} onClick={({ target }) => target instanceof Element && target.closest("a") !== null && onOpen()}>
        {rows.slice(0, MAX_FOUND).map(({ key, title, description }) => (
          <li key={key}>
            <KeyLink path={key}>
              <span>{title}</span>
            </KeyLink>{" "}
            <code dir="ltr">{key}</code>
            {description === "" ? null : <p dir="auto">{description}</p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}
