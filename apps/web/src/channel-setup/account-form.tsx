import type { ChannelForm } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { Loaded } from "../data/loaded.tsx";
import { useRpc, useRpcMutation } from "../data/use-rpc.ts";
import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import { SchemaForm } from "../ui/schema-form/schema-form.tsx";
import { TranslatedSchema } from "../ui/schema-form/translated-schema.tsx";
import type { Account } from "./account-name.ts";
import styles from "./channel-setup.module.css";

/** The account starts meanwhile. */
const SAVE_TIMEOUT_MS = 75_000;

interface AccountFormProps {
  readonly account: Account;
  /** The words of the button. */
  readonly action: string;
  readonly onSaved?: () => void;
  readonly isPrimary?: boolean;
  /** The first setting without which the channel cannot begin has the focus. */
  readonly takesFocus?: boolean;
}

/** The channel's own settings of an account. */
export function AccountForm(props: AccountFormProps): React.JSX.Element {
  const form = useRpc("channels.form", props.account);
  const [saved, setSaved] = useState(0);
  const onSaved = (): void => {
    void form.refetch().then(() => setSaved((count) => count + 1));
    props.onSaved?.();
  };
  return <Loaded query={form}>{(loaded) => <Fields key={saved} {...props} form={loaded} onSaved={onSaved} />}</Loaded>;
}

function Fields({
  account,
  action,
  form,
  isPrimary = false,
  takesFocus = false,
  onSaved,
}: AccountFormProps & { readonly form: ChannelForm }): React.JSX.Element {
  const [settings, setSettings] = useState<unknown>(form.settings);
  const save = useRpcMutation("channels.save", { timeoutMs: SAVE_TIMEOUT_MS });
  const result = save.data;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (save.isPending) return;
    save.mutate(
      { ...account, settings: (settings ?? {}) as Record<string, unknown> },
      { onSuccess: ({ type }) => (type === "saved" ? onSaved?.() : undefined) },
    );
  };
  const problems = result?.type === "refused" ? result.problems.map(({ key, message }) => ({ path: key, message })) : [];
  return (
    <form className={styles["part"]} onSubmit={submit}>
      <TranslatedSchema schema={form.schema}>
        {(schema) => (
          <SchemaForm
            schema={schema}
            path={[]}
            value={settings}
            onChange={setSettings}
            problems={problems}
            mark={form.mark}
            keepsSecrets
            shown={takesFocus ? firstRequired(form.schema) : undefined}
          />
        )}
      </TranslatedSchema>
      {save.error === null ? null : (
        <p className="problem" role="alert" dir="auto">
          {save.error.message}
        </p>
      )}
      {problems.length === 0 ? null : (
        <p className="problem" role="alert">
          {t("Nothing was saved: {count, plural, one {one setting needs} other {# settings need}} a change.", { count: problems.length })}
        </p>
      )}
      <div className="actions">
        <Button type="submit" variant={isPrimary ? "primary" : "plain"} busy={save.isPending}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function firstRequired({ required }: ChannelForm["schema"]): string | undefined {
  return Array.isArray(required) ? required.find((key) => typeof key === "string") : undefined;
}
