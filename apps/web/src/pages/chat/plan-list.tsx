import type { PlanStep } from "../../chat/plan-of.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { msg, t } from "../../i18n/t.ts";

const ICONS: Readonly<Record<PlanStep["status"], IconName>> = { pending: "clock", in_progress: "chevron", completed: "check" };
const WORDS: Readonly<Record<PlanStep["status"], string>> = {
  pending: msg("Not begun"),
  in_progress: msg("In progress"),
  completed: msg("Done"),
};

/** The plan of a turn. */
export function PlanList({ plan }: { readonly plan: readonly PlanStep[] }): React.JSX.Element {
  return (
    <section className="plan" aria-label={t("Plan")}>
      <ol>
        {plan.map(({ step, status }, index) => (
          <li key={index} className={status} {...(status === "in_progress" ? { "aria-current": "step" as const } : {})}>
            <Icon name={ICONS[status]} />
            <span dir="auto">{step}</span>
            <span className="sr-only">{t(WORDS[status])}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
