import type { SetupProvider } from "@factotum/protocol";
import { sentenceSpace } from "../i18n/sentence-space.ts";
import { t } from "../i18n/t.ts";
import { RichText } from "../i18n/rich-text.tsx";
import { focusOnce } from "../ui/focus-once.ts";
import { WebLink } from "../ui/web-link.tsx";

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
          <RichText id="{label} has a key in <0>{place}</0>." values={{ label, place: keyPlace }} parts={[<code key="0" />]} />
          {sentenceSpace()}
          {keyProblem === undefined ? t("Use it, or paste another one.") : t("It cannot be read: {problem}.", { problem: keyProblem })}
        </p>
      )}
      <label className="field">
        <span>{t("Key of {label}", { label })}</span>
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
          <RichText
            id="<0>Make a key at {host}</0>. It is kept in a file on the gateway’s machine that only its owner may read."
            values={{ host: new URL(url).host }}
            parts={[<WebLink key="0" url={url} />]}
          />
        </p>
      )}
    </>
  );
}

/** The note for a provider that needs no key. */
export function NoKeyNote({ provider: { label, url } }: Pick<KeyFieldProps, "provider">): React.JSX.Element {
  return (
    <p>
      {t("{label} needs no key.", { label })}
      {sentenceSpace()}
      {url === undefined ? null : (
        <RichText id="<0>Get it at {host}</0>" values={{ host: new URL(url).host }} parts={[<WebLink key="0" url={url} />]} />
      )}
    </p>
  );
}
