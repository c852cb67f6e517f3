const PATHS = {
  chat: "M4 5h16v11H10l-4 4v-4H4z",
  context: "M4 6h16M4 12h10M4 18h13",
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01",
  close: "M6 6l12 12M18 6L6 18",
  chevron: "M9 6l6 6-6 6",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M7 7l10 10M17 7L7 17",
  clock: "M12 7v5l3 2M12 21a9 9 0 100-18 9 9 0 000 18z",
  back: "M15 6l-6 6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  gear: "M12 9.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5zM12 6a6 6 0 100 12 6 6 0 000-12zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M5.6 18.4l2.2-2.2M16.2 7.8l2.2-2.2",
  moon: "M20 14.5A8 8 0 119.5 4a6.5 6.5 0 0010.5 10.5z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** A line icon in the text colour. The text beside it, or the name of its button, gives its meaning. */
export function Icon({ name }: { readonly name: IconName }): React.JSX.Element {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
