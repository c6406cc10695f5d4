/** The first stop of the tab key on every page. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="absolute start-4 top-2 z-50 -translate-y-24 rounded-control bg-accent px-4 py-2.5 font-[550] text-accent-ink focus:translate-y-0"
    >
      Skip to content
    </a>
  );
}
