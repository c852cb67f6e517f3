import { LOG_LEVEL_IDS, type LogLevelId } from "@factotum/protocol";
import { useEffect, useId, useState } from "react";
import { msg, t } from "../../i18n/t.ts";
import { Field } from "../../ui/field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import type { LogSearch } from "./log-search.ts";
import styles from "./logs.module.css";

/** Between the last key and the request. */
const TYPING_MS = 300;

const LEVELS: Readonly<Record<LogLevelId, string>> = {
  debug: msg("Everything"),
  info: msg("Info"),
  warn: msg("Warnings"),
  error: msg("Errors"),
};

interface LogControlsProps {
  readonly search: LogSearch;
  /** What the shown lines are about. */
  readonly sources: readonly string[];
  readonly onChange: (search: LogSearch) => void;
}

/** Which lines are shown. */
export function LogControls({ search, sources, onChange }: LogControlsProps): React.JSX.Element {
  const list = useId();
  return (
    <search className={styles["controls"]}>
      <Segmented
        label={t("From level")}
        choices={LOG_LEVEL_IDS.map((level) => ({ value: level, label: t(LEVELS[level]) }))}
        value={search.level ?? "debug"}
        onChange={(level) => onChange(withLevel(search, level))}
      />
      <div className={styles["words"]}>
        <TypedField label={t("About")} value={search.source ?? ""} list={list} onChange={(source) => onChange({ ...search, source })} />
        <TypedField label={t("With the words")} value={search.text ?? ""} onChange={(text) => onChange({ ...search, text })} />
        <datalist id={list}>
          {sources.map((source) => (
            <option key={source}>{source}</option>
          ))}
        </datalist>
      </div>
    </search>
  );
}

/** Everything is what an address without a level means. */
function withLevel({ level: _level, ...rest }: LogSearch, level: LogLevelId): LogSearch {
  return level === "debug" ? rest : { ...rest, level };
}

interface TypedFieldProps {
  readonly label: string;
  readonly value: string;
  readonly list?: string;
  readonly onChange: (value: string) => void;
}

/** A word to search for, taken once the person stops typing. */
function TypedField({ label, value, list, onChange }: TypedFieldProps): React.JSX.Element {
  const [typed, setTyped] = useState<string>();
  useEffect(() => {
    if (typed === undefined || typed === value) return undefined;
    const timer = setTimeout(() => onChange(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="search"
          dir="auto"
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          list={list}
          value={typed ?? value}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => {
            if (typed !== undefined && typed !== value) onChange(typed);
            setTyped(undefined);
          }}
        />
      )}
    </Field>
  );
}
