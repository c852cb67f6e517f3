import type { ChannelForm } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { Loaded } from "../data/loaded.tsx";
import { useRpc, useRpcMutation } from "../data/use-rpc.ts";
import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import { isSame } from "../ui/schema-form/merge-patch.ts";
import { SchemaForm } from "../ui/schema-form/schema-form.tsx";
import { TranslatedSchema } from "../ui/schema-form/translated-schema.tsx";
import type { Account } from "./account-name.ts";
import { OutdatedSettings } from "./outdated-settings.tsx";
import styles from "./channel-setup.module.css";

/** The account starts meanwhile. */
const SAVE_TIMEOUT_MS = 75_000;

interface AccountFormProps {
  readonly account: Account;
  /** The words of the button. */
  readonly action: string;
  readonly onSaved?: () => void;
  /** Called instead of saving an account that is there when nothing differs from what is saved. */
  readonly onUnchanged?: () => void;
  readonly isPrimary?: boolean;
  /** The first setting without which the channel cannot begin has the focus. */
  readonly takesFocus?: boolean;
}

/** Settings that a person has changed. */
interface Draft {
  readonly settings: unknown;
  /** That of the stored settings which they may replace. */
  readonly baseHash: string;
  /** That of the stored settings which they were made from. */
  readonly began: string;
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
  onUnchanged,
}: AccountFormProps & { readonly form: ChannelForm }): React.JSX.Element {
  const [draft, setDraft] = useState<Draft>();
  const save = useRpcMutation("channels.save", { timeoutMs: SAVE_TIMEOUT_MS });
  const { settings, began } = draft ?? { settings: form.settings, began: form.baseHash };
  // The gateway may have written them, and could not use them.
  const baseHash = save.error?.code === "unavailable" ? form.baseHash : (draft ?? form).baseHash;
  const result = save.data;
  // What it has just saved itself is shown next.
  const isOutdated = baseHash !== form.baseHash && !save.isPending && result?.type !== "saved";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (save.isPending || isOutdated) return;
    if (onUnchanged !== undefined && form.exists && isSame(settings ?? {}, form.settings)) return onUnchanged();
    save.mutate(
      { ...account, settings: (settings ?? {}) as Record<string, unknown>, baseHash },
      { onSuccess: ({ type }) => (type === "saved" ? onSaved?.() : undefined) },
    );
  };
  const choose = (next: Draft | undefined): void => {
    save.reset();
    setDraft(next);
  };
  const problems = result?.type === "refused" ? result.problems.map(({ key, message }) => ({ path: key, message })) : [];
  return (
    <form className={styles["part"]} onSubmit={submit}>
      <TranslatedSchema schema={form.schema}>
        {(schema) => (
          <SchemaForm
            key={began}
            schema={schema}
            path={[]}
            value={settings}
            onChange={(next) => setDraft({ settings: next, baseHash, began })}
            problems={problems}
            mark={form.mark}
            keepsSecrets
            shown={takesFocus ? firstRequired(form.schema) : undefined}
          />
        )}
      </TranslatedSchema>
      {isOutdated ? (
        <OutdatedSettings onKeep={() => choose({ settings, baseHash: form.baseHash, began })} onDiscard={() => choose(undefined)} />
      ) : null}
      {save.error === null || (isOutdated && save.error.code === "conflict") ? null : (
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
        <Button type="submit" variant={isPrimary ? "primary" : "plain"} busy={save.isPending} disabled={isOutdated}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function firstRequired({ required }: ChannelForm["schema"]): string | undefined {
  return Array.isArray(required) ? required.find((key) => typeof key === "string") : undefined;
}
