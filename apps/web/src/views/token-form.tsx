import { type FormEvent, useState } from "react";

/** Asks for the gateway's token, with the reason why. */
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
    if (token.trim() !== "") onToken(token.trim());
  };
  return (
    <main className="gate">
      <form className="gate-card" onSubmit={submit}>
        <h1 className="wordmark">Factotum</h1>
        {reason === undefined ? null : (
          <p className="gate-reason" role="alert">
            {reason}
          </p>
        )}
        <p>
          This page needs the token of your gateway. Open the address that <code>factotum gateway start</code> prints (a gateway that runs
          goes on), or paste what stands in it after <code>#token=</code>.
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
