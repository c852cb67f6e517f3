import { t } from "../i18n/t.ts";
import { Field } from "./field.tsx";

interface AgentChoiceProps {
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly agentId: string | undefined;
  readonly onChange: (agentId: string) => void;
  /** It has the focus when its dialog opens. */
  readonly hasInitialFocus?: true;
}

/** One of the agents. Agents of the same name differ by their ids. */
export function AgentChoice({ agents, agentId, onChange, hasInitialFocus }: AgentChoiceProps): React.JSX.Element {
  return (
    <Field label={t("Agent")}>
      {(control) => (
        <select {...control} data-initial-focus={hasInitialFocus} value={agentId} onChange={({ target }) => onChange(target.value)}>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name === id ? id : `${name} (${id})`}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
