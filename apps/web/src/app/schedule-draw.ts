/** A hidden page gets no animation frames; it is updated after this delay, so that its title is current. */
const HIDDEN_MS = 250;

/** Calls `notify` in the next frame, or after a short delay if the page is hidden. */
export function scheduleDraw(page: Pick<Window, "requestAnimationFrame" | "setTimeout">, notify: () => void): void {
  let isDue = true;
  const once = (): void => {
    if (!isDue) return;
    isDue = false;
    notify();
  };
  page.requestAnimationFrame(once);
  page.setTimeout(once, HIDDEN_MS);
}
