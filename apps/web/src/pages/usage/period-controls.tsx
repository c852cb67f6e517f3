import { USAGE_GROUPS } from "@factotum/protocol";
import { useState } from "react";
import { t } from "../../i18n/t.ts";
import { Field } from "../../ui/field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { dayBefore, dayOf, DEFAULT_DAYS, isDay, type UsagePeriod } from "./usage-period.ts";
import type { UsageSearch } from "./usage-search.ts";
import { groupText } from "./usage-texts.ts";
import styles from "./usage.module.css";

const PRESETS = [1, 7, DEFAULT_DAYS, 90] as const;

interface PeriodControlsProps {
  readonly period: UsagePeriod;
  /** False: the period ends before it begins. */
  readonly isOrdered: boolean;
  /** What the address has from now on. */
  readonly onChange: (change: UsageSearch) => void;
}

/** The choice of the period and of what usage is grouped by. */
export function PeriodControls({ period: { from, to, by }, isOrdered, onChange }: PeriodControlsProps): React.JSX.Element {
  const today = dayOf();
  const preset = PRESETS.find((days) => to === today && from === dayBefore(today, days - 1));
  return (
    <div className={styles["controls"]}>
      <Segmented
        label={t("Period")}
        choices={PRESETS.map((days) => ({
          value: String(days),
          label: days === 1 ? t("Today") : t("{count, plural, one {# day} other {# days}}", { count: days }),
        }))}
        value={String(preset ?? "")}
        onChange={(days) => onChange({ from: dayBefore(today, Number(days) - 1), to: today })}
      />
      <div className={styles["dates"]}>
        <DayField
          label={t("From")}
          error={isOrdered ? undefined : t("The period ends before it begins.")}
          day={from}
          onChange={(day) => onChange({ from: day, to })}
        />
        <DayField label={t("Until")} day={to} onChange={(day) => onChange({ from, to: day })} />
      </div>
      <Segmented
        label={t("Grouped by")}
        choices={USAGE_GROUPS.map((group) => ({ value: group, label: groupText(group) }))}
        value={by}
        onChange={(group) => onChange({ by: group })}
      />
    </div>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly error?: string | undefined;
  readonly day: string;
  readonly onChange: (day: string) => void;
}

/** A day. What was typed of it stays until it is one: the first digit of a year is the year 2. */
function DayField({ label, error, day, onChange }: DayFieldProps): React.JSX.Element {
  const [typed, setTyped] = useState<string>();
  return (
    <Field label={label} error={error}>
      {(control) => (
        <input
          {...control}
          type="date"
          required
          value={typed ?? day}
          onChange={({ target: { value } }) => {
            setTyped(value);
            if (isDay(value)) onChange(value);
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </Field>
  );
}
