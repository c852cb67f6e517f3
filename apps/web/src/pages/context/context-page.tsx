import { useAppState } from "../../app/app-context.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { useOpenSession } from "../chat/use-open-session.ts";
import { ContextView } from "./context-view.tsx";

/** What the model was given in the open session. */
export function ContextPage(): React.JSX.Element {
  const inspector = useAppState((state) => state.inspector);
  const { title } = useOpenSession();
  return <PageFrame title={title}>{inspector === undefined ? null : <ContextView state={inspector} />}</PageFrame>;
}
