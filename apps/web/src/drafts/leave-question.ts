/** What says that it is about to be closed: the window. */
export type ClosingPage = Pick<EventTarget, "addEventListener" | "removeEventListener">;

/** Has the browser ask before the window is closed, as long as the returned function was last called with `true`. */
export function leaveQuestion(page: ClosingPage): (isNeeded: boolean) => void {
  const ask = (event: Event): void => event.preventDefault();
  return (isNeeded) => {
    if (isNeeded) page.addEventListener("beforeunload", ask);
    else page.removeEventListener("beforeunload", ask);
  };
}
