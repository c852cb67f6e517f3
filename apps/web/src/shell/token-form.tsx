import { type FormEvent, useState } from "react";
import { Field } from "../ui/field.tsx";
import { parsePastedToken } from "../app/address.ts";
import { t } from "../i18n/t.ts";
import { RichText } from "../i18n/rich-text.tsx";

/** Asks for the gateway's token, with the reason. */
export function TokenForm({
  reason,
  onToken,
}: {
  readonly reason?: string | undefined;
  readonly onToken: (token: string) => void;
}): React.JSX.Element {
  const [token, setToken] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = parsePastedToken(token);
    if (given !== "") onToken(given);
  };
  return (
    <main className="gate">
      <form className="gate-card" onSubmit={submit}>
        <h1 className="wordmark">Factotum</h1>
        {reason === undefined ? null : (
          <p className="gate-reason" role="alert">
            {plainReason(reason)}
          </p>
        )}
        <p>
          {reason === undefined ? `${t("This page needs the token of your gateway.")} ` : ""}
          <RichText
            id="Open the address that the gateway prints when it starts, or paste it, or the token that stands in it after <0>#token=</0>."
            parts={[<code key="0" />]}
          />
        </p>
        <Field label={t("Token")}>
          {(control) => (
            <input
              {...control}
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        <button type="submit" className="button primary" disabled={token.trim() === ""}>
          {t("Connect")}
        </button>
      </form>
    </main>
  );
}

/** The first sentence, which says what is wrong; the form itself says what to do. */
function plainReason(reason: string): string {
  const [first = reason] = /^.*?(?:[.!?](?=\s|$)|[。！？])/s.exec(reason) ?? [];
  return first.replaceAll("`", "");
}
