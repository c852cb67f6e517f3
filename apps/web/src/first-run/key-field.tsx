import type { SetupProvider } from "@factotum/protocol";
import { focusOnce } from "./focus-once.ts";

interface KeyFieldProps {
  readonly provider: SetupProvider;
  readonly value: string;
  readonly onChange: (key: string) => void;
}

/** The field for a provider's key, with the status of its current key and where to create one. */
export function KeyField({ provider: { label, url, keyPlace, keyProblem }, value, onChange }: KeyFieldProps): React.JSX.Element {
  return (
    <>
      {keyPlace === undefined ? null : (
        <p>
          {label} has a key in <code>{keyPlace}</code>.{" "}
          {keyProblem === undefined ? "Use it, or paste another one." : `It cannot be read: ${keyProblem}.`}
        </p>
      )}
      <label className="field">
        <span>Key of {label}</span>
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          ref={focusOnce}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      {url === undefined ? null : (
        <p>
          <ProviderLink url={url} words="Make a key at" />. It is kept in a file on the gateway’s machine that only its owner may read.
        </p>
      )}
    </>
  );
}

/** The note for a provider that needs no key. */
export function NoKeyNote({ provider: { label, url } }: Pick<KeyFieldProps, "provider">): React.JSX.Element {
  return (
    <p>
      {label} needs no key. {url === undefined ? null : <ProviderLink url={url} words="Get it at" />}
    </p>
  );
}

function ProviderLink({ url, words }: { readonly url: string; readonly words: string }): React.JSX.Element {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {words} {new URL(url).host}
    </a>
  );
}
