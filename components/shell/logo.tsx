import clsx from "clsx";

/** The logomark: an h that leans in to listen. One color, so that it prints and follows the theme. */
function Logomark() {
  return (
    <svg aria-hidden="true" width="28" height="28" viewBox="0 0 32 32" className="shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M10 7v18M10 18.5c0-3.6 2.4-5.5 5.5-5.5s5.5 1.9 5.5 5.5V25"
        fill="none"
        strokeWidth="3.2"
        strokeLinecap="round"
        className="stroke-accent-ink"
      />
      <circle cx="21.5" cy="7.8" r="2.2" className="fill-accent-ink" />
    </svg>
  );
}

/**
 * Logomark and name.
 * @param nameClass classes of the name, for example to hide it where space is short
 */
export function LogoWithName({ nameClass }: { nameClass?: string }) {
  return (
    <span className="inline-flex items-center gap-2.5">
      <Logomark />
      <span className={clsx("text-xl font-[700] tracking-[-0.01em]", nameClass)}>Heed</span>
    </span>
  );
}
