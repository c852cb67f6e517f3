import { useAppState, useController } from "../../app/app-context.ts";

const SUGGESTIONS = ["List the files in your workspace", "Write a short note into notes.md", "What can you do here?"];

/** An empty conversation: what it is for, and some suggestions. */
export function Welcome(): React.JSX.Element {
  const controller = useController();
  const name = useAppState((state) => state.agents.find((agent) => agent.id === state.agentId && agent.name !== agent.id)?.name);
  return (
    <div className="welcome">
      <p className="welcome-title">What shall {name === undefined || name === "" ? "we" : name} do?</p>
      <p>It works with files and tools on your own machine, and shows every step here.</p>
      <ul>
        {SUGGESTIONS.map((text) => (
          <li key={text}>
            <button type="button" className="button" onClick={() => controller.send(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
