import { mayKeyBeRight, type SetupProvider } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useRpcMutation } from "../../../data/use-rpc.ts";
import { RichText } from "../../../i18n/rich-text.tsx";
import { gatewayText } from "../../../i18n/gateway-text.ts";
import { t } from "../../../i18n/t.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { WebLink } from "../../../ui/web-link.tsx";
import styles from "./models.module.css";

/** A test is up to three requests of ten seconds each. */
const CHECK_TIMEOUT_MS = 40_000;

interface KeyFormProps {
  readonly provider: SetupProvider;
  /** No other model answers yet, so the provider's recommended one does from then on. */
  readonly isFirst: boolean;
  readonly onDone: () => void;
}

/** Tests a key by calls that cost nothing, and stores it on the gateway. One that could not be tested is stored if the person says so. */
export function KeyForm({ provider: { id, label, url, defaultModel }, isFirst, onDone }: KeyFormProps): React.JSX.Element {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<string>();
  const [canSave, setCanSave] = useState(false);
  const toasts = useToasts();
  const check = useRpcMutation("setup.check", { timeoutMs: CHECK_TIMEOUT_MS });
  const store = useRpcMutation("setup.key");
  const choose = useRpcMutation("setup.model");
  const isBusy = check.isPending || store.isPending || choose.isPending;
  const given = key.trim();
  const save = async (): Promise<void> => {
    await store.mutateAsync({ provider: id, key: given });
    if (isFirst && defaultModel !== undefined) await choose.mutateAsync({ model: `${id}/${defaultModel}` });
    setKey("");
    toasts.show({ text: t("The key of {provider} is stored.", { provider: label }) });
    onDone();
  };
  const run = (action: () => Promise<void>): void => {
    setProblem(undefined);
    setCanSave(false);
    action().catch((error: Error) => setProblem(error.message));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (given === "" || isBusy) return;
    run(async () => {
      const found = await check.mutateAsync({ provider: id, key: given });
      if (found.type === "works") return save();
      setProblem(gatewayText(found.message));
      setCanSave(mayKeyBeRight(found));
      return undefined;
    });
  };
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <Field label={t("Key of {label}", { label })} error={problem}>
        {(control) => (
          <input
            {...control}
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={({ target }) => {
              setKey(target.value);
              setCanSave(false);
            }}
          />
        )}
      </Field>
      {url === undefined ? null : (
        <p className="note">
          <RichText
            id="<0>Make a key at {host}</0>. It is kept in a file on the gateway’s machine that only its owner may read."
            values={{ host: new URL(url).host }}
            parts={[<WebLink key="0" url={url} />]}
          />
        </p>
      )}
      <div className="actions">
        <Button type="submit" variant="primary" busy={isBusy} disabled={given === ""}>
          {isBusy ? t("Testing…") : t("Test and store")}
        </Button>
        {canSave ? (
          <Button disabled={isBusy} onClick={() => run(save)}>
            {t("Store it untested")}
          </Button>
        ) : null}
      </div>
    </form>
  );
}
