import { t } from "../../i18n/t.ts";
import { CodeField } from "../../ui/code-field.tsx";
import { Field } from "../../ui/field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import type { DraftProps } from "./payload-fields.tsx";

/** Where the outcome of a job goes. */
export function ReportFields({ draft: { report, to, url, secret, does }, onChange }: DraftProps): React.JSX.Element | null {
  if (does === "systemEvent") return null;
  return (
    <>
      <Segmented
        label={t("Reports to")}
        choices={[
          { value: "announce", label: t("My newest chat") },
          { value: "address", label: t("An address") },
          { value: "webhook", label: t("A web address") },
          { value: "none", label: t("Nowhere") },
        ]}
        value={report}
        onChange={(next) => onChange({ report: next })}
      />
      {report === "address" ? (
        <CodeField
          label={t("Address")}
          hint={t("The channel, a colon, and the id of the chat.")}
          required
          value={to}
          onChange={(next) => onChange({ to: next })}
        />
      ) : null}
      {report === "webhook" ? (
        <>
          <Field label={t("Web address")}>
            {(control) => <input {...control} type="url" required value={url} onChange={({ target }) => onChange({ url: target.value })} />}
          </Field>
          <Field label={t("Secret")} hint={t("Signs what is sent. Empty: nothing is signed. It is not shown again.")}>
            {(control) => (
              <input
                {...control}
                type="password"
                autoComplete="new-password"
                value={secret}
                onChange={({ target }) => onChange({ secret: target.value })}
              />
            )}
          </Field>
        </>
      ) : null}
    </>
  );
}
