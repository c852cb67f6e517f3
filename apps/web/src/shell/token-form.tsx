import { type FormEvent, useState } from "react";
import { parsePastedToken } from "../app/address.ts";

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
          {reason === undefined ? "This page needs the token of your gateway. " : ""}
          Open the address that the gateway prints when it starts, or paste it, or the token that stands in it after <code>#token=</code>.
        </p>
        <label className="field">
          <span>Token</span>
          <input type="password" autoComplete="off" spellCheck={false} value={token} onChange={(event) => setToken(event.target.value)} />
        </label>
        <button type="submit" className="button primary" disabled={token.trim() === ""}>
          Connect
        </button>
      </form>
    </main>
  );
}

/** The first sentence, which says what is wrong; the form itself says what to do. */
function plainReason(reason: string): string {
  const [first = reason] = /^.*?[.!?](?=\s|$)/s.exec(reason) ?? [];
  return first.replaceAll("`", "");
}
